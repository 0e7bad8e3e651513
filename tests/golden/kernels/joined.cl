/* Made by fortrancl from joined in joined.f90. The launcher chooses FCL_IDX, wide enough for every element. */
#ifndef FCL_IDX
#define FCL_IDX int
#endif
typedef FCL_IDX fcl_idx;
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

static fcl_idx fcl_floordiv_fcl_idx(fcl_idx a, fcl_idx b)
{
    const fcl_idx q = a/b;
    return ((a%b != 0) && ((a < 0) != (b < 0))) ? q - 1 : q;
}

static int fcl_floordiv_int(int a, int b)
{
    const int q = a/b;
    return ((a%b != 0) && ((a < 0) != (b < 0))) ? q - 1 : q;
}

static fcl_idx fcl_floormod_fcl_idx(fcl_idx a, fcl_idx b)
{
    const fcl_idx r = a%b;
    return ((r != 0) && ((r < 0) != (b < 0))) ? r + b : r;
}

static int fcl_floormod_int(int a, int b)
{
    const int r = a%b;
    return ((r != 0) && ((r < 0) != (b < 0))) ? r + b : r;
}

__kernel __attribute__((reqd_work_group_size(16, 1, 1)))
void joined_kernel(
    int n,
    __global const double *restrict x,
    long x_off,
    __global double *restrict y,
    long y_off)
{
    x += x_off;
    y += y_off;
    const fcl_idx both_outer = get_group_id(0);
    const fcl_idx both_inner = get_local_id(0);
    if (16*both_outer + both_inner < 5*(fcl_idx)n) {
        y[fcl_floormod_fcl_idx(both_inner + 16*both_outer, (fcl_idx)5) + 5*fcl_floordiv_fcl_idx(both_inner +
                16*both_outer, (fcl_idx)5)] = x[4 - fcl_floormod_fcl_idx(both_inner + 16*both_outer,
                (fcl_idx)5) + 5*fcl_floordiv_fcl_idx(both_inner + 16*both_outer, (fcl_idx)5)] +
                (fcl_floormod_int((int)(both_inner + 16*both_outer), 5) + 1) +
                (10*fcl_floordiv_int((int)(both_inner + 16*both_outer), 5) + 10);  /* joined.f90:11 */
    }
}
