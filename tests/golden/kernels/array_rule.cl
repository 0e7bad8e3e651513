/* Made by fortrancl from array_rule in array_rule.f90. The launcher chooses FCL_IDX, wide enough for every element. */
#ifndef FCL_IDX
#define FCL_IDX int
#endif
typedef FCL_IDX fcl_idx;
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

static double fcl_pow2_double(double x1)
{
    const double x2 = x1*x1;
    return x2;
}

__kernel __attribute__((reqd_work_group_size(6, 1, 1)))
void array_rule_kernel(
    __global const double *restrict d,
    long d_off,
    __global const double *restrict u,
    long u_off,
    __global double *restrict v,
    long v_off)
{
    d += d_off;
    u += u_off;
    v += v_off;
    const fcl_idx e = get_group_id(0);
    const fcl_idx i = get_local_id(0);
    const fcl_idx flux_dim_0 = get_local_id(0);
    const fcl_idx d_dim_0 = get_local_id(0);
    __local double flux_fetch[6];
    double d_fetch[36];
    double v_buf;
    flux_fetch[flux_dim_0] = 0.5*fcl_pow2_double(u[flux_dim_0 + 6*e]);  /* array_rule.f90:17 */
    for (fcl_idx d_dim_1 = 0; d_dim_1 < 6; ++d_dim_1) {
        d_fetch[d_dim_0 + 6*d_dim_1] = d[d_dim_0 + 6*d_dim_1];  /* array_rule.f90:17 */
    }
    v_buf = v[i + 6*e];  /* array_rule.f90:17 */
    barrier(CLK_LOCAL_MEM_FENCE);
    for (fcl_idx j = 0; j < 6; ++j) {
        v_buf = v_buf + d_fetch[i + 6*j]*flux_fetch[j];  /* array_rule.f90:17 */
    }
    v[i + 6*e] = v_buf;  /* array_rule.f90:17 */
}
