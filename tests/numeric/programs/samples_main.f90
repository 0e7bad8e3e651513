! Calls every sample at sizes that no tile divides, at 1 and at 0, and compares with plain Fortran, bit for bit.
module checks
  implicit none
  integer, parameter :: dp = kind(1d0)

contains

  subroutine tell(name, n, wrong)
    character(*), intent(in) :: name
    integer, intent(in) :: n, wrong
    print '(a,1x,i0,1x,i0)', name, n, wrong
  end subroutine tell

  subroutine check_dgemm(m, n, ell)
    integer, intent(in) :: m, n, ell
    real(dp) :: a(m,ell), b(ell,n), c(m,n), expected(m,n)
    integer :: i, j, k
    call random_number(a)
    call random_number(b)
    call random_number(c)
    expected = c
    do j = 1, n
      do i = 1, m
        do k = 1, ell
          expected(i,j) = expected(i,j) + a(i,k)*b(k,j)
        end do
      end do
    end do
    call dgemm(m, n, ell, a, b, c)
    call tell('dgemm', m, count(abs(c - expected) > 0))
  end subroutine check_dgemm

  subroutine check_fill_scale(n)
    integer, intent(in) :: n
    real(dp) :: x(n), y(n)
    integer :: j
    x = -1
    y = -1
    call fill_scale(n, 0.1_dp, x, y)
    call tell('fill_scale', n, count([(abs(x(j) - 0.1_dp*j) > 0 .or. abs(y(j) - 2*(0.1_dp*(n + 1 - j))) > 0, j = 1, n)]))
  end subroutine check_fill_scale

  subroutine check_histogram(n)
    integer, intent(in) :: n
    integer :: bin(n), found(7), i
    bin = [(1 + mod(i*i, 7), i = 1, n)]
    found = 2
    call histogram(n, 7, bin, found)
    call tell('histogram', n, count(found /= [(2 + count(bin == i), i = 1, 7)]))
  end subroutine check_histogram

  subroutine check_saxpy(n)
    integer, intent(in) :: n
    real :: x(n), y(n), expected(n)
    call random_number(x)
    call random_number(y)
    expected = y + 1.5*x
    call saxpy(n, 1.5, x, y)
    call tell('saxpy', n, count(abs(y - expected) > 0))
  end subroutine check_saxpy

  subroutine check_spmv(nrow)
    integer, intent(in) :: nrow
    integer :: rowptr(nrow+1), colind(4*nrow), i, k, nnz
    real(dp) :: val(4*nrow), x(nrow), y(nrow), expected(nrow)
    call random_number(val)
    call random_number(x)
    nnz = 0
    do i = 1, nrow
      rowptr(i) = nnz + 1
      do k = 1, mod(i, 5)
        nnz = nnz + 1
        colind(nnz) = 1 + mod(i*7 + k*11, nrow)
      end do
    end do
    rowptr(nrow+1) = nnz + 1
    expected = 0
    do i = 1, nrow
      do k = rowptr(i), rowptr(i+1) - 1
        expected(i) = expected(i) + val(k)*x(colind(k))
      end do
    end do
    y = -1
    call spmv(nrow, nrow, nnz, rowptr, colind, val, x, y)
    call tell('spmv', nrow, count(abs(y - expected) > 0))
  end subroutine check_spmv

  subroutine check_stencil2d(nx, ny)
    use heat, only: run
    integer, intent(in) :: nx, ny
    real(dp) :: u(0:nx+1,0:ny+1), v(0:nx+1,0:ny+1), w(0:nx+1,0:ny+1)
    integer :: t, i, j
    call random_number(u)
    v = u
    w = u
    do t = 1, 4
      do j = 1, ny
        do i = 1, nx
          w(i,j) = v(i,j) + 0.1_dp*(v(i-1,j) + v(i+1,j) + v(i,j-1) + v(i,j+1) - 4*v(i,j))
        end do
      end do
      v = w
    end do
    call run(nx, ny, 0.1_dp, 2, u)
    call tell('stencil2d', nx, count(abs(u - v) > 0))
  end subroutine check_stencil2d
end module checks

program samples_main
  use checks
  implicit none
  call check_dgemm(33, 17, 20)
  call check_dgemm(1, 1, 1)
  call check_dgemm(16, 16, 0)
  call check_dgemm(0, 5, 3)
  call check_fill_scale(301)
  call check_fill_scale(1)
  call check_fill_scale(0)
  call check_histogram(1000)
  call check_histogram(1)
  call check_histogram(0)
  call check_saxpy(1003)
  call check_saxpy(1)
  call check_saxpy(0)
  call check_spmv(301)
  call check_spmv(1)
  call check_spmv(0)
  call check_stencil2d(35, 18)
  call check_stencil2d(1, 1)
  call check_stencil2d(0, 3)
end program samples_main
