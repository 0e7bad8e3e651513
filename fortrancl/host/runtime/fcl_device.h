/* The one device of the process, its context and its queue. Part of fortrancl_rt.c. */

static struct {
    pthread_mutex_t lock;
    int tried;
    int failure;
    char *failure_text;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    char *name, *driver, *version, *vendor;
    size_t max_group;
    size_t max_items[3];
    cl_ulong max_bytes;
} gpu = {PTHREAD_MUTEX_INITIALIZER, 0, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, {0, 0, 0}, 0};

typedef struct candidate {
    cl_device_id device;
    cl_device_type type;
    unsigned platform, index;
    char *name, *platform_name;
} candidate;

static const char no_device_hint[] =
    "\n  = hint: eval \"$(fortrancl devices --env)\" lets this program find the embedded PoCL (a device on the CPU)"
    "\n  = hint: FORTRANCL_OFFLOAD=disabled runs the Fortran as it stands, without a device";

static char *device_text(cl_device_id device, cl_device_info what)
{
    size_t size = 0;
    char *text;
    if (clGetDeviceInfo(device, what, 0, NULL, &size) != CL_SUCCESS || (text = malloc(size + 1)) == NULL) {
        return format("?");
    }
    text[size] = '\0';
    if (clGetDeviceInfo(device, what, size, text, NULL) != CL_SUCCESS) {
        text[0] = '\0';
    }
    return text;
}

static char *platform_text(cl_platform_id platform, cl_platform_info what)
{
    size_t size = 0;
    char *text;
    if (clGetPlatformInfo(platform, what, 0, NULL, &size) != CL_SUCCESS || (text = malloc(size + 1)) == NULL) {
        return format("?");
    }
    text[size] = '\0';
    if (clGetPlatformInfo(platform, what, size, text, NULL) != CL_SUCCESS) {
        text[0] = '\0';
    }
    return text;
}

static int contains(const char *text, const char *part, size_t length)
{
    for (; *text != '\0'; ++text) {
        size_t at = 0;
        while (at < length && tolower((unsigned char)text[at]) == tolower((unsigned char)part[at])) {
            ++at;
        }
        if (at == length) {
            return 1;
        }
    }
    return length == 0;
}

/* The number that a text is, or -1. */
static long as_number(const char *text, size_t length)
{
    long value = 0;
    size_t at;
    if (length == 0 || length > 6) {
        return -1;
    }
    for (at = 0; at < length; ++at) {
        if (!isdigit((unsigned char)text[at])) {
            return -1;
        }
        value = 10*value + (text[at] - '0');
    }
    return value;
}

/* All devices of all platforms, in the loader's order. */
static candidate *all_devices(fcl_run *run, unsigned *count)
{
    cl_uint platforms = 0, p;
    cl_platform_id *ids = NULL;
    candidate *list = NULL;
    cl_int status = clGetPlatformIDs(0, NULL, &platforms);
    *count = 0;
    if (status == -1001 || (status == CL_SUCCESS && platforms == 0)) {
        return NULL;
    }
    if (!good(run, status, "clGetPlatformIDs")) {
        return NULL;
    }
    ids = calloc(platforms, sizeof *ids);
    if (ids == NULL || !good(run, clGetPlatformIDs(platforms, ids, NULL), "clGetPlatformIDs")) {
        free(ids);
        return NULL;
    }
    for (p = 0; p < platforms; ++p) {
        cl_uint devices = 0, d;
        cl_device_id *found;
        candidate *longer;
        if (clGetDeviceIDs(ids[p], CL_DEVICE_TYPE_ALL, 0, NULL, &devices) != CL_SUCCESS || devices == 0) {
            continue;
        }
        found = calloc(devices, sizeof *found);
        longer = realloc(list, (*count + devices)*sizeof *list);
        list = longer == NULL ? list : longer;
        if (found == NULL || longer == NULL
            || clGetDeviceIDs(ids[p], CL_DEVICE_TYPE_ALL, devices, found, NULL) != CL_SUCCESS) {
            free(found);
            continue;
        }
        for (d = 0; d < devices; ++d) {
            candidate *one = &list[(*count)++];
            one->device = found[d];
            one->type = 0;
            clGetDeviceInfo(found[d], CL_DEVICE_TYPE, sizeof one->type, &one->type, NULL);
            one->platform = p;
            one->index = d;
            one->name = device_text(found[d], CL_DEVICE_NAME);
            one->platform_name = platform_text(ids[p], CL_PLATFORM_NAME);
        }
        free(found);
    }
    free(ids);
    return list;
}

/* Whether FORTRANCL_DEVICE=[platform:]index|name means this device; `at` is its number among all. */
static int is_wanted(const candidate *one, unsigned at, const char *wanted)
{
    const char *colon = strchr(wanted, ':');
    const size_t length = strlen(wanted);
    long number;
    if (colon != NULL) {
        const size_t left = (size_t)(colon - wanted), right = length - left - 1;
        const long platform = as_number(wanted, left);
        if (platform >= 0 ? one->platform == (unsigned)platform : contains(one->platform_name, wanted, left)) {
            number = as_number(colon + 1, right);
            if (number >= 0 ? one->index == (unsigned)number : contains(one->name, colon + 1, right)) {
                return 1;
            }
        }
    }
    number = as_number(wanted, length);
    return number >= 0 ? at == (unsigned)number : contains(one->name, wanted, length);
}

/* The rank among the processes of this node, as launchers tell it; 0 outside MPI. */
static unsigned long local_rank(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "MV2_COMM_WORLD_LOCAL_RANK",
                                        "PALS_LOCAL_RANKID", "SLURM_LOCALID"};
    size_t at;
    for (at = 0; at < sizeof names/sizeof names[0]; ++at) {
        const char *value = variable(names[at]);
        if (value != NULL && as_number(value, strlen(value)) >= 0) {
            return (unsigned long)as_number(value, strlen(value));
        }
    }
    return 0;
}

/* The device that the user names; else, among devices of the best type there is, this rank's. -1: none. */
static long choose(const candidate *list, unsigned count)
{
    static const cl_device_type order[] = {CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ACCELERATOR, CL_DEVICE_TYPE_ALL};
    const char *wanted = settings()->device;
    unsigned long rank = local_rank();
    unsigned at;
    size_t kind;
    if (wanted != NULL) {
        unsigned matching = 0;
        for (at = 0; at < count; ++at) {
            matching += is_wanted(&list[at], at, wanted) ? 1 : 0;
        }
        for (at = 0, rank = matching > 0 ? rank%matching : 0; at < count; ++at) {
            if (is_wanted(&list[at], at, wanted) && rank-- == 0) {
                return (long)at;
            }
        }
        return -1;
    }
    for (kind = 0; kind < sizeof order/sizeof order[0]; ++kind) {
        unsigned matching = 0;
        for (at = 0; at < count; ++at) {
            matching += (list[at].type & order[kind]) != 0 ? 1 : 0;
        }
        if (matching > 0) {
            for (at = 0, rank %= matching; at < count; ++at) {
                if ((list[at].type & order[kind]) != 0 && rank-- == 0) {
                    return (long)at;
                }
            }
        }
    }
    return -1;
}

static char *list_text(const candidate *list, unsigned count)
{
    char *text = format("%s", "");
    unsigned at;
    for (at = 0; at < count; ++at) {
        char *longer = format("%s%s%u '%s' (platform '%s')", text == NULL ? "" : text, at == 0 ? "" : ", ", at,
                              list[at].name, list[at].platform_name);
        free(text);
        text = longer;
    }
    return text;
}

static void take_device(fcl_run *run, cl_device_id device)
{
    cl_int status;
    cl_uint dimensions = 0;
    const cl_command_queue_properties properties = settings()->timing ? CL_QUEUE_PROFILING_ENABLE : 0;
    gpu.device = device;
    gpu.name = device_text(device, CL_DEVICE_NAME);
    gpu.driver = device_text(device, CL_DRIVER_VERSION);
    gpu.version = device_text(device, CL_DEVICE_VERSION);
    gpu.vendor = device_text(device, CL_DEVICE_VENDOR);
    if (!good(run, clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof gpu.max_group, &gpu.max_group, NULL),
              "clGetDeviceInfo")
        || !good(run, clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof gpu.max_bytes, &gpu.max_bytes, NULL),
                 "clGetDeviceInfo")
        || !good(run, clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, sizeof dimensions, &dimensions, NULL),
                 "clGetDeviceInfo")) {
        return;
    }
    if (dimensions >= 3 && dimensions <= 16) {
        size_t items[16] = {0};
        if (!good(run, clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, dimensions*sizeof items[0], items, NULL),
                  "clGetDeviceInfo")) {
            return;
        }
        memcpy(gpu.max_items, items, sizeof gpu.max_items);
    }
    gpu.context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    if (good(run, status, "clCreateContext")) {
        gpu.queue = clCreateCommandQueue(gpu.context, device, properties, &status);
        good(run, status, "clCreateCommandQueue");
    }
}

static void open_device(fcl_run *run)
{
    unsigned count, at;
    candidate *list = all_devices(run, &count);
    const char *wanted = settings()->device;
    const long chosen = choose(list, count);
    if (run->failure == 0 && count == 0) {
        fail(run, 651, "no OpenCL device was found%s", no_device_hint);
    } else if (run->failure == 0 && chosen < 0) {
        char *text = list_text(list, count);
        fail(run, 652, "FORTRANCL_DEVICE=%s names no device; there are: %s", wanted == NULL ? "" : wanted,
             text == NULL ? "" : text);
        free(text);
    } else if (run->failure == 0) {
        take_device(run, list[chosen].device);
        if (settings()->verbose) {
            fprintf(stderr, "fortrancl: device %ld '%s' (platform '%s')\n", chosen, list[chosen].name,
                    list[chosen].platform_name);
        }
    }
    for (at = 0; at < count; ++at) {
        free(list[at].name);
        free(list[at].platform_name);
    }
    free(list);
}

/* The device, opened by whoever comes first; the lock is held. A failure stays one for the whole run. */
static int device_ready(fcl_run *run)
{
    if (!gpu.tried) {
        gpu.tried = 1;
        open_device(run);
        gpu.failure = run->failure;
        gpu.failure_text = run->failure == 0 ? NULL : format("%s", run->failure_text == NULL ? "" : run->failure_text);
    } else if (gpu.failure != 0) {
        fail(run, gpu.failure, "%s", gpu.failure_text == NULL ? "out of memory" : gpu.failure_text);
    }
    return run->failure == 0;
}
