module m
contains
  subroutine a()
  end subroutine b
  subroutine c()
  end function
end module n
end
subroutine open_end()
