! A local array that a global barrier cuts through becomes one in global memory.
subroutine pieces(n, x, y)
  implicit none
  integer, intent(in) :: n
  real*8, intent(in) :: x(n)
  real*8, intent(inout) :: y(n)
  real*8 :: t(n)
  integer :: i

  do i = 1, n
    t(i) = 2*x(i) + i
  end do
  do i = 1, n
    y(i) = t(n+1-i) - t(i)
  end do
end subroutine pieces

!$loopy begin
!
! knl = lp.parse_fortran(SOURCE, FILENAME)
! knl = lp.add_barrier(knl, "writes:t", "writes:y")
! for iname in ["i", "i_1"]:
!     knl = lp.split_iname(knl, iname, 16, outer_tag="g.0", inner_tag="l.0")
! RESULT = knl
!
!$loopy end
