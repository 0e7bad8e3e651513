! A costly function of two indices, computed once for each tile and used by all.
subroutine rule_tile(n, m, p, q, y)
  implicit none
  integer, intent(in) :: n, m
  real*8, intent(in) :: p(n+1), q(m)
  real*8, intent(inout) :: y(n,m)
  integer :: i, j, s

  do j = 1, m
    do i = 1, n
      do s = 1, 3
        y(i,j) = y(i,j) + s*(p(i)/(1 + q(j)*q(j))) - p(i+1)/(1 + q(j)*q(j))
      end do
    end do
  end do
end subroutine rule_tile

!$loopy begin
!
! knl = lp.parse_fortran(SOURCE, FILENAME)
! knl = lp.extract_subst(knl, "f", "p[a]/(1 + q[b]*q[b])", parameters="a, b")
! knl = lp.split_iname(knl, "i", 8, outer_tag="g.0", inner_tag="l.0")
! knl = lp.split_iname(knl, "j", 4, outer_tag="g.1", inner_tag="l.1")
! knl = lp.precompute(knl, "f", ["i_inner", "j_inner"], default_tag="l.auto")
! RESULT = knl
!
!$loopy end
