! Time steps in one subroutine: two sweeps in each, so the host loops and launches two kernels each time.
subroutine march(n, steps, c, u, w)
  implicit none
  integer, intent(in) :: n, steps
  real*8, intent(in) :: c
  real*8, intent(inout) :: u(0:n+1), w(0:n+1)
  integer :: i, t

  do t = 1, steps
    do i = 1, n
      w(i) = u(i) + c*(u(i-1) - 2*u(i) + u(i+1)) + t
    end do
    do i = 1, n
      u(i) = w(i) - c*(w(i-1) + w(i+1))
    end do
  end do
end subroutine march

!$loopy begin
!
! knl = lp.parse_fortran(SOURCE, FILENAME)
! knl = lp.add_barrier(knl, "writes:w", "writes:u")
! knl = lp.add_barrier(knl, "writes:u", "writes:w")
! knl = lp.split_iname(knl, "i", 16, outer_tag="g.0", inner_tag="l.0")
! knl = lp.split_iname(knl, "i_1", 16, outer_tag="g.0", inner_tag="l.0")
! RESULT = knl
!
!$loopy end
