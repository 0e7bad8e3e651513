/* Failures: their text, who hears of them. Part of fortrancl_rt.c. */

static struct {
    pthread_mutex_t lock;
    fcl_error_handler handler;
    void *user;
} errors = {PTHREAD_MUTEX_INITIALIZER, NULL, NULL};

/* What one thread keeps: caught failures, and results that wait for the body's (see fcl_compare.h). */
typedef struct thread_state {
    int catching;
    int code;
    char *message;
    struct pending *pending;
} thread_state;

static pthread_key_t thread_key;
static pthread_once_t thread_once = PTHREAD_ONCE_INIT;

static void discard_pending(struct pending *list);

static void free_thread(void *value)
{
    thread_state *state = value;
    discard_pending(state->pending);
    free(state->message);
    free(state);
}

static void make_thread_key(void)
{
    if (pthread_key_create(&thread_key, free_thread) != 0) {
        fputs("fortrancl: error[FCL660]: no thread-specific key left\n", stderr);
        exit(1);
    }
}

static thread_state *this_thread(void)
{
    thread_state *state;
    pthread_once(&thread_once, make_thread_key);
    state = pthread_getspecific(thread_key);
    if (state == NULL) {
        state = calloc(1, sizeof *state);
        if (state == NULL || pthread_setspecific(thread_key, state) != 0) {
            fputs("fortrancl: error[FCL660]: out of memory\n", stderr);
            exit(1);
        }
    }
    return state;
}

/* A text of its own; NULL only when memory is out, which every reader takes as an empty text. */
static char *format_list(const char *form, va_list arguments)
{
    va_list again;
    char *text;
    int length;
    va_copy(again, arguments);
    length = vsnprintf(NULL, 0, form, again);
    va_end(again);
    text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (text != NULL) {
        vsnprintf(text, (size_t)length + 1, form, arguments);
    }
    return text;
}

static char *format(const char *form, ...)
{
    va_list arguments;
    char *text;
    va_start(arguments, form);
    text = format_list(form, arguments);
    va_end(arguments);
    return text;
}

/* The first failure of a call counts. */
static void fail(fcl_run *run, int code, const char *form, ...)
{
    va_list arguments;
    if (run->failure != 0) {
        return;
    }
    va_start(arguments, form);
    run->failure = code;
    run->failure_text = format_list(form, arguments);
    va_end(arguments);
}

static char *whole_message(const char *severity, int code, const fcl_procedure *procedure, int line, const char *text)
{
    return format("fortrancl: %s[FCL%d]: %s:%d: procedure '%s': %s", severity, code, procedure->file,
                  line > 0 ? line : procedure->line, procedure->name, text == NULL ? "out of memory" : text);
}

static void say(const char *message)
{
    fprintf(stderr, "%s\n", message == NULL ? "fortrancl: error[FCL660]: out of memory" : message);
    fflush(stderr);
}

/* Tells a failed call; gives what its launcher returns. */
static int report(fcl_run *run)
{
    char *message;
    fcl_procedure *procedure = run->procedure;
    thread_state *thread = this_thread();
    const int safe = !run->read_back;
    fcl_error_handler handler;
    void *user;

    if (settings()->offload == OFFLOAD_DEFAULT && safe) {
        int first;
        pthread_mutex_lock(&errors.lock);
        first = !procedure->warned;
        procedure->warned = 1;
        pthread_mutex_unlock(&errors.lock);
        if (first) {
            char *text = format("runs on the host, as FORTRANCL_OFFLOAD=default allows: FCL%d: %s", run->failure,
                                run->failure_text == NULL ? "out of memory" : run->failure_text);
            message = whole_message("warning", 662, procedure, run->failure_line, text);
            say(message);
            free(message);
            free(text);
        }
        return FCL_RUN_BODY;
    }
    message = whole_message("error", run->failure, procedure, run->failure_line, run->failure_text);
    if (thread->catching) {
        if (thread->code == 0) {
            thread->code = run->failure;
            thread->message = message;
        } else {
            free(message);
        }
        return FCL_FAILED;
    }
    pthread_mutex_lock(&errors.lock);
    handler = errors.handler;
    user = errors.user;
    pthread_mutex_unlock(&errors.lock);
    say(message);
    if (handler != NULL) {
        handler(run->failure, message == NULL ? "out of memory" : message, user);
    }
    free(message);
    if (handler == NULL || !safe) {
        exit(1);
    }
    return FCL_RUN_BODY;
}

void fcl_set_error_handler(fcl_error_handler handler, void *user)
{
    pthread_mutex_lock(&errors.lock);
    errors.handler = handler;
    errors.user = user;
    pthread_mutex_unlock(&errors.lock);
}

void fcl_catch_errors(void)
{
    thread_state *thread = this_thread();
    free(thread->message);
    thread->message = NULL;
    thread->code = 0;
    thread->catching = 1;
}

int fcl_caught_error(char *message, int64_t length)
{
    thread_state *thread = this_thread();
    const int code = thread->code;
    if (code != 0 && length > 0) {
        const char *text = thread->message == NULL ? "out of memory" : thread->message;
        const size_t all = strlen(text), room = (size_t)length, used = all < room ? all : room;
        memcpy(message, text, used);
        memset(message + used, ' ', room - used);
    }
    free(thread->message);
    thread->message = NULL;
    thread->code = 0;
    thread->catching = 0;
    return code;
}

static const char *status_name(cl_int status)
{
    static const struct {
        cl_int status;
        const char *name;
    } names[] = {
        {-1, "CL_DEVICE_NOT_FOUND"},
        {-2, "CL_DEVICE_NOT_AVAILABLE"},
        {-3, "CL_COMPILER_NOT_AVAILABLE"},
        {-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
        {-5, "CL_OUT_OF_RESOURCES"},
        {-6, "CL_OUT_OF_HOST_MEMORY"},
        {-7, "CL_PROFILING_INFO_NOT_AVAILABLE"},
        {-8, "CL_MEM_COPY_OVERLAP"},
        {-11, "CL_BUILD_PROGRAM_FAILURE"},
        {-12, "CL_MAP_FAILURE"},
        {-13, "CL_MISALIGNED_SUB_BUFFER_OFFSET"},
        {-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
        {-15, "CL_COMPILE_PROGRAM_FAILURE"},
        {-16, "CL_LINKER_NOT_AVAILABLE"},
        {-17, "CL_LINK_PROGRAM_FAILURE"},
        {-19, "CL_KERNEL_ARG_INFO_NOT_AVAILABLE"},
        {-30, "CL_INVALID_VALUE"},
        {-31, "CL_INVALID_DEVICE_TYPE"},
        {-32, "CL_INVALID_PLATFORM"},
        {-33, "CL_INVALID_DEVICE"},
        {-34, "CL_INVALID_CONTEXT"},
        {-35, "CL_INVALID_QUEUE_PROPERTIES"},
        {-36, "CL_INVALID_COMMAND_QUEUE"},
        {-37, "CL_INVALID_HOST_PTR"},
        {-38, "CL_INVALID_MEM_OBJECT"},
        {-42, "CL_INVALID_BINARY"},
        {-43, "CL_INVALID_BUILD_OPTIONS"},
        {-44, "CL_INVALID_PROGRAM"},
        {-45, "CL_INVALID_PROGRAM_EXECUTABLE"},
        {-46, "CL_INVALID_KERNEL_NAME"},
        {-47, "CL_INVALID_KERNEL_DEFINITION"},
        {-48, "CL_INVALID_KERNEL"},
        {-49, "CL_INVALID_ARG_INDEX"},
        {-50, "CL_INVALID_ARG_VALUE"},
        {-51, "CL_INVALID_ARG_SIZE"},
        {-52, "CL_INVALID_KERNEL_ARGS"},
        {-53, "CL_INVALID_WORK_DIMENSION"},
        {-54, "CL_INVALID_WORK_GROUP_SIZE"},
        {-55, "CL_INVALID_WORK_ITEM_SIZE"},
        {-56, "CL_INVALID_GLOBAL_OFFSET"},
        {-57, "CL_INVALID_EVENT_WAIT_LIST"},
        {-58, "CL_INVALID_EVENT"},
        {-59, "CL_INVALID_OPERATION"},
        {-61, "CL_INVALID_BUFFER_SIZE"},
        {-63, "CL_INVALID_GLOBAL_WORK_SIZE"},
        {-64, "CL_INVALID_PROPERTY"},
        {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
    };
    size_t at;
    for (at = 0; at < sizeof names/sizeof names[0]; ++at) {
        if (names[at].status == status) {
            return names[at].name;
        }
    }
    return "an OpenCL status without a name";
}

/* Whether an OpenCL call went well. */
static int good(fcl_run *run, cl_int status, const char *function)
{
    if (status != CL_SUCCESS) {
        fail(run, 654, "%s failed: %s (%d)", function, status_name(status), (int)status);
    }
    return status == CL_SUCCESS;
}
