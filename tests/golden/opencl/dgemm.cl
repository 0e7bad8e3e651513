/* Made by fortrancl from dgemm. The launcher chooses FCL_IDX, wide enough for every element. */
#ifndef FCL_IDX
#define FCL_IDX int
#endif
typedef FCL_IDX fcl_idx;
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void dgemm_kernel(
    int m,
    int n,
    int l,
    __global const double *restrict a,
    long a_off,
    __global const double *restrict b,
    long b_off,
    __global double *restrict c,
    long c_off)
{
    a += a_off;
    b += b_off;
    c += c_off;
    const fcl_idx io = get_group_id(0);
    const fcl_idx ii = get_local_id(0);
    const fcl_idx jo = get_group_id(1);
    const fcl_idx ji = get_local_id(1);
    const fcl_idx fi = get_local_id(0);
    const fcl_idx fk = get_local_id(1);
    const fcl_idx gk = get_local_id(0);
    const fcl_idx gj = get_local_id(1);
    __local double ta[256];
    __local double tb[256];
    double acc;
    if (16*io + ii < m && 16*jo + ji < n) {
        acc = c[16*io + ii + m*(16*jo + ji)];
    }
    for (fcl_idx ko = 0; ko < ((fcl_idx)l + 15)/16; ++ko) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (16*io + fi < m && 16*ko + fk < l) {
            ta[fi + 16*fk] = a[16*io + fi + m*(16*ko + fk)];
        }
        if (16*ko + gk < l && 16*jo + gj < n) {
            tb[gk + 16*gj] = b[16*ko + gk + l*(16*jo + gj)];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (16*io + ii < m && 16*jo + ji < n) {
            for (fcl_idx ki = 0; ki < min(l - 16*ko, (fcl_idx)16); ++ki) {
                acc = acc + ta[ii + 16*ki]*tb[ki + 16*ji];
            }
        }
    }
    if (16*io + ii < m && 16*jo + ji < n) {
        c[16*io + ii + m*(16*jo + ji)] = acc;
    }
}
