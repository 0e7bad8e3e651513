#include "macros.h"
subroutine s(x)
  include 'decl.inc'
  include 'missing.inc'
#ifdef NEVER
  syntax error here
#else
  real :: x
#endif
  x = TWICE(x) + unknown_array(2)
  x = p
  x = y; hidden = TWICE(
end subroutine s
