/* Made by fortrancl from gather_staged in gather_staged.f90. The launcher chooses FCL_IDX, wide enough for every element. */
#ifndef FCL_IDX
#define FCL_IDX int
#endif
typedef FCL_IDX fcl_idx;
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel __attribute__((reqd_work_group_size(8, 1, 1)))
void gather_staged_kernel(
    int n,
    __global const int *restrict map,
    long map_off,
    __global const double *restrict x,
    long x_off,
    __global double *restrict y,
    long y_off)
{
    map += map_off;
    x += x_off;
    y += y_off;
    const fcl_idx i_outer = get_group_id(0);
    const fcl_idx i_inner = get_local_id(0);
    const fcl_idx map_dim_0 = get_local_id(0);
    int map_fetch[8];
    if (8*i_outer + map_dim_0 < n) {
        map_fetch[map_dim_0] = map[8*i_outer + map_dim_0];  /* gather_staged.f90:12 */
        for (fcl_idx k = 0; k < 4; ++k) {
            y[i_inner + 8*i_outer] = y[i_inner + 8*i_outer] + (k + 1)*x[map_fetch[i_inner] - 1];  /* gather_staged.f90:12 */
        }
    }
}
