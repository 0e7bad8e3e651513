/* Made by fortrancl from tagged in tagged.f90. The launcher chooses FCL_IDX, wide enough for every element. */
#ifndef FCL_IDX
#define FCL_IDX int
#endif
typedef FCL_IDX fcl_idx;
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void tagged_kernel(
    int n,
    __global double *restrict x,
    long x_off,
    __global double *restrict y,
    long y_off)
{
    x += x_off;
    y += y_off;
    const fcl_idx i_outer = get_group_id(0);
    const fcl_idx i_inner = get_local_id(0);
    const fcl_idx i_in_outer = get_group_id(0);
    const fcl_idx i_in_inner = get_local_id(0);
    if (32*i_in_outer + i_in_inner < n) {
        x[i_in_inner + 32*i_in_outer] = 2*x[i_in_inner + 32*i_in_outer];  /* tagged.f90:10 */
        y[i_inner + 32*i_outer] = y[i_inner + 32*i_outer] + 1;  /* tagged.f90:13 */
        y[i_inner + 32*i_outer] = x[i_inner + 32*i_outer]*y[i_inner + 32*i_outer];  /* tagged.f90:14 */
    }
}
