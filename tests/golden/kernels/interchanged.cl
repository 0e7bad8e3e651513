/* Made by fortrancl from interchanged in interchanged.f90. The launcher chooses FCL_IDX, wide enough for every element. */
#ifndef FCL_IDX
#define FCL_IDX int
#endif
typedef FCL_IDX fcl_idx;
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel __attribute__((reqd_work_group_size(8, 1, 1)))
void interchanged_kernel(
    int n,
    int m,
    __global const double *restrict x,
    long x_off,
    __global double *restrict y,
    long y_off)
{
    x += x_off;
    y += y_off;
    const fcl_idx i_outer = get_group_id(0);
    const fcl_idx i_inner = get_local_id(0);
    const fcl_idx ii_outer = get_group_id(0);
    const fcl_idx ii_inner = get_local_id(0);
    if (8*ii_outer + ii_inner < n) {
        for (fcl_idx j = 0; j < m; ++j) {
            y[ii_inner + 8*ii_outer + n*j] = y[ii_inner + 8*ii_outer + n*j] + x[ii_inner + 8*ii_outer + n*j];  /* interchanged.f90:11 */
        }
        for (fcl_idx j_1 = 0; j_1 < m - 1; ++j_1) {
            y[i_inner + 8*i_outer + n*(j_1 + 1)] = y[i_inner + 8*i_outer + n*(j_1 + 1)] + 0.5*y[i_inner +
                    8*i_outer + n*j_1];  /* interchanged.f90:14 */
        }
    }
}
