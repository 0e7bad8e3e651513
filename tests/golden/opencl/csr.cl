/* Made by fortrancl from spmv. The launcher chooses FCL_IDX, wide enough for every element. */
#ifndef FCL_IDX
#define FCL_IDX int
#endif
typedef FCL_IDX fcl_idx;
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void spmv_kernel(
    int n,
    __global const int *restrict ptr,
    long ptr_off,
    __global const int *restrict col,
    long col_off,
    __global const double *restrict val,
    long val_off,
    __global const double *restrict x,
    long x_off,
    __global double *restrict y,
    long y_off)
{
    ptr += ptr_off;
    col += col_off;
    val += val_off;
    x += x_off;
    y += y_off;
    const fcl_idx ro = get_group_id(0);
    const fcl_idx ri = get_local_id(0);
    int lo;
    int trip;
    double t;
    if (64*ro + ri < n) {
        t = 0.0f;
        lo = ptr[64*ro + ri];
        trip = ptr[64*ro + ri + 1] - lo;
        for (fcl_idx k = 0; k < trip; ++k) {
            t = t + val[lo + k - 1]*x[col[lo + k - 1] - 1];
        }
        y[64*ro + ri] = t;
    }
}
