#include "nowhere.h"
#define F(x
#error stop here
subroutine s()
end subroutine s
