! Steps that are negative or leave gaps; a recurrence that runs down stays sequential in each column.
subroutine backwards(n, m, x, k)
  implicit none
  integer, intent(in) :: n, m
  real*8, intent(inout) :: x(n,m)
  integer, intent(inout) :: k(n)
  integer :: i, j

  do i = n - 1, 1, -1
    do j = m, 1, -1
      x(i,j) = x(i,j) + 0.5d0*x(i+1,j)
    end do
  end do
  do i = n, 2, -3
    k(i) = k(i)*10 + i
  end do
end subroutine backwards

!$loopy begin
!
! knl = lp.parse_fortran(SOURCE, FILENAME)
! knl = lp.prioritize_loops(knl, ["j", "i"])
! knl = lp.split_iname(knl, "j", 4, outer_tag="g.0", inner_tag="l.0")
! knl = lp.split_iname(knl, "i_1", 4, outer_tag="g.0", inner_tag="l.0")
! RESULT = knl
!
!$loopy end
