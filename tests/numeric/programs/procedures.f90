! Procedures without a script, chosen for what has gone wrong elsewhere: names, shapes, kinds, orders.
module numbers
  implicit none
  integer, parameter :: dp = selected_real_kind(12), long = selected_int_kind(18)
  integer, parameter :: width = 3
  real(dp), parameter :: weights(width) = [0.25_dp, 0.5_dp, 0.25_dp]
  interface scaled
    module procedure scale_real, scale_integer
  end interface

contains

  ! Assumed shape, lower bounds other than 1, actual arguments with gaps.
  subroutine shift_columns(u, v)
    real(dp), intent(in) :: u(0:,-1:)
    real(dp), intent(inout) :: v(:,:)
    integer :: i, j
    do j = 1, size(v, 2)
      do i = 1, size(v, 1)
        v(i,j) = v(i,j) + 2*u(i-1,j-2)
      end do
    end do
  end subroutine shift_columns

  subroutine scale_real(n, a, x)
    integer, intent(in) :: n
    real(dp), intent(in) :: a
    real(dp), intent(inout) :: x(n)
    integer :: i
    do i = 1, n
      x(i) = a*x(i)
    end do
  end subroutine scale_real

  subroutine scale_integer(n, a, x)
    integer, intent(in) :: n, a
    integer, intent(inout) :: x(n)
    integer :: i
    do i = 1, n
      x(i) = a*x(i)
    end do
  end subroutine scale_integer

  ! A constant array of the module, and a local array that each iteration owns.
  subroutine smooth(n, x, y)
    integer, intent(in) :: n
    real(dp), intent(in) :: x(n)
    real(dp), intent(inout) :: y(n)
    real(dp) :: part(width)
    integer :: i, k
    do i = 2, n - 1
      do k = 1, width
        part(k) = weights(k)*x(i+k-2)
      end do
      y(i) = part(1) + part(2) + part(3)
    end do
  end subroutine smooth

  ! Scalars come back.
  subroutine totals(n, x, total, largest, where_)
    integer, intent(in) :: n
    real(dp), intent(in) :: x(n)
    real(dp), intent(out) :: total
    real(dp), intent(inout) :: largest
    integer, intent(out) :: where_
    integer :: i
    total = 0
    where_ = 0
    do i = 1, n
      total = total + x(i)
      if (x(i) > largest) then
        largest = x(i)
        where_ = i
      end if
    end do
  end subroutine totals
end module numbers

! Names that mean something in C, in OpenCL, or in what fortrancl writes.
subroutine launch(kernel, global, barrier, get_global_id, half, m_off)
  implicit none
  integer, intent(in) :: kernel
  real(8), intent(inout) :: global(kernel), barrier(kernel)
  real(8), intent(in) :: get_global_id(kernel), half
  integer, intent(in) :: m_off
  real(8) :: float, fcl_idx
  integer :: while, long
  do while = 1, kernel
    fcl_idx = get_global_id(while)
    float = half*fcl_idx
    long = while + m_off
    global(while) = float + long
    barrier(while) = barrier(while) - fcl_idx
  end do
end subroutine launch

subroutine a_procedure_with_a_name_of_sixty_three_characters_in_all_abcdef( &
    an_argument_with_a_name_of_sixty_three_characters_as_well_abcde, x)
  implicit none
  integer, intent(in) :: an_argument_with_a_name_of_sixty_three_characters_as_well_abcde
  real(8), intent(inout) :: x(an_argument_with_a_name_of_sixty_three_characters_as_well_abcde)
  integer :: i
  do i = 1, an_argument_with_a_name_of_sixty_three_characters_as_well_abcde
    x(i) = x(i) + i
  end do
end subroutine a_procedure_with_a_name_of_sixty_three_characters_in_all_abcdef

! Shapes that are products and quotients of arguments; rows of different length.
subroutine shapes(n, m, a, b, c)
  implicit none
  integer, intent(in) :: n, m
  real(8), intent(in) :: a(n*m), b(0:n/2, -m:m)
  real(8), intent(inout) :: c(2*n+1, m)
  integer :: i, j
  do j = 1, m
    do i = 0, n/2
      c(2*i+1,j) = c(2*i+1,j) + b(i,-j) - b(i,j) + a(j + m*(n-1))
    end do
  end do
end subroutine shapes

! Loops in loops whose ranges overlap only partly, conditions on both indices.
subroutine bands(n, a)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: a(n,n)
  integer :: i, j
  do i = 1, n
    do j = max(1, i - 2), min(n, i + 2)
      if (j /= i .and. mod(i + j, 2) == 0) then
        a(i,j) = a(i,j)*2 - i
      else if (i > j) then
        a(i,j) = -j
      end if
    end do
  end do
end subroutine bands

! Powers, signs, roundings and remainders of both signs.
subroutine arithmetic(n, k, x, y, r)
  implicit none
  integer, intent(in) :: n
  integer, intent(inout) :: k(n)
  real(8), intent(in) :: x(n)
  real(8), intent(inout) :: y(n)
  real(4), intent(inout) :: r(n)
  integer :: i
  do i = 1, n
    y(i) = x(i)**3 - (-x(i))**2 + x(i)**(-1) + 2.5d0**mod(i, 4) - (-2)**mod(i, 5)
    y(i) = y(i) + mod(x(i), 0.7d0) + modulo(-x(i), 0.7d0) + sign(1.5d0, -x(i)) + aint(-x(i)*3) + anint(x(i)*3)
    y(i) = y(i) - nint(x(i)*5) - floor(-x(i)*7) + ceiling(x(i)*7) + int(-x(i)*9) + abs(-k(i)) + dim(x(i), 0.5d0)
    r(i) = r(i)*r(i)/3 + 1.1*i - real(x(i)) + r(i)**2
    k(i) = k(i)/3*3 - mod(-k(i), 4) + modulo(-k(i), 4) + ieor(k(i), 5) + ishft(k(i), -1) + max(k(i), 3, i) - min(-i, k(i)) &
      + sign(4, -k(i)) + ibset(0, mod(i, 8)) + merge(1, 0, btest(k(i), 1))
  end do
end subroutine arithmetic

! A loop that only shifts, forwards and backwards: the order decides.
subroutine order(n, x, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(inout) :: x(n), y(n)
  integer :: i
  do i = 1, n - 1
    x(i) = x(i+1) + 1
  end do
  do i = n, 2, -1
    y(i) = y(i-1) + x(i-1)
  end do
  do i = 2, n
    x(i) = x(i) + x(i-1)
  end do
end subroutine order

! What one loop wrote the next reads elsewhere; a local array lives between them.
subroutine between(n, x, y)
  implicit none
  integer, intent(in) :: n
  real(8), intent(in) :: x(n)
  real(8), intent(inout) :: y(n)
  real(8) :: t(n), s
  integer :: i
  s = 0.5d0
  do i = 1, n
    t(i) = s*x(i)
  end do
  s = s + 1
  do i = 1, n
    y(i) = t(n+1-i) + s*t(i)
  end do
end subroutine between
