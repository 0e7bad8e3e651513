/* OpenCL programs: built once per process, kept on disk from run to run. Part of fortrancl_rt.c. */

static const char cache_magic[8] = {'F', 'C', 'L', 'B', 'I', 'N', '0', '1'};

static uint64_t hash_bytes(uint64_t hash, const void *data, size_t length)
{
    const unsigned char *bytes = data;
    size_t at;
    for (at = 0; at < length; ++at) {
        hash = (hash ^ bytes[at])*UINT64_C(1099511628211);
        hash ^= hash >> 29;
    }
    return hash;
}

/* Lengths go in, too: "ab" + "c" is not "a" + "bc". */
static uint64_t hash_text(uint64_t hash, const char *text)
{
    const size_t length = text == NULL ? 0 : strlen(text);
    hash = hash_bytes(hash, &length, sizeof length);
    return hash_bytes(hash, text, length);
}

static uint64_t program_hash(uint64_t hash, const fcl_procedure *procedure, const char *options)
{
    hash = hash_bytes(hash, &procedure->source_length, sizeof procedure->source_length);
    hash = hash_bytes(hash, procedure->source, procedure->source_length);
    hash = hash_text(hash, options);
    hash = hash_text(hash, gpu.name);
    hash = hash_text(hash, gpu.vendor);
    hash = hash_text(hash, gpu.version);
    return hash_text(hash, gpu.driver);
}

static char *cache_folder(void)
{
    const char *own = variable("FORTRANCL_CACHE_DIR");
    const char *base = variable("XDG_CACHE_HOME");
    const char *home = variable("HOME");
    if (own != NULL) {
        return format("%s", own);
    }
    if (base != NULL) {
        return format("%s/fortrancl", base);
    }
    return home == NULL ? NULL : format("%s/.cache/fortrancl", home);
}

static char *cache_path(const fcl_procedure *procedure, const char *options)
{
    char *folder = cache_folder();
    char *path = NULL;
    if (folder != NULL) {
        path = format("%s/%016llx%016llx.clbin", folder,
                      (unsigned long long)program_hash(UINT64_C(14695981039346656037), procedure, options),
                      (unsigned long long)program_hash(UINT64_C(0x9e3779b97f4a7c15), procedure, options));
    }
    free(folder);
    return path;
}

static void make_folders(char *path)
{
    char *at;
    for (at = strchr(path + 1, '/'); at != NULL; at = strchr(at + 1, '/')) {
        *at = '\0';
        mkdir(path, 0777);
        *at = '/';
    }
}

/* File: magic, length, hash, bytes. Anything else in it is no cached program. */
static unsigned char *read_cached(const char *path, size_t *length)
{
    FILE *file = path == NULL ? NULL : fopen(path, "rb");
    char magic[8];
    uint64_t numbers[2];
    unsigned char *bytes = NULL;
    if (file == NULL) {
        return NULL;
    }
    if (fread(magic, 1, sizeof magic, file) == sizeof magic && memcmp(magic, cache_magic, sizeof magic) == 0
        && fread(numbers, sizeof numbers[0], 2, file) == 2 && numbers[0] > 0 && numbers[0] < UINT64_C(1) << 31) {
        *length = (size_t)numbers[0];
        bytes = malloc(*length);
        if (bytes != NULL && (fread(bytes, 1, *length, file) != *length || fgetc(file) != EOF
                              || hash_bytes(numbers[0], bytes, *length) != numbers[1])) {
            free(bytes);
            bytes = NULL;
        }
    }
    fclose(file);
    return bytes;
}

/* Beside and then renamed, so that no other process ever reads half a file. Whatever goes wrong, there is no cache. */
static void write_cached(char *path, const unsigned char *bytes, size_t length)
{
    const uint64_t numbers[2] = {length, hash_bytes(length, bytes, length)};
    char *beside = path == NULL ? NULL : format("%s.%ld", path, (long)getpid());
    FILE *file;
    if (beside == NULL) {
        return;
    }
    make_folders(path);
    file = fopen(beside, "wb");
    if (file != NULL) {
        int whole = fwrite(cache_magic, 1, sizeof cache_magic, file) == sizeof cache_magic
                    && fwrite(numbers, sizeof numbers[0], 2, file) == 2 && fwrite(bytes, 1, length, file) == length;
        whole = fclose(file) == 0 && whole;
        if (!whole || rename(beside, path) != 0) {
            remove(beside);
        }
    }
    free(beside);
}

static void keep_program(char *path, cl_program program)
{
    size_t length = 0;
    unsigned char *bytes;
    if (clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof length, &length, NULL) != CL_SUCCESS || length == 0) {
        return;
    }
    bytes = malloc(length);
    if (bytes != NULL && clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL) == CL_SUCCESS) {
        write_cached(path, bytes, length);
    }
    free(bytes);
}

static cl_program cached_program(const char *path, const char *options)
{
    size_t length = 0;
    unsigned char *bytes = read_cached(path, &length);
    const unsigned char *binary = bytes;
    cl_program program = NULL;
    cl_int status, part;
    if (bytes != NULL) {
        program = clCreateProgramWithBinary(gpu.context, 1, &gpu.device, &length, &binary, &part, &status);
        if (status != CL_SUCCESS) {
            program = NULL;
        } else if (clBuildProgram(program, 1, &gpu.device, options, NULL, NULL) != CL_SUCCESS) {
            clReleaseProgram(program);
            program = NULL;
        }
    }
    free(bytes);
    return program;
}

static char *build_log(cl_program program)
{
    size_t size = 0;
    char *text = NULL;
    if (clGetProgramBuildInfo(program, gpu.device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size) == CL_SUCCESS && size > 1
        && (text = calloc(size + 1, 1)) != NULL) {
        clGetProgramBuildInfo(program, gpu.device, CL_PROGRAM_BUILD_LOG, size, text, NULL);
        if (size > 4000) {
            strcpy(text + 3990, "\n...");
        }
    }
    return text;
}

static cl_program built_program(fcl_run *run, const fcl_procedure *procedure, const char *options)
{
    const char *source = (const char *)procedure->source;
    cl_int status;
    cl_program program = clCreateProgramWithSource(gpu.context, 1, &source, &procedure->source_length, &status);
    if (!good(run, status, "clCreateProgramWithSource")) {
        return NULL;
    }
    status = clBuildProgram(program, 1, &gpu.device, options, NULL, NULL);
    if (status != CL_SUCCESS) {
        char *log = build_log(program);
        fail(run, 653, "the compiler of device '%s' refused the OpenCL code: clBuildProgram: %s (%d)\n%s%s", gpu.name,
             status_name(status), (int)status, log == NULL ? "(it left no log)" : log,
             "\n  = hint: FORTRANCL_OFFLOAD=disabled runs the Fortran as it stands");
        free(log);
        clReleaseProgram(program);
        return NULL;
    }
    return program;
}

/* The program with 32- or 64-bit indices and its kernels; the lock is held. A failure stays one for the whole run. */
static int program_ready(fcl_run *run, int wide)
{
    fcl_procedure *procedure = run->procedure;
    char *options, *path;
    cl_program program;
    int kernel;
    if (procedure->failure[wide] != 0) {
        const char *text = procedure->failure_text[wide];
        fail(run, procedure->failure[wide], "%s", text == NULL ? "out of memory" : text);
    }
    if (run->failure != 0 || procedure->program[wide] != NULL) {
        return run->failure == 0;
    }
    options = format("-DFCL_IDX=%s %s", wide ? "long" : "int", procedure->options);
    path = options == NULL ? NULL : cache_path(procedure, options);
    program = cached_program(path, options);
    if (settings()->verbose) {
        fprintf(stderr, "fortrancl: program of '%s' with %d-bit indices %s\n", procedure->name, wide ? 64 : 32,
                program != NULL ? "comes from the cache" : "is built");
    }
    if (program == NULL) {
        program = built_program(run, procedure, options);
        if (program != NULL) {
            keep_program(path, program);
        }
    }
    for (kernel = 0; kernel < procedure->kernel_count && run->failure == 0; ++kernel) {
        fcl_kernel *one = &procedure->kernels[kernel];
        cl_int status;
        one->handle[wide] = clCreateKernel(program, one->name, &status);
        if (status != CL_SUCCESS) {
            fail(run, 654, "clCreateKernel failed for '%s': %s (%d)", one->name, status_name(status), (int)status);
        }
    }
    if (run->failure == 0) {
        procedure->program[wide] = program;
    } else {
        procedure->failure[wide] = run->failure;
        procedure->failure_text[wide] = format("%s", run->failure_text == NULL ? "" : run->failure_text);
    }
    free(path);
    free(options);
    return run->failure == 0;
}
