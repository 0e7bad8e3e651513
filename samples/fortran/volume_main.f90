! Calls volume_r and volume_s one after another, and volume_rs, which fortrancl writes into its copy of volume.f90.
program volume_main
  implicit none
  integer, parameter :: nq = 8, nelem = 301
  real(4), parameter :: p0 = 1e5, gam = 1.4, rgas = 287.
  real(4), allocatable :: geo(:,:,:,:,:), d(:,:), q(:,:,:,:,:), rhs(:,:,:,:,:), expected(:,:,:,:,:)
  real(4) :: error

  allocate (geo(nq,nq,nq,11,nelem), d(nq,nq), q(nq,nq,nq,8,nelem))
  allocate (rhs(nq,nq,nq,8,nelem), expected(nq,nq,nq,8,nelem))
  call random_number(geo)
  call random_number(d)
  call random_number(q)
  call random_number(rhs)
  q(:,:,:,5,:) = 1 + 0.2*q(:,:,:,5,:)
  q(:,:,:,6,:) = 300*q(:,:,:,5,:) + q(:,:,:,6,:)
  expected = rhs
  call volume_r(nq, nelem, p0, gam, rgas, geo, d, q, expected)
  call volume_s(nq, nelem, p0, gam, rgas, geo, d, q, expected)
  call volume_rs(nq, nelem, p0, gam, rgas, geo, d, q, rhs)
  error = maxval(abs(rhs - expected))/maxval(abs(expected))
  print '(a,i0,a,i0,a,es9.2)', 'RESULT name=volume sizes=', nq, 'x', nelem, ' error=', error
  if (.not. error <= 1e-6) error stop 'volume: wrong result'
end program volume_main
