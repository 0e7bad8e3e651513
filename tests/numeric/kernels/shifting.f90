! Work-items of one group hand values on to their neighbours, step after step: two conflicts in every step.
subroutine shifting(nb, steps, x, y)
  implicit none
  integer, intent(in) :: nb, steps
  real*8, intent(inout) :: x(16,nb), y(16,nb)
  integer :: b, t, i

  do b = 1, nb
    do t = 1, steps
      do i = 1, 16
        y(i,b) = x(17-i,b) + t
      end do
      do i = 2, 16
        x(i,b) = y(i-1,b)*0.5d0
      end do
    end do
  end do
end subroutine shifting

!$loopy begin
!
! knl = lp.parse_fortran(SOURCE, FILENAME)
! knl = lp.tag_inames(knl, {"b": "g.0", "i": "l.0", "i_1": "l.0"})
! RESULT = knl
!
!$loopy end
