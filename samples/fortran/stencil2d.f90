! Heat conduction on a plate with fixed edges. The time loop is the module's own and stays as it is.
module heat
  implicit none
  private
  public :: dp, run
  integer, parameter :: dp = kind(1d0)

contains

  subroutine step(nx, ny, alpha, u, unew)
    integer, intent(in) :: nx, ny
    real(dp), intent(in) :: alpha, u(0:nx+1,0:ny+1)
    real(dp), intent(inout) :: unew(0:nx+1,0:ny+1)
    integer :: i, j

    do j = 1, ny
      do i = 1, nx
        unew(i,j) = u(i,j) + alpha*(u(i-1,j) + u(i+1,j) + u(i,j-1) + u(i,j+1) - 4*u(i,j))
      end do
    end do
  end subroutine step

  ! Advances u by 2*steps time steps.
  subroutine run(nx, ny, alpha, steps, u)
    integer, intent(in) :: nx, ny, steps
    real(dp), intent(in) :: alpha
    real(dp), intent(inout) :: u(0:nx+1,0:ny+1)
    real(dp), allocatable :: other(:,:)
    integer :: t

    allocate (other(0:nx+1,0:ny+1))
    other = u
    do t = 1, steps
      call step(nx, ny, alpha, u, other)
      call step(nx, ny, alpha, other, u)
    end do
  end subroutine run

end module heat

!$loopy begin
!
! # A 16 x 16 tile of the plate for each work-group; u with its halo (18 x 18) goes to local memory.
! unit = lp.parse_fortran(SOURCE, FILENAME)
! step = unit["step"]
! step = lp.split_iname(step, "i", 16, outer_tag="g.0", inner_tag="l.0")
! step = lp.split_iname(step, "j", 16, outer_tag="g.1", inner_tag="l.1")
! step = lp.add_prefetch(step, "u", "i_inner, j_inner", default_tag="l.auto")
! RESULT = step
!
!$loopy end
