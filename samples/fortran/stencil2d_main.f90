program stencil2d_main
  use heat, only: dp, run
  implicit none
  integer, parameter :: nx = 301, ny = 203, steps = 5
  real(dp), parameter :: alpha = 0.1_dp
  real(dp), allocatable :: u(:,:), v(:,:), w(:,:)
  real(dp) :: error
  integer :: t, i, j

  allocate (u(0:nx+1,0:ny+1), v(0:nx+1,0:ny+1), w(0:nx+1,0:ny+1))
  call random_number(u)
  v = u
  w = u
  do t = 1, 2*steps
    do j = 1, ny
      do i = 1, nx
        w(i,j) = v(i,j) + alpha*(v(i-1,j) + v(i+1,j) + v(i,j-1) + v(i,j+1) - 4*v(i,j))
      end do
    end do
    v = w
  end do
  call run(nx, ny, alpha, steps, u)
  error = maxval(abs(u - v))
  print '(a,i0,a,i0,a,i0,a,es9.2)', 'RESULT name=stencil2d sizes=', nx, 'x', ny, 'x', 2*steps, ' error=', error
  if (.not. error <= 1d-13) error stop 'stencil2d: wrong result'
end program stencil2d_main
