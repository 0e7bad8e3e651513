/* Made by fortrancl from unrolled in unrolled.f90. The launcher chooses FCL_IDX, wide enough for every element. */
#ifndef FCL_IDX
#define FCL_IDX int
#endif
typedef FCL_IDX fcl_idx;
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel __attribute__((reqd_work_group_size(8, 1, 1)))
void unrolled_kernel(
    int n,
    __global const double *restrict w,
    long w_off,
    __global const double *restrict x,
    long x_off,
    __global double *restrict y,
    long y_off)
{
    w += w_off;
    x += x_off;
    y += y_off;
    const fcl_idx i_outer_outer = get_group_id(0);
    const fcl_idx i_outer_inner = get_local_id(0);
    if (32*i_outer_outer + 3 < n) {
        #pragma unroll
        for (fcl_idx i_inner = 0; i_inner < 4; ++i_inner) {
            for (fcl_idx k_outer = 0; k_outer < 3; ++k_outer) {
                if (k_outer < 2) {
                    if (32*i_outer_outer + 4*i_outer_inner + i_inner < n) {
                        #pragma unroll
                        for (fcl_idx k_inner = 0; k_inner < 3; ++k_inner) {
                            y[i_inner + 4*(i_outer_inner + 8*i_outer_outer)] = y[i_inner + 4*(i_outer_inner +
                                    8*i_outer_outer)]*w[k_inner + 3*k_outer] + x[i_inner + 4*(i_outer_inner +
                                    8*i_outer_outer)];  /* unrolled.f90:11 */
                        }
                    }
                } else {
                    if (32*i_outer_outer + 4*i_outer_inner + i_inner < n) {
                        for (fcl_idx k_inner = 0; k_inner < min((fcl_idx)3, -(3*k_outer) + 7); ++k_inner) {
                            y[i_inner + 4*(i_outer_inner + 8*i_outer_outer)] = y[i_inner + 4*(i_outer_inner +
                                    8*i_outer_outer)]*w[k_inner + 3*k_outer] + x[i_inner + 4*(i_outer_inner +
                                    8*i_outer_outer)];  /* unrolled.f90:11 */
                        }
                    }
                }
            }
        }
    } else {
        for (fcl_idx i_inner = 0; i_inner < min(n - 32*i_outer_outer, (fcl_idx)4); ++i_inner) {
            for (fcl_idx k_outer = 0; k_outer < 3; ++k_outer) {
                if (k_outer < 2) {
                    if (32*i_outer_outer + 4*i_outer_inner + i_inner < n) {
                        #pragma unroll
                        for (fcl_idx k_inner = 0; k_inner < 3; ++k_inner) {
                            y[i_inner + 4*(i_outer_inner + 8*i_outer_outer)] = y[i_inner + 4*(i_outer_inner +
                                    8*i_outer_outer)]*w[k_inner + 3*k_outer] + x[i_inner + 4*(i_outer_inner +
                                    8*i_outer_outer)];  /* unrolled.f90:11 */
                        }
                    }
                } else {
                    if (32*i_outer_outer + 4*i_outer_inner + i_inner < n) {
                        for (fcl_idx k_inner = 0; k_inner < min((fcl_idx)3, -(3*k_outer) + 7); ++k_inner) {
                            y[i_inner + 4*(i_outer_inner + 8*i_outer_outer)] = y[i_inner + 4*(i_outer_inner +
                                    8*i_outer_outer)]*w[k_inner + 3*k_outer] + x[i_inner + 4*(i_outer_inner +
                                    8*i_outer_outer)];  /* unrolled.f90:11 */
                        }
                    }
                }
            }
        }
    }
}
