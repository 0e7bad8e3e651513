! Sums that meet in one place, in double precision, atomically; all terms are whole numbers, so no order matters.
subroutine scatter_add(n, nbin, map, x, s, most)
  implicit none
  integer, intent(in) :: n, nbin
  integer, intent(in) :: map(n)
  real*8, intent(in) :: x(n)
  real*8, intent(inout) :: s(nbin)
  integer, intent(inout) :: most(nbin)
  integer :: i

  do i = 1, n
    s(map(i)) = s(map(i)) + x(i)
    most(map(i)) = max(most(map(i)), i)
  end do
end subroutine scatter_add

!$loopy begin
!
! knl = lp.parse_fortran(SOURCE, FILENAME)
! knl = lp.allow_reassociation(knl, "s")
! knl = lp.set_atomic(knl, "s")
! knl = lp.set_atomic(knl, "most")
! knl = lp.split_iname(knl, "i", 16, outer_tag="g.0", inner_tag="l.0")
! RESULT = knl
!
!$loopy end
