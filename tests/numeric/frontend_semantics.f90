! Subroutines that tests/numeric/test_frontend_semantics.py runs twice: gfortran's build, and the kernel interpreted.

subroutine order_of_minus(n, x, y, z, k, m)
  implicit none
  integer, intent(in) :: n
  real(8) :: x(n), y(n), z(n)
  integer :: k(n), m(n)
  integer :: i, j, q
  real(8) :: t
  do i = 1, n
    x(i) = y(i) - z(i) - 1.5d0 - (y(i) - (z(i) - x(i)))
  end do
end subroutine order_of_minus

subroutine power(n, x, y, z, k, m)
  implicit none
  integer, intent(in) :: n
  real(8) :: x(n), y(n), z(n)
  integer :: k(n), m(n)
  integer :: i, j, q
  real(8) :: t
  do i = 1, n
    x(i) = -y(i)**2 + 2d0**m(i)
    k(i) = 2**(-i) + (-1)**i + m(i)**2
  end do
end subroutine power

subroutine integer_division(n, x, y, z, k, m)
  implicit none
  integer, intent(in) :: n
  real(8) :: x(n), y(n), z(n)
  integer :: k(n), m(n)
  integer :: i, j, q
  real(8) :: t
  do i = 1, n
    k(i) = m(i)/3 + (-i)/2*2
    x(i) = i/2
  end do
end subroutine integer_division

subroutine single_precision(n, x, y, z, k, m)
  implicit none
  integer, intent(in) :: n
  real(8) :: x(n), y(n), z(n)
  integer :: k(n), m(n)
  integer :: i, j, q
  real(8) :: t
  real :: r
  do i = 1, n
    r = y(i)
    x(i) = 0.1*z(i) + r*r + 1.1
  end do
end subroutine single_precision

subroutine step_three(n, x, y, z, k, m)
  implicit none
  integer, intent(in) :: n
  real(8) :: x(n), y(n), z(n)
  integer :: k(n), m(n)
  integer :: i, j, q
  real(8) :: t
  do i = 2, n, 3
    x(i) = y(i)
  end do
end subroutine step_three

subroutine step_back(n, x, y, z, k, m)
  implicit none
  integer, intent(in) :: n
  real(8) :: x(n), y(n), z(n)
  integer :: k(n), m(n)
  integer :: i, j, q
  real(8) :: t
  do i = n - 1, 1, -1
    x(i) = x(i+1) + y(i)
  end do
end subroutine step_back

subroutine step_back_by_two(n, x, y, z, k, m)
  implicit none
  integer, intent(in) :: n
  real(8) :: x(n), y(n), z(n)
  integer :: k(n), m(n)
  integer :: i, j, q
  real(8) :: t
  do i = n, 2, -2
    x(i) = x(i-1) + i
  end do
  k(1) = i
end subroutine step_back_by_two

subroutine no_iteration(n, x, y, z, k, m)
  implicit none
  integer, intent(in) :: n
  real(8) :: x(n), y(n), z(n)
  integer :: k(n), m(n)
  integer :: i, j, q
  real(8) :: t
  do i = n, 1
    x(i) = 9
  end do
  k(1) = i
  do i = 1, n, -1
    x(i) = 8
  end do
  k(2) = i
end subroutine no_iteration

subroutine last_values(n, x, y, z, k, m)
  implicit none
  integer, intent(in) :: n
  real(8) :: x(n), y(n), z(n)
  integer :: k(n), m(n)
  integer :: i, j, q
  real(8) :: t
  do i = 1, n, 4
    do j = i, n, 3
      x(j) = x(j) + i
    end do
    k(i) = j
  end do
  k(2) = i + j
end subroutine last_values

subroutine variable_both_ways(n, x, y, z, k, m)
  implicit none
  integer, intent(in) :: n
  real(8) :: x(n), y(n), z(n)
  integer :: k(n), m(n)
  integer :: i, j, q
  real(8) :: t
  i = 3
  x(i) = 7
  do i = i, n
    x(i) = x(i) + i
  end do
  k(1) = i
  i = i - 8
  x(i) = -1
end subroutine variable_both_ways

subroutine triangle(n, x, y, z, k, m)
  implicit none
  integer, intent(in) :: n
  real(8) :: x(n), y(n), z(n)
  integer :: k(n), m(n)
  integer :: i, j, q
  real(8) :: t
  do i = 1, n
    do j = 1, i
      x(i) = x(i) + y(j)*j
    end do
  end do
end subroutine triangle

subroutine bounds_of_mod(n, x, y, z, k, m)
  implicit none
  integer, intent(in) :: n
  real(8) :: x(n), y(n), z(n)
  integer :: k(n), m(n)
  integer :: i, j, q
  real(8) :: t
  do i = 1, n
    do j = 1, mod(i, 3) + 1
      x(i) = x(i) + j
    end do
  end do
end subroutine bounds_of_mod

subroutine bounds_of_data(n, x, y, z, k, m)
  implicit none
  integer, intent(in) :: n
  real(8) :: x(n), y(n), z(n)
  integer :: k(n), m(n)
  integer :: i, j, q
  real(8) :: t
  do i = 1, n
    do j = m(i), k(i), 2
      x(i) = x(i) + j
    end do
  end do
  k(1) = j
end subroutine bounds_of_data

subroutine guarded_bounds_of_data(n, x, y, z, k, m)
  implicit none
  integer, intent(in) :: n
  real(8) :: x(n), y(n), z(n)
  integer :: k(n), m(n)
  integer :: i, j, q
  real(8) :: t
  do i = 1, n
    if (y(i) > 0) then
      do j = 1, k(i)
        x(j) = x(j) + z(i)
      end do
    end if
  end do
end subroutine guarded_bounds_of_data

subroutine changing_bound(n, x, y, z, k, m)
  implicit none
  integer, intent(in) :: n
  real(8) :: x(n), y(n), z(n)
  integer :: k(n), m(n)
  integer :: i, j, q
  real(8) :: t
  q = 3
  do i = 1, q
    q = q + 1
    x(i) = q
  end do
end subroutine changing_bound

subroutine sizes(n, x, y, z, k, m)
  implicit none
  integer, intent(in) :: n
  real(8) :: x(n), y(n), z(n)
  integer :: k(n), m(n)
  integer :: i, j, q
  real(8) :: t
  integer :: nm1, half
  nm1 = n - 1
  half = nm1/2
  do i = 2, nm1
    x(i) = half + y(i-1)
  end do
  x(half) = 0
end subroutine sizes

subroutine labels(n, x, y, z, k, m)
  implicit none
  integer, intent(in) :: n
  real(8) :: x(n), y(n), z(n)
  integer :: k(n), m(n)
  integer :: i, j, q
  real(8) :: t
  do 10 i = 1, n
    do 10 j = 1, 2
  10 x(i) = x(i) + y(j)
  do 20 i = 1, 3
    k(i) = i
  20 continue
end subroutine labels

subroutine if_chain(n, x, y, z, k, m)
  implicit none
  integer, intent(in) :: n
  real(8) :: x(n), y(n), z(n)
  integer :: k(n), m(n)
  integer :: i, j, q
  real(8) :: t
  do i = 1, n
    if (y(i) > 1) then
      x(i) = 1
    else if (y(i) > 0 .and. i > 3) then
      x(i) = 2
    else if (i == 3) then
      x(i) = 4
    else
      x(i) = 3
    end if
  end do
end subroutine if_chain

subroutine if_changes_what_it_read(n, x, y, z, k, m)
  implicit none
  integer, intent(in) :: n
  real(8) :: x(n), y(n), z(n)
  integer :: k(n), m(n)
  integer :: i, j, q
  real(8) :: t
  do i = 1, n
    if (x(i) < 1) then
      x(i) = 5
      y(i) = x(i)
    else
      x(i) = 0
    end if
  end do
end subroutine if_changes_what_it_read

subroutine affine_conditions(n, x, y, z, k, m)
  implicit none
  integer, intent(in) :: n
  real(8) :: x(n), y(n), z(n)
  integer :: k(n), m(n)
  integer :: i, j, q
  real(8) :: t
  do i = 1, n
    if (mod(i, 2) == 0 .or. i > 7) x(i) = -x(i)
    if (.not. (i < 3)) y(i) = x(i-2)
  end do
end subroutine affine_conditions

subroutine guard_before_bound(n, x, y, z, k, m)
  implicit none
  integer, intent(in) :: n
  real(8) :: x(n), y(n), z(n)
  integer :: k(n), m(n)
  integer :: i, j, q
  real(8) :: t
  do i = 1, n
    if (y(i) > 0 .and. i < n) x(i) = y(i+1)
  end do
end subroutine guard_before_bound

subroutine logicals(n, x, y, z, k, m)
  implicit none
  integer, intent(in) :: n
  real(8) :: x(n), y(n), z(n)
  integer :: k(n), m(n)
  integer :: i, j, q
  real(8) :: t
  logical :: a, b, c(2)
  do i = 1, n
    a = y(i) > 0
    b = z(i) > 0 .eqv. a
    c(1) = a .neqv. b
    c(2) = .not. c(1) .or. a .and. b
    if (c(2)) x(i) = 1
    k(i) = merge(1, 0, c(1))
  end do
end subroutine logicals

subroutine cycle_affine(n, x, y, z, k, m)
  implicit none
  integer, intent(in) :: n
  real(8) :: x(n), y(n), z(n)
  integer :: k(n), m(n)
  integer :: i, j, q
  real(8) :: t
  do i = 1, n
    if (mod(i, 2) == 0) cycle
    x(i) = 7
  end do
end subroutine cycle_affine

subroutine cycle_in_arms(n, x, y, z, k, m)
  implicit none
  integer, intent(in) :: n
  real(8) :: x(n), y(n), z(n)
  integer :: k(n), m(n)
  integer :: i, j, q
  real(8) :: t
  do i = 1, n
    if (y(i) > 0) then
      x(i) = 1
      if (z(i) > 0) cycle
      x(i) = 2
    else if (k(i) > 5) then
      cycle
    end if
    y(i) = 0
  end do
end subroutine cycle_in_arms

subroutine select(n, x, y, z, k, m)
  implicit none
  integer, intent(in) :: n
  real(8) :: x(n), y(n), z(n)
  integer :: k(n), m(n)
  integer :: i, j, q
  real(8) :: t
  do i = 1, n
    select case (m(i))
    case (:-5)
      x(i) = 1
    case default
      x(i) = 4
    case (-1, 5:7)
      x(i) = 2
    case (8:)
      x(i) = 3
    end select
    select case (i)
    case (2:4)
      cycle
    end select
    k(i) = -k(i)
  end do
end subroutine select

subroutine early_return(n, x, y, z, k, m)
  implicit none
  integer, intent(in) :: n
  real(8) :: x(n), y(n), z(n)
  integer :: k(n), m(n)
  integer :: i, j, q
  real(8) :: t
  if (n < 2) return
  x(1) = 1
  if (m(1) < 0) then
    x(2) = 2
    return
  end if
  x(3) = 3
end subroutine early_return

subroutine late_return(n, x, y, z, k, m)
  implicit none
  integer, intent(in) :: n
  real(8) :: x(n), y(n), z(n)
  integer :: k(n), m(n)
  integer :: i, j, q
  real(8) :: t
  x(1) = 1
  if (m(1) < 0) then
    if (m(2) < 0) return
    x(2) = 2
  end if
  x(3) = 3
  return
end subroutine late_return

subroutine lower_bounds(n, x, y, z, k, m)
  implicit none
  integer, intent(in) :: n
  real(8) :: x(n), y(n), z(n)
  integer :: k(n), m(n)
  integer :: i, j, q
  real(8) :: t
  real(8) :: w(0:4), v(-2:2, 3)
  do i = 0, 4
    w(i) = i
    v(i-2, 2) = 2*i
  end do
  do i = 1, n
    x(i) = w(mod(i, 5)) + v(2-mod(i,5), 2)
  end do
end subroutine lower_bounds

subroutine constants(n, x, y, z, k, m)
  implicit none
  integer, intent(in) :: n
  real(8) :: x(n), y(n), z(n)
  integer :: k(n), m(n)
  integer :: i, j, q
  real(8) :: t
  integer, parameter :: np = 4, dp = kind(1d0)
  real(dp), parameter :: h = 1.0_dp/3, tab(np) = [1.5_dp, h, 2*h, -1.0_dp]
  integer, parameter :: sq(2:4) = [(i*i, i = 2, 4)]
  real, parameter :: tenth = 0.1
  logical, parameter :: on = np > 3
  do i = 1, np
    x(i) = tab(i)*h + tenth
    if (on) k(i) = sq(3) + sq(mod(i, 3) + 2)
  end do
  k(9) = np**2/3
  x(9) = huge(1)
end subroutine constants

subroutine integer_intrinsics(n, x, y, z, k, m)
  implicit none
  integer, intent(in) :: n
  real(8) :: x(n), y(n), z(n)
  integer :: k(n), m(n)
  integer :: i, j, q
  real(8) :: t
  do i = 1, n
    k(i) = abs(m(i)) + mod(m(i), 3)*10 + modulo(m(i), 3)*100 + sign(5, m(i))*1000 + dim(m(i), 2)
  end do
  do i = 1, n
    m(i) = iand(m(i), 12) + ior(m(i), 5) - ieor(m(i), 3) + not(m(i)) + ishft(m(i), 2) + ishft(m(i), &
      & -30) + merge(1, 0, btest(m(i), 1)) + ibset(m(i), 4) + ibclr(m(i), 0) + max(m(i), i, 3) - min(m(i), 2)
  end do
end subroutine integer_intrinsics

subroutine roundings(n, x, y, z, k, m)
  implicit none
  integer, intent(in) :: n
  real(8) :: x(n), y(n), z(n)
  integer :: k(n), m(n)
  integer :: i, j, q
  real(8) :: t
  do i = 1, n
    k(i) = int(y(i)) + 10*nint(y(i)) + 100*floor(y(i)) + 1000*ceiling(y(i))
    x(i) = aint(y(i)) + anint(z(i)) + real(int(floor(z(i), 8) + nint(y(i), 8) + ceiling(y(i), kind=8)), 8)
  end do
end subroutine roundings

subroutine real_intrinsics(n, x, y, z, k, m)
  implicit none
  integer, intent(in) :: n
  real(8) :: x(n), y(n), z(n)
  integer :: k(n), m(n)
  integer :: i, j, q
  real(8) :: t
  do i = 1, n
    x(i) = sqrt(abs(y(i))) + exp(z(i)/5) + atan2(y(i), z(i)) + sin(y(i))*cos(z(i)) + tan(y(i)/9)
    y(i) = log(abs(z(i))) + log10(abs(z(i))) + sinh(y(i)/4) + cosh(y(i)/4) + tanh(y(i)) + hypot(y(i), z(i))
    z(i) = asin(z(i)/10) + acos(z(i)/10) + atan(z(i)) + sign(y(i), z(i)) + mod(y(i), 1.5d0)  &
      & + modulo(z(i), 1.5d0) + dim(y(i), z(i)) + max(y(i), z(i), 1d0) + min(y(i), 0d0)
  end do
end subroutine real_intrinsics

subroutine specific_names(n, x, y, z, k, m)
  implicit none
  integer, intent(in) :: n
  real(8) :: x(n), y(n), z(n)
  integer :: k(n), m(n)
  integer :: i, j, q
  real(8) :: t
  real :: r, s
  double precision :: dsqrt
  r = 2.25
  s = -1.5
  x(1) = dsqrt(dabs(y(1))) + dexp(1d0) + dmax1(y(1), z(1)) + dmod(y(2), 2d0) + dsign(1d0, y(1))
  x(2) = amax1(r, s) + amin0(3, 4) + float(n) + sngl(y(1)) + alog(r) + amod(r, s)
  k(1) = iabs(m(1)) + max0(1, n) + max1(r, s) + ifix(r) + idint(y(1)) + idnint(y(1)) + isign(3, m(1))  &
      & + idim(5, 3)
  x(3) = dble(r)*s + dprod(r, s)
end subroutine specific_names

subroutine conversions(n, x, y, z, k, m)
  implicit none
  integer, intent(in) :: n
  real(8) :: x(n), y(n), z(n)
  integer :: k(n), m(n)
  integer :: i, j, q
  real(8) :: t
  integer(8) :: wide
  integer(2) :: small
  wide = 3000000000_8
  small = 7
  do i = 1, n
    x(i) = wide*i + real(y(i)) + int(z(i), 8)
    k(i) = int(wide/1000000) + small
    y(i) = m(i)
  end do
end subroutine conversions

subroutine wide_loops(n, x, y, z, k, m)
  implicit none
  integer, intent(in) :: n
  real(8) :: x(n), y(n), z(n)
  integer :: k(n), m(n)
  integer :: i, j, q
  real(8) :: t
  integer(8) :: w
  do w = 1, n
    x(w) = w*1000000000
  end do
  do w = int(n, 8), 3_8, -3_8
    y(w) = 2*w + 1
  end do
  x(1) = w
end subroutine wide_loops

subroutine shadowing(n, x, y, z, k, m)
  implicit none
  integer, intent(in) :: n
  real(8) :: x(n), y(n), z(n)
  integer :: k(n), m(n)
  integer :: i, j, q
  real(8) :: t
  real(8) :: sum(10), scale(3, 2)
  do i = 1, n
    sum(i) = y(i)
    scale(mod(i, 3) + 1, 1) = i
  end do
  x(1) = sum(3) + scale(2, 1)
end subroutine shadowing

subroutine mixed_case(n, x, y, z, k, m)
  implicit none
  integer, intent(in) :: n
  real(8) :: x(n), y(n), z(n)
  integer :: k(n), m(n)
  integer :: i, j, q
  real(8) :: t
  DO I = 1, N
    X(I) = Y(i)
  End Do
end subroutine mixed_case

subroutine continued(n, x, y, z, k, m)
  implicit none
  integer, intent(in) :: n
  real(8) :: x(n), y(n), z(n)
  integer :: k(n), m(n)
  integer :: i, j, q
  real(8) :: t
  do i = 1, &
        n ! to the end
    x(i) = y(i) & ! first

        & + z(i); k(i) = 3
  end do
end subroutine continued

subroutine inner_scalars(n, x, y, z, k, m)
  implicit none
  integer, intent(in) :: n
  real(8) :: x(n), y(n), z(n)
  integer :: k(n), m(n)
  integer :: i, j, q
  real(8) :: t
  do i = 1, n
    t = y(i)*2
    x(i) = t
    t = z(i) + 1
    y(i) = t
  end do
  x(1) = t
end subroutine inner_scalars

subroutine gather(n, x, y, z, k, m)
  implicit none
  integer, intent(in) :: n
  real(8) :: x(n), y(n), z(n)
  integer :: k(n), m(n)
  integer :: i, j, q
  real(8) :: t
  do i = 1, n
    x(i) = y(k(i) + 1) + z(n - k(i))
  end do
end subroutine gather

subroutine whole_arrays(n, x, y, z, k, m)
  implicit none
  integer, intent(in) :: n
  real(8) :: x(n), y(n), z(n)
  integer :: k(n), m(n)
  real(8) :: a(0:2, 3), b(3, 0:2)
  integer :: i
  a = 1.5d0
  b = a + 2
  a(:, 2) = b(:, 0)*y(1)
  a(1, :) = z(1:3)
  b = max(a*b, 4d0)
  x = y + z*b(2, 1)
  do i = 1, 3
    y(i) = a(i-1, 2) + b(i, 2)
  end do
  do i = 2, 3
    a(:, i) = a(:, i-1)*y(i)
  end do
  z(4:6) = a(:, 3)
  m = k*2
  k = m(k + 1)
end subroutine whole_arrays

subroutine sections_that_overlap(n, x, y, z, k, m)
  implicit none
  integer, intent(in) :: n
  real(8) :: x(n), y(n), z(n)
  integer :: k(n), m(n)
  x(2:n) = x(1:n-1)
  y(1:n-1) = y(2:n) + y(1:n-1)
  z(n:2:-1) = z(n-1:1:-1)
  x(1:n:3) = -x(1:n:3)
  x(n:1:-4) = 7
  y(3:) = y(:n-2)
end subroutine sections_that_overlap

subroutine masked(n, x, y, z, k, m)
  implicit none
  integer, intent(in) :: n
  real(8) :: x(n), y(n), z(n)
  integer :: k(n), m(n)
  real(8) :: a(2, 5)
  a = 3
  where (y > 0) x = -1
  where (y > 1)
    z = sqrt(y)
    x = z
  elsewhere (z > 0)
    z = x*z
  elsewhere
    x = z
    z = 0
  end where
  where (a(:, 2:4) > 1) a(:, 2:4) = 2
  x(1:5) = a(1, :)
end subroutine masked
