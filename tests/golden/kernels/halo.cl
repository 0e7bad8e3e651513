/* Made by fortrancl from halo in halo.f90. The launcher chooses FCL_IDX, wide enough for every element. */
#ifndef FCL_IDX
#define FCL_IDX int
#endif
typedef FCL_IDX fcl_idx;
#pragma OPENCL FP_CONTRACT OFF

__kernel __attribute__((reqd_work_group_size(16, 1, 1)))
void halo_kernel(
    int n,
    __global const float *restrict w,
    long w_off,
    __global const float *restrict x,
    long x_off,
    __global float *restrict y,
    long y_off)
{
    w += w_off;
    x += x_off;
    y += y_off;
    const fcl_idx i_outer = get_group_id(0);
    const fcl_idx i_inner = get_local_id(0);
    const fcl_idx x_dim_0_inner = get_local_id(0);
    const fcl_idx w_dim_0 = get_local_id(0);
    __local float x_fetch[20];
    __local float w_fetch[5];
    for (fcl_idx x_dim_0_outer = 0; x_dim_0_outer < 2; ++x_dim_0_outer) {
        if (16*x_dim_0_outer + x_dim_0_inner < 20 && 16*i_outer + 16*x_dim_0_outer + x_dim_0_inner <=
                (fcl_idx)n + 3) {
            x_fetch[x_dim_0_inner + 16*x_dim_0_outer] = x[16*i_outer + x_dim_0_inner + 16*x_dim_0_outer];  /* halo.f90:11 */
        }
    }
    if (w_dim_0 < 5) {
        w_fetch[w_dim_0] = w[w_dim_0];  /* halo.f90:11 */
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (16*i_outer + i_inner < n) {
        #pragma unroll
        for (fcl_idx s = 0; s < 5; ++s) {
            y[i_inner + 16*i_outer] = y[i_inner + 16*i_outer] + w_fetch[s]*x_fetch[s + i_inner];  /* halo.f90:11 */
        }
    }
}
