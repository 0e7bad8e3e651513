/* Launches that were made: how they ended and how long they took. Part of fortrancl_rt.c. */

static fcl_kernel *timed_kernels;

static void print_timing(void)
{
    const fcl_kernel *kernel;
    for (kernel = timed_kernels; kernel != NULL; kernel = kernel->next) {
        fprintf(stderr, "fortrancl: timing kernel=%s launches=%ld ms=%.6f device=%s\n", kernel->name, kernel->launches,
                kernel->milliseconds, gpu.name);
    }
}

/* In the order of first launches; the lock is held. */
static void add_time(fcl_kernel *kernel, double milliseconds)
{
    if (kernel->launches == 0) {
        fcl_kernel **end = &timed_kernels;
        if (timed_kernels == NULL) {
            atexit(print_timing);
        }
        while (*end != NULL) {
            end = &(*end)->next;
        }
        *end = kernel;
    }
    kernel->launches += 1;
    kernel->milliseconds += milliseconds;
}

static void keep_event(fcl_run *run, cl_event event)
{
    if (run->event_count == run->event_room) {
        const size_t room = run->event_room == 0 ? 16 : 2*run->event_room;
        void **events = realloc(run->events, room*sizeof *events);
        fcl_kernel **kernels = realloc(run->event_kernels, room*sizeof *kernels);
        run->events = events == NULL ? run->events : events;
        run->event_kernels = kernels == NULL ? run->event_kernels : kernels;
        if (events == NULL || kernels == NULL) {
            clReleaseEvent(event);
            fail(run, 660, "out of memory");
            return;
        }
        run->event_room = room;
    }
    run->events[run->event_count] = event;
    run->event_kernels[run->event_count++] = run->kernel;
}

/* Every launch's end, its status and, if asked for, its time. */
static void finish_launches(fcl_run *run)
{
    size_t at;
    pthread_mutex_lock(&gpu.lock);
    for (at = 0; at < run->event_count; ++at) {
        cl_event event = run->events[at];
        cl_int status = CL_COMPLETE;
        cl_ulong start = 0, end = 0;
        if (run->failure == 0
            && good(run, clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL),
                    "clGetEventInfo")
            && status < 0) {
            fail(run, 654, "kernel '%s' failed: %s (%d)", run->event_kernels[at]->name, status_name(status),
                 (int)status);
        }
        if (settings()->timing && run->failure == 0
            && clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL) == CL_SUCCESS
            && clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL) == CL_SUCCESS) {
            add_time(run->event_kernels[at], 1e-6*(double)(end - start));
        }
        clReleaseEvent(event);
    }
    pthread_mutex_unlock(&gpu.lock);
    run->event_count = 0;
}
