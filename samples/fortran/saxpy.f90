! y = y + a*x. No script: fortrancl proves the loop parallel and maps it by itself.
subroutine saxpy(n, a, x, y)
  implicit none
  integer, intent(in) :: n
  real, intent(in) :: a, x(n)
  real, intent(inout) :: y(n)
  integer :: i

  do i = 1, n
    y(i) = y(i) + a*x(i)
  end do
end subroutine saxpy
