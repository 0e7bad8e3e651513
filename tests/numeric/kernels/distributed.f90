! One loop becomes two, with a global barrier between: the second reads what other groups wrote.
subroutine distributed(n, x, y, z)
  implicit none
  integer, intent(in) :: n
  real*8, intent(in) :: x(n)
  real*8, intent(inout) :: y(n), z(n)
  integer :: i

  do i = 1, n
    y(i) = x(i) + 1
    if (i > 3) z(i) = y(i-3)*x(i)
  end do
end subroutine distributed

!$loopy begin
!
! knl = lp.parse_fortran(SOURCE, FILENAME)
! knl = lp.duplicate_inames(knl, "i", within="writes:y", new_inames=["first"])
! knl = lp.add_barrier(knl, "writes:y", "writes:z")
! knl = lp.split_iname(knl, "first", 16, outer_tag="g.0", inner_tag="l.0")
! knl = lp.split_iname(knl, "i", 32, outer_tag="g.0", inner_tag="l.0")
! RESULT = knl
!
!$loopy end
