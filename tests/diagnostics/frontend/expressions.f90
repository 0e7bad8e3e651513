subroutine s(n, x, k, flag)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: x(n)
  integer, intent(inout) :: k(n)
  logical, intent(in) :: flag
  real(8) :: scalar
  integer :: i
  integer, parameter :: np = 3
  do i = 1, n
    x(i) = sqroot(x(i)) + y
    x(i) = x(i, 1) + scalar(2) + np(1)
    x(i) = x(1.5) + x(flag)
    x = 0
    x(i) = x(1:2)
    x(i) = x
    x(i) = flag
    k(i) = flag .and. i
    k(i) = .not. i
    if (k(i)) x(i) = 0
    if (flag == .true.) x(i) = 0
    x(i) = sqrt(i) + mod(1.0, 2) + atan2(1.0d0)
    x(i) = merge(1.0, 2.0d0, flag) + real(1, kind=3) + abs()
    x(i) = sum(x) + ishftc(i, 2)
    x(i) = 'a' // 'b'
    x(i) = (1.0, 2.0)
    x(i) = a%b + [1, 2]
    x(i) = i .dot. i
    k(i) = 2147483648 + 200_1
    n = 2
    np = 2
    i = 2
    sin(i) = 3
    x(i) = max(1) + kind(1, 2)
    x(i) = x(((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((i)))))))))))))))))))))))))))))))))))&
      &)))))))))))))))))))))))))))))))
  end do
end subroutine s
