! Prints what each procedure computed; the same program is linked with the originals and with the written files.
program main
  use numbers
  implicit none
  real(dp) :: u(12,14), v(9,9), x(40), y(40), z(40), total, largest, w(0:20,-6:6), c(41,6), a(120), band(13,13)
  integer :: k(40), i, place
  real(4) :: r(40)
  do i = 1, 40
    x(i) = mod(i*37, 41)/41d0 - 0.4d0
    y(i) = mod(i*17, 43)/43d0
    k(i) = mod(i*29, 31) - 15
    r(i) = real(x(i))*3
  end do
  z = y
  u = reshape([(mod(i*7, 19)/3d0, i = 1, size(u))], shape(u))
  v = 1
  call shift_columns(u(1:12:2,3:), v(2:7,1:8))
  call show('shift_columns', [v])
  call shift_columns(u, v(::4,9:1:-3))
  call show('shift_columns', [v])
  call shift_columns(u, v(5:4,:))
  call scaled(40, 0.3_dp, x)
  call scaled(20, 3, k(::2))
  call show('scaled', [x, real(k, dp)])
  call smooth(40, x, y)
  call show('smooth', y)
  largest = 0
  call totals(40, x, total, largest, place)
  call show('totals', [total, largest, real(place, dp)])
  call launch(40, y, z, x, 0.5d0, 7)
  call show('launch', [y, z])
  call a_procedure_with_a_name_of_sixty_three_characters_in_all_abcdef(40, z)
  call show('name', z)
  a = [(i/7d0, i = 1, 120)]
  w = reshape([(mod(i*7, 19)/3d0, i = 1, size(w))], shape(w))
  c = 1
  call shapes(20, 6, a, w, c)
  call show('shapes', [c])
  band = 2
  call bands(13, band)
  call show('bands', [band])
  call bands(0, band)
  call arithmetic(40, k, x, y, r)
  call show('arithmetic', [y, real(k, dp), real(r, dp)])
  call order(40, x, y)
  call order(1, x, y)
  call order(0, x, y)
  call show('order', [x, y])
  call between(40, x, y)
  call show('between', y)

contains

  subroutine show(name, values)
    character(*), intent(in) :: name
    real(dp), intent(in) :: values(:)
    print '(a,*(1x,z16.16))', name, values
  end subroutine show
end program main
