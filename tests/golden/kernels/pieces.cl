/* Made by fortrancl from pieces in pieces.f90. The launcher chooses FCL_IDX, wide enough for every element. */
#ifndef FCL_IDX
#define FCL_IDX int
#endif
typedef FCL_IDX fcl_idx;
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel __attribute__((reqd_work_group_size(16, 1, 1)))
void pieces_kernel_0(
    int n,
    __global const double *restrict x,
    long x_off,
    __global double *restrict t,
    long t_off)
{
    x += x_off;
    t += t_off;
    const fcl_idx i_outer = get_group_id(0);
    const fcl_idx i_inner = get_local_id(0);
    if (16*i_outer + i_inner < n) {
        t[i_inner + 16*i_outer] = 2*x[i_inner + 16*i_outer] + (i_inner + 16*i_outer + 1);  /* pieces.f90:11 */
    }
}

__kernel __attribute__((reqd_work_group_size(16, 1, 1)))
void pieces_kernel_1(
    int n,
    __global double *restrict y,
    long y_off,
    __global const double *restrict t,
    long t_off)
{
    y += y_off;
    t += t_off;
    const fcl_idx i_1_outer = get_group_id(0);
    const fcl_idx i_1_inner = get_local_id(0);
    if (16*i_1_outer + i_1_inner < n) {
        y[i_1_inner + 16*i_1_outer] = t[n - (i_1_inner + 16*i_1_outer) - 1] - t[i_1_inner + 16*i_1_outer];  /* pieces.f90:14 */
    }
}
