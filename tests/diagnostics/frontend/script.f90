!$loopy begin
! x = 1
not a comment
!$loopy begin
!$loopy end
!$loopy finish
!$loopy begin tagged: 3x
!$loopy end tagged: never
!$loopy begin tagged: twice
!$loopy begin tagged: twice
!$loopy end
!$loopy begin
! y = 2
subroutine s()
end subroutine s
