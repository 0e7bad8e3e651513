/* Made by fortrancl from reduction. The launcher chooses FCL_IDX, wide enough for every element. */
#ifndef FCL_IDX
#define FCL_IDX int
#endif
typedef FCL_IDX fcl_idx;
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel __attribute__((reqd_work_group_size(128, 1, 1)))
void reduction_kernel(
    int n,
    __global const double *restrict x,
    long x_off,
    __global double *restrict s,
    long s_off)
{
    x += x_off;
    s += s_off;
    const fcl_idx o = get_group_id(0);
    const fcl_idx i = get_local_id(0);
    __local double t[128];
    t[i] = 0;
    if (128*o + i < n) {
        t[i] = x[128*o + i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < 64) {
        t[i] = t[i] + t[i + 64];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < 32) {
        t[i] = t[i] + t[i + 32];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < 16) {
        t[i] = t[i] + t[i + 16];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < 8) {
        t[i] = t[i] + t[i + 8];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < 4) {
        t[i] = t[i] + t[i + 4];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < 2) {
        t[i] = t[i] + t[i + 2];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 0) {
        t[i] = t[i] + t[i + 1];
        s[o] = t[0];
    }
}
