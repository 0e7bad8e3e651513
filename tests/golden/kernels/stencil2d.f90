# 1 "samples/fortran/stencil2d.f90"
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
# 17 "out/stencil2d.f90"
    block ! by fortrancl: launch, or go on below
      use, intrinsic :: iso_c_binding, only: fcl_int => c_int
      interface
        subroutine fcl_heat__step(nx, ny, alpha, u, unew, fcl_todo) bind(c, name="fcl_heat__step")
          use, intrinsic :: iso_c_binding, only: c_double, c_int, c_int32_t
          integer(c_int32_t), intent(in) :: nx
          integer(c_int32_t), intent(in) :: ny
          real(c_double), intent(in) :: alpha
          real(c_double), intent(in) :: u(*)
          real(c_double), intent(inout) :: unew(*)
          integer(c_int), intent(out) :: fcl_todo
        end subroutine fcl_heat__step
      end interface
      integer(fcl_int) :: fcl_todo
      call fcl_heat__step(nx, ny, alpha, u, unew, fcl_todo)
      if (fcl_todo == 0) return
    end block
# 15 "samples/fortran/stencil2d.f90"

    do j = 1, ny
      do i = 1, nx
        unew(i,j) = u(i,j) + alpha*(u(i-1,j) + u(i+1,j) + u(i,j-1) + u(i,j+1) - 4*u(i,j))
      end do
    end do
# 42 "out/stencil2d.f90"
    block ! by fortrancl: FORTRANCL_COMPARE
      interface
        subroutine fcl_heat__step__after(unew) bind(c, name="fcl_heat__step__after")
          use, intrinsic :: iso_c_binding, only: c_double
          real(c_double), intent(in) :: unew(*)
        end subroutine fcl_heat__step__after
      end interface
      call fcl_heat__step__after(unew)
    end block
# 21 "samples/fortran/stencil2d.f90"
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
