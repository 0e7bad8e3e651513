/* Made by fortrancl from fill_twice in fill_twice.f90. The launcher chooses FCL_IDX, wide enough for every element. */
#ifndef FCL_IDX
#define FCL_IDX int
#endif
typedef FCL_IDX fcl_idx;
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void fill_twice_kernel(
    int n,
    double a,
    double factor,
    __global double *restrict out,
    long out_off)
{
    out += out_off;
    const fcl_idx i_outer = get_group_id(0);
    const fcl_idx i_inner = get_local_id(0);
    const fcl_idx i_1_outer = get_group_id(0);
    const fcl_idx i_1_inner = get_local_id(0);
    if (128*i_outer + i_inner < n) {
        out[i_inner + 128*i_outer] = a;  /* fill_twice.f90:10 */
        out[i_1_inner + 128*i_1_outer] = out[i_1_inner + 128*i_1_outer]*factor + (i_1_inner + 128*i_1_outer +
                1);  /* fill_twice.f90:13 */
    }
}
