subroutine s(n, x, c, p, o, q, r, t, f)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: x(n, m)
  character(len=*), intent(in) :: c
  real, pointer :: p(:)
  real, optional :: o
  real(16) :: q
  type(point) :: r
  integer :: n
  complex :: unused
  real, allocatable :: work(:)
  integer, save :: calls = 0
  common /block/ a, b
  real :: a, b
  integer, parameter :: k = n + 1, two = 2, wrong(3) = [1, 2]
  integer, parameter :: big = 3000000000_8
  real(kind=wp) :: w
  real :: y(n, *)
  external f
  calls = calls + 1
  work(1) = a
  x(1, 1) = unused
end subroutine s

subroutine u(n, x)
  integer :: n
  real :: x(n), z(nn)
  n = n - 1
  x(1) = n
end subroutine u

subroutine v(x, *)
  real x
  entry other(x)
  x = 1
end subroutine v

pure subroutine w(x)
  real, intent(inout) :: x
  x = 1
end subroutine w
