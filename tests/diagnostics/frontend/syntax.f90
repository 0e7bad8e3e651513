subroutine s(n, x)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: x(n)
  integer :: i
  do i = 1, n
    x(i) = x(i) + (2
    x(i) = (x(i) + 1))
    x(i) = x(i)*-2
    x(i) = 1 + sqrt(x(i) x(1)) + 2
    x(i) = x(i) + &
      3 4
    x(i) = &
      x(i) +
    x(i) = "abc
    do i, n
    end do
  end do
  if (x(1) > 0) then
    else if (x(2) > 0)
  end do
  select case (n)
  case 3
  end select
  case (4)
  foo bar
end subroutine s
