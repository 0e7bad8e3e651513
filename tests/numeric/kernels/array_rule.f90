! A local array written per element becomes a rule, and the rule a local array again, filled by all work-items.
subroutine array_rule(nelem, d, u, v)
  implicit none
  integer, parameter :: nq = 6
  integer, intent(in) :: nelem
  real*8, intent(in) :: d(nq,nq), u(nq,nelem)
  real*8, intent(inout) :: v(nq,nelem)
  real*8 :: flux(nq)
  integer :: e, i, j, q

  do e = 1, nelem
    do q = 1, nq
      flux(q) = 0.5d0*u(q,e)**2
    end do
    do i = 1, nq
      do j = 1, nq
        v(i,e) = v(i,e) + d(i,j)*flux(j)
      end do
    end do
  end do
end subroutine array_rule

!$loopy begin
!
! knl = lp.parse_fortran(SOURCE, FILENAME)
! knl = lp.tag_inames(knl, {"e": "g.0"})
! knl = lp.assignment_to_subst(knl, "flux")
! knl = lp.precompute(knl, "flux_subst", "j", default_tag="l.auto")
! knl = lp.add_prefetch(knl, "d", "i, j", default_tag="l.auto")
! knl = lp.tag_inames(knl, {"i": "l.0"})
! knl = lp.buffer_array(knl, "v", [], init_expression="base", store_expression="buffer")
! RESULT = knl
!
!$loopy end
