/* Made by fortrancl from saxpy in saxpy.f90. The launcher chooses FCL_IDX, wide enough for every element. */
#ifndef FCL_IDX
#define FCL_IDX int
#endif
typedef FCL_IDX fcl_idx;
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void saxpy_kernel(
    int n,
    float a,
    __global const float *restrict x,
    long x_off,
    __global float *restrict y,
    long y_off)
{
    x += x_off;
    y += y_off;
    const fcl_idx i_outer = get_group_id(0);
    const fcl_idx i_inner = get_local_id(0);
    if (128*i_outer + i_inner < n) {
        y[i_inner + 128*i_outer] = y[i_inner + 128*i_outer] + a*x[i_inner + 128*i_outer];  /* saxpy.f90:10 */
    }
}
