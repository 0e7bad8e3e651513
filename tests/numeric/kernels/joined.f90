! A short and a long loop become one, which is then cut to fit.
subroutine joined(n, x, y)
  implicit none
  integer, intent(in) :: n
  real*8, intent(in) :: x(5,n)
  real*8, intent(inout) :: y(5,n)
  integer :: i, j

  do j = 1, n
    do i = 1, 5
      y(i,j) = x(6-i,j) + i + 10*j
    end do
  end do
end subroutine joined

!$loopy begin
!
! knl = lp.parse_fortran(SOURCE, FILENAME)
! knl = lp.join_inames(knl, ["j", "i"], "both")
! knl = lp.split_iname(knl, "both", 16, outer_tag="g.0", inner_tag="l.0")
! RESULT = knl
!
!$loopy end
