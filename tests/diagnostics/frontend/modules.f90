module shared
  integer, parameter :: dp = kind(1d0)
  real(dp) :: state
  type :: point
    real :: x
  end type point
end module shared

module m
  use shared, only: dp, state, missing, point
  use elsewhere, only: h
  implicit none
  integer, parameter :: unsupported_kind = selected_real_kind(30)
contains
  subroutine s(n, x)
    use nowhere
    integer, intent(in) :: n
    real(dp), intent(inout) :: x(n)
    x(1) = state
    x(2) = missing
    x(3) = h
    x(4) = other
    x(5) = 1.0_unsupported_kind
    x(6) = inner(3)
  contains
    integer function inner(i)
      integer :: i
      inner = i
    end function inner
  end subroutine s
  function f(x)
    real(dp) :: x, f
    f = x
  end function f
end module m
