/* Made by fortrancl from halves in halves.f90. The launcher chooses FCL_IDX, wide enough for every element. */
#ifndef FCL_IDX
#define FCL_IDX int
#endif
typedef FCL_IDX fcl_idx;
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel __attribute__((reqd_work_group_size(8, 1, 1)))
void halves_kernel(
    int n,
    __global const double *restrict x,
    long x_off,
    __global double *restrict y,
    long y_off)
{
    x += x_off;
    y += y_off;
    const fcl_idx i_outer = get_group_id(0);
    const fcl_idx i_inner = get_local_id(0);
    if (16*i_outer + 2*i_inner + 1 < n) {
        y[i_inner + 8*i_outer] = x[2*(i_inner + 8*i_outer)] + x[2*(i_inner + 8*i_outer) + 1];  /* halves.f90:10 */
        y[i_inner + 8*i_outer + ((fcl_idx)n + 1)/2] = x[i_inner + 8*i_outer + n/2];  /* halves.f90:11 */
    }
}
