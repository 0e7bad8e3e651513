! Two loops over the same elements: the same work-item owns an element in both, so one launch will do.
subroutine fill_twice(n, a, factor, out)
  implicit none
  integer, intent(in) :: n
  real*8, intent(in) :: a, factor
  real*8, intent(out) :: out(n)
  integer :: i

  do i = 1, n
    out(i) = a
  end do
  do i = 1, n
    out(i) = out(i)*factor + i
  end do
end subroutine fill_twice

!$loopy begin
!
! fill = lp.parse_fortran(SOURCE, FILENAME)
! fill = lp.split_iname(fill, "i", 128, outer_tag="g.0", inner_tag="l.0")
! fill = lp.split_iname(fill, "i_1", 128, outer_tag="g.0", inner_tag="l.0")
! RESULT = fill
!
!$loopy end
