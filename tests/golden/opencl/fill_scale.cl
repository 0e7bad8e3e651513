/* Made by fortrancl from fill_scale. The launcher chooses FCL_IDX, wide enough for every element. */
#ifndef FCL_IDX
#define FCL_IDX int
#endif
typedef FCL_IDX fcl_idx;
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void fill_scale_kernel_0(
    int n,
    double a,
    __global double *restrict x,
    long x_off)
{
    x += x_off;
    const fcl_idx oa = get_group_id(0);
    const fcl_idx ia = get_local_id(0);
    double b;
    b = a*2;
    if (32*oa + ia < n) {
        x[32*oa + ia] = a*(32*oa + ia);
    }
}

__kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void fill_scale_kernel_1(
    int n,
    double a,
    __global const double *restrict x,
    long x_off,
    __global double *restrict y,
    long y_off)
{
    x += x_off;
    y += y_off;
    const fcl_idx oc = get_group_id(0);
    const fcl_idx ic = get_local_id(0);
    double b;
    b = a*2;
    if (32*oc + ic < n) {
        y[32*oc + ic] = x[n - 1 - 32*oc - ic]*b;
    }
}

__kernel __attribute__((reqd_work_group_size(32, 1, 1)))
void fill_scale_kernel_2(
    int n,
    double a,
    __global double *restrict x,
    long x_off,
    __global const double *restrict y,
    long y_off)
{
    x += x_off;
    y += y_off;
    const fcl_idx ob = get_group_id(0);
    const fcl_idx ib = get_local_id(0);
    double b;
    b = a*2;
    if (32*ob + ib < n) {
        x[32*ob + ib] = y[n - 1 - 32*ob - ib] + b*x[32*ob + ib];
    }
}
