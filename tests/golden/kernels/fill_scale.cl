/* Made by fortrancl from fill_scale in fill_scale.f90. The launcher chooses FCL_IDX, wide enough for every element. */
#ifndef FCL_IDX
#define FCL_IDX int
#endif
typedef FCL_IDX fcl_idx;
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void fill_scale_kernel_0(
    int n,
    double a,
    __global double *restrict x,
    long x_off)
{
    x += x_off;
    const fcl_idx i_outer = get_group_id(0);
    const fcl_idx i_inner = get_local_id(0);
    if (128*i_outer + i_inner < n) {
        x[i_inner + 128*i_outer] = a*(i_inner + 128*i_outer + 1);  /* fill_scale.f90:10 */
    }
}

__kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void fill_scale_kernel_1(
    int n,
    __global const double *restrict x,
    long x_off,
    __global double *restrict y,
    long y_off)
{
    x += x_off;
    y += y_off;
    const fcl_idx j_outer = get_group_id(0);
    const fcl_idx j_inner = get_local_id(0);
    if (128*j_outer + j_inner < n) {
        y[j_inner + 128*j_outer] = 2.0*x[n - (j_inner + 128*j_outer) - 1];  /* fill_scale.f90:13 */
    }
}
