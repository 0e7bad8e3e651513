/* Made by fortrancl from backwards in backwards.f90. The launcher chooses FCL_IDX, wide enough for every element. */
#ifndef FCL_IDX
#define FCL_IDX int
#endif
typedef FCL_IDX fcl_idx;
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel __attribute__((reqd_work_group_size(4, 1, 1)))
void backwards_kernel(
    int n,
    int m,
    __global double *restrict x,
    long x_off,
    __global int *restrict k,
    long k_off)
{
    x += x_off;
    k += k_off;
    const fcl_idx j_outer = get_group_id(0);
    const fcl_idx j_inner = get_local_id(0);
    const fcl_idx i_1_outer = get_group_id(0);
    const fcl_idx i_1_inner = get_local_id(0);
    if (4*j_outer + j_inner < m) {
        for (fcl_idx i = 0; i < n - 1; ++i) {
            x[n - i - 2 + n*(m - (j_inner + 4*j_outer) - 1)] = x[n - i - 2 + n*(m - (j_inner + 4*j_outer) -
                    1)] + 0.5*x[n - i - 1 + n*(m - (j_inner + 4*j_outer) - 1)];  /* backwards.f90:11 */
        }
    }
    if (12*i_1_outer + 3*i_1_inner + 1 < n) {
        k[n - 3*(i_1_inner + 4*i_1_outer) - 1] = k[n - 3*(i_1_inner + 4*i_1_outer) - 1]*10 + (n - 3*(i_1_inner
                + 4*i_1_outer));  /* backwards.f90:15 */
    }
}
