subroutine s(n, x, y, a, b, k)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: x(n), y(n), a(3, n), b(*)
  integer, intent(in) :: k(n)
  real(8) :: t
  x(1:n) = x(n:1:-1)
  x = x(1) + y
  x(2:n-1) = x(1:n-2) + x(3:n)
  x = x(k)
  x = a
  a(:, 1) = x(1:3) + a(1, :)*a
  b = 0
  x(::n) = 1
  t = x + y
  where (x > 0) t = 1
  where (x > 0)
    x = y(n:1:-1)
    y = 2
  end where
  where (x > 0)
    where (y > 0) x = 3
  elsewhere
    x = 2
  elsewhere (y > 0)
    x = 1
  end where
end subroutine s
