/* Made by fortrancl from histogram in histogram.f90. The launcher chooses FCL_IDX, wide enough for every element. */
#ifndef FCL_IDX
#define FCL_IDX int
#endif
typedef FCL_IDX fcl_idx;
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void histogram_kernel(
    int n,
    __global const int *restrict bin,
    long bin_off,
    __global int *restrict count,
    long count_off)
{
    bin += bin_off;
    count += count_off;
    const fcl_idx i_outer = get_group_id(0);
    const fcl_idx i_inner = get_local_id(0);
    if (256*i_outer + i_inner < n) {
        atomic_add(&count[bin[i_inner + 256*i_outer] - 1], 1);  /* histogram.f90:10 */
    }
}
