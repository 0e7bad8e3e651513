/* Made by fortrancl from element in element.f90. The launcher chooses FCL_IDX, wide enough for every element. */
#ifndef FCL_IDX
#define FCL_IDX int
#endif
typedef FCL_IDX fcl_idx;
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel __attribute__((reqd_work_group_size(4, 4, 1)))
void element_kernel(
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
    const fcl_idx j = get_local_id(1);
    const fcl_idx i = get_local_id(0);
    const fcl_idx j_1 = get_local_id(1);
    const fcl_idx i_1 = get_local_id(0);
    const fcl_idx u_dim_0 = get_local_id(0);
    const fcl_idx u_dim_1 = get_local_id(1);
    __local double du[16];
    __local double u_fetch[16];
    du[i + 4*j] = 0;  /* element.f90:14 */
    u_fetch[u_dim_0 + 4*u_dim_1] = u[u_dim_0 + 4*(u_dim_1 + 4*e)];  /* element.f90:16 */
    barrier(CLK_LOCAL_MEM_FENCE);
    for (fcl_idx k = 0; k < 4; ++k) {
        du[i + 4*j] = du[i + 4*j] + d[i + 4*k]*u_fetch[k + 4*j];  /* element.f90:16 */
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    #pragma unroll
    for (fcl_idx l = 0; l < 4; ++l) {
        v[i_1 + 4*(j_1 + 4*e)] = v[i_1 + 4*(j_1 + 4*e)] + d[l + 4*j_1]*du[i_1 + 4*l];  /* element.f90:23 */
    }
}
