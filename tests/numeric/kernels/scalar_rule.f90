! A scalar with two definitions in turn; each use gets the rule of its own.
subroutine scalar_rule(n, inp, out)
  implicit none
  integer, intent(in) :: n
  real*8, intent(in) :: inp(n)
  real*8, intent(inout) :: out(n)
  real*8 :: a
  integer :: i, j

  do i = 1, n
    a = inp(i)
    do j = 1, 5
      out(i) = out(i) + j*a
    end do
    a = 3*inp(n+1-i) + 1
    do j = 1, 3
      out(i) = out(i) - a/j
    end do
  end do
end subroutine scalar_rule

!$loopy begin
!
! knl = lp.parse_fortran(SOURCE, FILENAME)
! knl = lp.assignment_to_subst(knl, "a")
! knl = lp.split_iname(knl, "i", 32, outer_tag="g.0", inner_tag="l.0")
! RESULT = knl
!
!$loopy end
