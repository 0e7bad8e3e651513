/* fortrancl's run-time library: calls of offloaded procedures, on one OpenCL 1.2 device.
 *
 * One compilation unit: the headers beside are parts of it, and only fortrancl_rt.h is for others. It carries no
 * licence obligations into the programs that use it.
 */
#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#define CL_TARGET_OPENCL_VERSION 120

#include "fortrancl_rt.h"

#include <CL/cl.h>
#include <ctype.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const int fcl_abi_1 = 1;

#include "fcl_settings.h"
#include "fcl_errors.h"
#include "fcl_device.h"
#include "fcl_program.h"
#include "fcl_compare.h"
#include "fcl_timing.h"

/* Up to these sizes 32-bit indices are safe: bounds and tiles multiply a size by less than eight. */
static const int64_t narrow_size = INT64_C(1) << 28;
static const int64_t narrow_elements = INT64_C(1) << 30;

/* ---- checks ------------------------------------------------------------------------------------------------------ */

int fcl_begin(fcl_run *run, fcl_procedure *procedure, fcl_buffer *buffers)
{
    const settings_t *wanted = settings();
    memset(run, 0, sizeof *run);
    memset(buffers, 0, (size_t)procedure->buffer_count*sizeof *buffers);
    run->procedure = procedure;
    run->buffers = buffers;
    if (wanted->wrong != NULL) {
        fail(run, 659, "%s is '%s', but must be %s", wanted->wrong, wanted->wrong_value, wanted->wrong_choices);
        return 1;
    }
    if (wanted->offload == OFFLOAD_DISABLED) {
        return 0;
    }
    run->comparing = wanted->comparing;
    run->wide = wanted->index_bits == 64;
    if (run->comparing) {
        drop_uncompared(procedure);
    }
    return 1;
}

static const char fixed_hint[] = "\n  = hint: change lp.fix_parameters in the script, or the call";

void fcl_fixed_integer(fcl_run *run, const char *name, int64_t actual, int64_t wanted)
{
    if (actual != wanted) {
        fail(run, 655, "'%s' is %lld, but the script fixed it at %lld%s", name, (long long)actual, (long long)wanted,
             fixed_hint);
    }
}

void fcl_fixed_real(fcl_run *run, const char *name, double actual, double wanted)
{
    if (!(actual == wanted)) {
        fail(run, 655, "'%s' is %.17g, but the script fixed it at %.17g%s", name, actual, wanted, fixed_hint);
    }
}

void fcl_fixed_logical(fcl_run *run, const char *name, int actual, int wanted)
{
    if ((actual != 0) != (wanted != 0)) {
        fail(run, 655, "'%s' is %s, but the script fixed it at %s%s", name, actual != 0 ? ".true." : ".false.",
             wanted != 0 ? ".true." : ".false.", fixed_hint);
    }
}

void fcl_require(fcl_run *run, int holds, const char *otherwise, int line)
{
    if (!holds && run->failure == 0) {
        run->failure_line = line;
        fail(run, 656, "%s with these arguments", otherwise);
    }
}

void fcl_size(fcl_run *run, int64_t value)
{
    if (value > narrow_size || value < -narrow_size) {
        run->wide = 1;
    }
}

/* ---- buffers ----------------------------------------------------------------------------------------------------- */

void fcl_array(fcl_run *run, int buffer, const void *host, int64_t first, int64_t last)
{
    fcl_buffer *one = &run->buffers[buffer];
    /* Read-only data are never written through this pointer. */
    memcpy(&one->host, &host, sizeof host);
    one->first = first;
    one->last = last;
    if (last > narrow_elements) {
        run->wide = 1;
    }
}

void fcl_dimension(fcl_run *run, int buffer, int64_t lower, int64_t extent)
{
    fcl_buffer *one = &run->buffers[buffer];
    if (one->rank < FCL_MAX_RANK) {
        one->lower[one->rank] = lower;
        one->extent[one->rank] = extent;
        one->rank += 1;
    }
    if (extent != FCL_OPEN) {
        fcl_size(run, extent);
    }
    if (extent <= 0) {
        one->last = one->first - 1;
    }
}

void fcl_rows(fcl_run *run, int buffer, int64_t first, int64_t last)
{
    fcl_buffer *one = &run->buffers[buffer];
    one->row_first = first;
    one->row_last = last;
    one->has_rows = 1;
}

void fcl_temporary(fcl_run *run, int buffer, int64_t count)
{
    fcl_array(run, buffer, NULL, 0, count - 1);
}

static size_t element_bytes(const fcl_run *run, int buffer)
{
    return element_size(&run->procedure->buffers[buffer]);
}

static int is_temporary(const fcl_run *run, int buffer)
{
    return (run->procedure->buffers[buffer].flags & FCL_TEMPORARY) != 0;
}

static unsigned char *host_start(const fcl_run *run, int buffer)
{
    const fcl_buffer *one = &run->buffers[buffer];
    return (unsigned char *)one->host + one->first*(int64_t)element_bytes(run, buffer);
}

/* Bytes of the used part; 0 where it is empty. */
static size_t used_bytes(const fcl_run *run, int buffer)
{
    const fcl_buffer *one = &run->buffers[buffer];
    return one->last < one->first ? 0 : (size_t)(one->last - one->first + 1)*element_bytes(run, buffer);
}

/* Two parts of one matrix that lie in different rows of it do not meet, though their ranges do. */
static int rows_are_apart(const fcl_run *run, int a, int b)
{
    const fcl_buffer *one = &run->buffers[a], *other = &run->buffers[b];
    const int64_t size_a = (int64_t)element_bytes(run, a), size_b = (int64_t)element_bytes(run, b);
    int64_t pitch, apart, width_a, width_b;
    if (!one->has_rows || !other->has_rows) {
        return 0;
    }
    pitch = one->extent[0]*size_a;
    width_a = (one->row_last - one->row_first + 1)*size_a;
    width_b = (other->row_last - other->row_first + 1)*size_b;
    if (pitch <= 0 || pitch != other->extent[0]*size_b) {
        return 0;
    }
    apart = fcl_floormod((int64_t)((intptr_t)host_start(run, b) - (intptr_t)host_start(run, a)), pitch);
    return apart >= width_a && apart + width_b <= pitch;
}

static void check_overlaps(fcl_run *run)
{
    const fcl_buffer_info *info = run->procedure->buffers;
    int a, b;
    for (a = 0; a < run->procedure->buffer_count; ++a) {
        for (b = a + 1; b < run->procedure->buffer_count; ++b) {
            const size_t bytes_a = used_bytes(run, a), bytes_b = used_bytes(run, b);
            const uintptr_t start_a = (uintptr_t)host_start(run, a), start_b = (uintptr_t)host_start(run, b);
            if (is_temporary(run, a) || is_temporary(run, b) || !(is_result(&info[a]) || is_result(&info[b]))
                || bytes_a == 0 || bytes_b == 0 || start_a + bytes_a <= start_b || start_b + bytes_b <= start_a) {
                continue;
            }
            if (rows_are_apart(run, a, b)) {
                run->buffers[a].interleaved = 1;
                run->buffers[b].interleaved = 1;
                continue;
            }
            fail(run, 657, "arguments '%s' and '%s' overlap in memory, and '%s' is written, which Fortran forbids%s",
                 info[a].name, info[b].name, is_result(&info[b]) ? info[b].name : info[a].name,
                 "\n  = hint: pass a copy of one of them");
        }
    }
}

static void make_buffer(fcl_run *run, int buffer)
{
    fcl_buffer *one = &run->buffers[buffer];
    const fcl_buffer_info *info = &run->procedure->buffers[buffer];
    const size_t bytes = used_bytes(run, buffer);
    cl_int status;
    if (run->failure != 0) {
        return;
    }
    if (bytes > gpu.max_bytes) {
        fail(run, 658, "'%s' takes %llu bytes; device '%s' allows %llu in one buffer", info->name,
             (unsigned long long)bytes, gpu.name, (unsigned long long)gpu.max_bytes);
        return;
    }
    /* No buffer of 0 bytes exists; one byte stands for an array that no launch touches. */
    one->device = clCreateBuffer(gpu.context, CL_MEM_READ_WRITE, bytes == 0 ? 1 : bytes, NULL, &status);
    if (!good(run, status, "clCreateBuffer") || bytes == 0 || (info->flags & FCL_IN) == 0) {
        return;
    }
    good(run, clEnqueueWriteBuffer(gpu.queue, one->device, CL_FALSE, 0, bytes, host_start(run, buffer), 0, NULL, NULL),
         "clEnqueueWriteBuffer");
}

void fcl_copy_in(fcl_run *run)
{
    int buffer;
    if (run->failure != 0) {
        return;
    }
    check_overlaps(run);
    if (run->failure != 0) {
        return;
    }
    pthread_mutex_lock(&gpu.lock);
    device_ready(run);
    pthread_mutex_unlock(&gpu.lock);
    for (buffer = 0; buffer < run->procedure->buffer_count; ++buffer) {
        make_buffer(run, buffer);
    }
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

static void check_geometry(fcl_run *run, const int64_t groups[3])
{
    const size_t items = run->local[0]*run->local[1]*run->local[2];
    int axis;
    if (items > gpu.max_group) {
        fail(run, 658, "kernel '%s' wants work-groups of %lu work-items; device '%s' allows %lu", run->kernel->name,
             (unsigned long)items, gpu.name, (unsigned long)gpu.max_group);
    }
    for (axis = 0; axis < 3; ++axis) {
        if (gpu.max_items[axis] != 0 && run->local[axis] > gpu.max_items[axis]) {
            fail(run, 658, "kernel '%s' wants %lu work-items along l.%d; device '%s' allows %lu", run->kernel->name,
                 (unsigned long)run->local[axis], axis, gpu.name, (unsigned long)gpu.max_items[axis]);
        }
        /* OpenCL has no query for this; NVIDIA's limits are CUDA's. */
        if (contains(gpu.vendor, "NVIDIA", 6) && groups[axis] > (axis == 0 ? 2147483647 : 65535)) {
            fail(run, 658, "kernel '%s' wants %lld work-groups along g.%d; device '%s' allows %d", run->kernel->name,
                 (long long)groups[axis], axis, gpu.name, axis == 0 ? 2147483647 : 65535);
        }
    }
}

/* Where this gives 1 the lock is held until fcl_enqueue: a kernel holds its arguments, and threads share kernels. */
int fcl_launch(fcl_run *run, int kernel, const int64_t groups[3], const int64_t local[3])
{
    int axis, wide = run->wide;
    if (run->failure != 0 || groups[0] <= 0 || groups[1] <= 0 || groups[2] <= 0) {
        return 0;
    }
    run->kernel = &run->procedure->kernels[kernel];
    run->argument = 0;
    for (axis = 0; axis < 3; ++axis) {
        if (groups[axis] > INT64_MAX/local[axis]) {
            fail(run, 658, "kernel '%s' wants %lld work-groups along g.%d", run->kernel->name, (long long)groups[axis],
                 axis);
            return 0;
        }
        run->local[axis] = (size_t)local[axis];
        run->global[axis] = (size_t)(groups[axis]*local[axis]);
        if (groups[axis]*local[axis] > narrow_elements) {
            wide = 1;
        }
    }
    check_geometry(run, groups);
    if (run->failure != 0) {
        return 0;
    }
    pthread_mutex_lock(&gpu.lock);
    if (!program_ready(run, wide)) {
        pthread_mutex_unlock(&gpu.lock);
        return 0;
    }
    run->handle = run->kernel->handle[wide];
    return 1;
}

void fcl_pass_value(fcl_run *run, size_t size, const void *value)
{
    const cl_int status = run->failure == 0 ? clSetKernelArg(run->handle, run->argument, size, value) : CL_SUCCESS;
    if (status != CL_SUCCESS) {
        fail(run, 654, "clSetKernelArg failed for argument %u of kernel '%s': %s (%d)", run->argument,
             run->kernel->name, status_name(status), (int)status);
    }
    run->argument += 1;
}

void fcl_pass_buffer(fcl_run *run, int buffer)
{
    cl_mem memory = run->buffers[buffer].device;
    const cl_long offset = -run->buffers[buffer].first;
    fcl_pass_value(run, sizeof memory, &memory);
    fcl_pass_value(run, sizeof offset, &offset);
}

void fcl_enqueue(fcl_run *run)
{
    cl_event event = NULL;
    if (run->failure == 0) {
        const cl_int status = clEnqueueNDRangeKernel(gpu.queue, run->handle, 3, NULL, run->global, run->local, 0, NULL,
                                                     &event);
        if (status != CL_SUCCESS) {
            fail(run, status == CL_INVALID_WORK_GROUP_SIZE || status == CL_OUT_OF_RESOURCES ? 658 : 654,
                 "kernel '%s' could not be launched with work-groups of %lu x %lu x %lu: %s (%d)", run->kernel->name,
                 (unsigned long)run->local[0], (unsigned long)run->local[1], (unsigned long)run->local[2],
                 status_name(status), (int)status);
        }
    }
    pthread_mutex_unlock(&gpu.lock);
    if (event != NULL) {
        keep_event(run, event);
    }
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

/* From the device to `target`, which is the host's array or a stash. */
static void read_back(fcl_run *run, int buffer, unsigned char *target, int by_rows)
{
    const fcl_buffer *one = &run->buffers[buffer];
    const size_t bytes = used_bytes(run, buffer);
    if (run->failure != 0 || bytes == 0) {
        return;
    }
    if (by_rows) {
        /* What lies between the rows belongs to another argument. */
        static const size_t origin[3] = {0, 0, 0};
        const size_t pitch = (size_t)one->extent[0]*element_bytes(run, buffer);
        const size_t width = (size_t)(one->row_last - one->row_first + 1)*element_bytes(run, buffer);
        const size_t region[3] = {width, (bytes - width)/pitch + 1, 1};
        good(run, clEnqueueReadBufferRect(gpu.queue, one->device, CL_TRUE, origin, origin, region, pitch, 0, pitch, 0,
                                          target, 0, NULL, NULL),
             "clEnqueueReadBufferRect");
    } else {
        good(run, clEnqueueReadBuffer(gpu.queue, one->device, CL_TRUE, 0, bytes, target, 0, NULL, NULL),
             "clEnqueueReadBuffer");
    }
}

static void take_results(fcl_run *run)
{
    struct pending *waiting = NULL;
    int buffer;
    if (run->comparing && (waiting = new_pending(run)) == NULL) {
        fail(run, 660, "out of memory");
        return;
    }
    for (buffer = 0; buffer < run->procedure->buffer_count; ++buffer) {
        if (!is_result(&run->procedure->buffers[buffer])) {
            continue;
        }
        if (waiting != NULL) {
            read_back(run, buffer, waiting->results[buffer].bytes, 0);
        } else {
            run->read_back = 1;
            read_back(run, buffer, host_start(run, buffer), run->buffers[buffer].interleaved);
        }
    }
    if (waiting != NULL && run->failure != 0) {
        discard_one(waiting);
    } else if (waiting != NULL) {
        thread_state *thread = this_thread();
        waiting->next = thread->pending;
        thread->pending = waiting;
    }
}

int fcl_end(fcl_run *run)
{
    int buffer, result = run->comparing ? FCL_RUN_BODY : FCL_DONE;
    if (gpu.queue != NULL) {
        /* After a failure, too: copies that still run read the caller's memory. */
        good(run, clFinish(gpu.queue), "clFinish");
    }
    finish_launches(run);
    if (run->failure == 0) {
        take_results(run);
    }
    for (buffer = 0; buffer < run->procedure->buffer_count; ++buffer) {
        if (run->buffers[buffer].device != NULL) {
            clReleaseMemObject(run->buffers[buffer].device);
        }
    }
    free(run->events);
    free(run->event_kernels);
    if (run->failure != 0) {
        result = report(run);
    }
    free(run->failure_text);
    return result;
}
