/* Each work-item writes one element of a local array and reads its neighbour's. With -DWITH_BARRIER that is right;
   without, it is a race that a CPU device hides. tests/support/test_oclgrind.py builds it both ways. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

#ifdef WITH_BARRIER
#define BETWEEN "  barrier(CLK_LOCAL_MEM_FENCE);\n"
#else
#define BETWEEN ""
#endif

#define CHECK(status)                                                          \
  do {                                                                         \
    cl_int s_ = (status);                                                      \
    if (s_ != CL_SUCCESS) {                                                    \
      fprintf(stderr, "line %d: OpenCL status %d\n", __LINE__, (int)s_);       \
      return 1;                                                                \
    }                                                                          \
  } while (0)

static const char *text =
    "__kernel void shift(__global int *x) {\n"
    "  __local int tile[16];\n"
    "  tile[get_local_id(0)] = x[get_global_id(0)];\n"
    BETWEEN
    "  x[get_global_id(0)] = tile[(get_local_id(0) + 1) % 16];\n"
    "}\n";

int main(void) {
  int x[64];
  size_t items = 64, group = 16;
  cl_platform_id platform;
  cl_device_id device;
  cl_int status;
  for (int i = 0; i < 64; i++) x[i] = i;
  CHECK(clGetPlatformIDs(1, &platform, NULL));
  CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
  cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  CHECK(status);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
  CHECK(status);
  cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
  CHECK(status);
  CHECK(clBuildProgram(program, 1, &device, "", NULL, NULL));
  cl_kernel kernel = clCreateKernel(program, "shift", &status);
  CHECK(status);
  cl_mem memory = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof x, x, &status);
  CHECK(status);
  CHECK(clSetKernelArg(kernel, 0, sizeof memory, &memory));
  CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL));
  CHECK(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof x, x, 0, NULL, NULL));
  printf("x(1) = %d\n", x[0]);
  return 0;
}
