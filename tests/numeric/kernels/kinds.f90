! Integers of four kinds, logicals, single precision, and conversions between them.
subroutine kinds(n, i1, i2, i4, i8, r4, r8, flag, on)
  implicit none
  integer, intent(in) :: n
  integer(1), intent(inout) :: i1(n)
  integer(2), intent(inout) :: i2(n)
  integer(4), intent(inout) :: i4(n)
  integer(8), intent(inout) :: i8(n)
  real(4), intent(inout) :: r4(n)
  real(8), intent(inout) :: r8(n)
  logical, intent(inout) :: flag(n)
  logical, intent(in) :: on
  integer :: i
  real(4) :: t

  do i = 1, n
    t = r4(i)*r4(i) + 0.1
    flag(i) = (flag(i) .and. on) .or. t > 0.5 .eqv. i4(i) >= 0
    i8(i) = i8(i)*i4(i) + i2(i)/3
    i4(i) = mod(i4(i), 7) + modulo(i4(i), 7)*8 + ishft(iand(i4(i), 12), 4)
    i2(i) = i2(i)/4 - i1(i)
    i1(i) = -i1(i)
    r8(i) = r8(i)/3 + t
    r4(i) = t**2 - 2.5*i4(i)
    if (flag(i)) r8(i) = r8(i) + 0.1
  end do
end subroutine kinds

!$loopy begin
!
! knl = lp.parse_fortran(SOURCE, FILENAME)
! knl = lp.split_iname(knl, "i", 16, outer_tag="g.0", inner_tag="l.0")
! RESULT = knl
!
!$loopy end
