! Copies spread over the work-items of the group without saying which axis takes which loop.
subroutine automatic_lanes(n, m, a, b)
  implicit none
  integer, intent(in) :: n, m
  real*8, intent(in) :: a(n,m)
  real*8, intent(inout) :: b(m,n)
  integer :: i, j

  do i = 1, n
    do j = 1, m
      b(j,i) = a(i,j)
    end do
  end do
end subroutine automatic_lanes

!$loopy begin
!
! # A transpose: rows are read along the columns' order, and written along the other.
! knl = lp.parse_fortran(SOURCE, FILENAME)
! knl = lp.split_iname(knl, "i", 16, outer_tag="g.1", inner_tag="l.1")
! knl = lp.split_iname(knl, "j", 16, outer_tag="g.0", inner_tag="l.0")
! knl = lp.add_prefetch(knl, "a", ["i_inner", "j_inner"], default_tag="l.auto")
! RESULT = knl
!
!$loopy end
