! Two loops, the second of which reads what the first wrote elsewhere: two launches with a global barrier between.
subroutine fill_scale(n, a, x, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: a
  real(8), intent(inout) :: x(n), y(n)
  integer :: i, j

  do i = 1, n
    x(i) = a*i
  end do
  do j = 1, n
    y(j) = 2d0*x(n+1-j)
  end do
end subroutine fill_scale

!$loopy begin
!
! k = lp.parse_fortran(SOURCE, FILENAME)
! k = lp.split_iname(k, "i", 128, outer_tag="g.0", inner_tag="l.0")
! k = lp.split_iname(k, "j", 128)
! k = lp.add_barrier(k, "writes:x", "writes:y")
! k = lp.tag_inames(k, {"j_outer": "g.0", "j_inner": "l.0"})
! RESULT = k
!
!$loopy end
