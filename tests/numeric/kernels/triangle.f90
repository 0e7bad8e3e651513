! Loops whose bounds depend on outer loops, up and down.
subroutine triangle(n, a, x, y)
  implicit none
  integer, intent(in) :: n
  real*8, intent(in) :: a(n,n), x(n)
  real*8, intent(inout) :: y(n)
  integer :: i, j

  do i = 1, n
    do j = 1, i
      y(i) = y(i) + a(j,i)*x(j)
    end do
    do j = n, i + 1, -2
      y(i) = y(i) - a(j,i)/x(j)
    end do
  end do
end subroutine triangle

!$loopy begin
!
! knl = lp.parse_fortran(SOURCE, FILENAME)
! knl = lp.split_iname(knl, "i", 8, outer_tag="g.0", inner_tag="l.0")
! knl = lp.split_iname(knl, "j", 4)
! knl = lp.buffer_array(knl, "y", [], init_expression="base", store_expression="buffer")
! RESULT = knl
!
!$loopy end
