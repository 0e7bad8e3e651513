#define TWICE(a) (2*(a))
