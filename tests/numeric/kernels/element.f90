! Spectral elements: two contractions, the first one's result shared by all work-items of the element.
subroutine element(nelem, d, u, v)
  implicit none
  integer, parameter :: nq = 4
  integer, intent(in) :: nelem
  real*8, intent(in) :: d(nq,nq), u(nq,nq,nelem)
  real*8, intent(inout) :: v(nq,nq,nelem)
  real*8 :: du(nq,nq)
  integer :: e, i, j, k, l

  do e = 1, nelem
    do j = 1, nq
      do i = 1, nq
        du(i,j) = 0
        do k = 1, nq
          du(i,j) = du(i,j) + d(i,k)*u(k,j,e)
        end do
      end do
    end do
    do j = 1, nq
      do i = 1, nq
        do l = 1, nq
          v(i,j,e) = v(i,j,e) + d(l,j)*du(i,l)
        end do
      end do
    end do
  end do
end subroutine element

!$loopy begin
!
! knl = lp.parse_fortran(SOURCE, FILENAME)
! knl = lp.tag_inames(knl, {"e": "g.0", "i": "l.0", "j": "l.1", "i_1": "l.0", "j_1": "l.1"})
! knl = lp.add_prefetch(knl, "u", "k, j", default_tag="l.auto")
! knl = lp.tag_inames(knl, {"l": "unr"})
! RESULT = knl
!
!$loopy end
