/* FORTRANCL_COMPARE: the kernel's results are kept beside until the Fortran body has made its own.
 *
 * The launcher runs the kernel on copies, keeps what it would have read back, and asks for the body. The file that
 * fortrancl writes calls `fcl_compare` where the body ends. Part of fortrancl_rt.c.
 */

typedef struct stash {
    unsigned char *bytes;
    int64_t first, last;
    int rank;
    int64_t lower[FCL_MAX_RANK], extent[FCL_MAX_RANK];
    int interleaved;
    int64_t row_first, row_last;
} stash;

/* One call that waits; a procedure may call another one that waits, too. */
struct pending {
    const fcl_procedure *procedure;
    stash *results;
    struct pending *next;
};

static int is_result(const fcl_buffer_info *info)
{
    return (info->flags & FCL_OUT) != 0;
}

static size_t element_size(const fcl_buffer_info *info)
{
    return (size_t)info->kind*(info->base == 'c' ? 2 : 1);
}

static void discard_one(struct pending *one)
{
    int at;
    for (at = 0; at < one->procedure->buffer_count; ++at) {
        free(one->results[at].bytes);
    }
    free(one->results);
    free(one);
}

static void discard_pending(struct pending *list)
{
    while (list != NULL) {
        struct pending *next = list->next;
        discard_one(list);
        list = next;
    }
}

static struct pending *new_pending(const fcl_run *run)
{
    struct pending *one = calloc(1, sizeof *one);
    const fcl_procedure *procedure = run->procedure;
    int at;
    if (one == NULL) {
        return NULL;
    }
    one->procedure = procedure;
    one->results = calloc((size_t)procedure->buffer_count + 1, sizeof *one->results);
    for (at = 0; one->results != NULL && at < procedure->buffer_count; ++at) {
        const fcl_buffer *buffer = &run->buffers[at];
        stash *result = &one->results[at];
        result->first = buffer->first;
        result->last = buffer->last;
        result->rank = buffer->rank;
        memcpy(result->lower, buffer->lower, sizeof result->lower);
        memcpy(result->extent, buffer->extent, sizeof result->extent);
        result->interleaved = buffer->interleaved;
        result->row_first = buffer->row_first;
        result->row_last = buffer->row_last;
        if (is_result(&procedure->buffers[at]) && buffer->last >= buffer->first) {
            const size_t count = (size_t)(buffer->last - buffer->first + 1);
            result->bytes = malloc(count*element_size(&procedure->buffers[at]));
            if (result->bytes == NULL) {
                discard_one(one);
                return NULL;
            }
        }
    }
    if (one->results == NULL) {
        free(one);
        return NULL;
    }
    return one;
}

static double real_at(const void *at, int kind)
{
    if (kind == 4) {
        float value;
        memcpy(&value, at, sizeof value);
        return value;
    } else {
        double value;
        memcpy(&value, at, sizeof value);
        return value;
    }
}

static long long integer_at(const unsigned char *at, int kind)
{
    int8_t one;
    int16_t two;
    int32_t four;
    int64_t eight;
    switch (kind) {
    case 1:
        memcpy(&one, at, 1);
        return one;
    case 2:
        memcpy(&two, at, 2);
        return two;
    case 4:
        memcpy(&four, at, 4);
        return four;
    default:
        memcpy(&eight, at, 8);
        return eight;
    }
}

/* What lies between the rows of an interleaved array is another argument's. */
static int is_ours(const stash *result, int64_t element)
{
    const int64_t row = result->interleaved ? element%result->extent[0] : 0;
    return !result->interleaved || (row >= result->row_first && row <= result->row_last);
}

/* How far two elements are apart: relative for reals, 0 or 1 for the rest. Two NaNs are alike. */
static double difference(const fcl_buffer_info *info, const unsigned char *one, const unsigned char *other)
{
    double worst = 0;
    size_t part;
    if (info->base == 'i') {
        return memcmp(one, other, info->kind) != 0;
    }
    if (info->base == 'l') {
        return ((one[0] ^ other[0]) & 1) != 0;
    }
    for (part = 0; part < element_size(info); part += info->kind) {
        const double a = real_at(one + part, info->kind), b = real_at(other + part, info->kind);
        const double scale = fabs(b) > fabs(a) ? fabs(b) : fabs(a);
        double apart = fabs(a - b)/scale;
        if (a == b || (a != a && b != b)) {
            apart = 0;
        } else if (!(apart <= 1e300)) {
            apart = HUGE_VAL;
        }
        worst = apart > worst ? apart : worst;
    }
    return worst;
}

static char *value_text(const fcl_buffer_info *info, const unsigned char *at)
{
    const int digits = info->kind == 4 ? 9 : 17;
    switch (info->base) {
    case 'i':
        return format("%lld", integer_at(at, info->kind));
    case 'l':
        return format("%s", (at[0] & 1) != 0 ? ".true." : ".false.");
    case 'r':
        return format("%.*g", digits, real_at(at, info->kind));
    default:
        return format("(%.*g,%.*g)", digits, real_at(at, info->kind), digits, real_at(at + info->kind, info->kind));
    }
}

/* "u(3,0,2)": the element's name in Fortran. */
static char *element_name(const fcl_buffer_info *info, const stash *result, int64_t element)
{
    char *text = format("%s", info->name);
    int axis;
    for (axis = 0; axis < result->rank; ++axis) {
        const int last = axis == result->rank - 1;
        const int64_t extent = result->extent[axis];
        const int64_t subscript = last || extent <= 0 ? element : element%extent;
        char *longer = format("%s%s%lld%s", text == NULL ? "" : text, axis == 0 ? "(" : ",",
                              (long long)(result->lower[axis] + subscript), last ? ")" : "");
        element = extent > 0 ? element/extent : element;
        free(text);
        text = longer;
    }
    return text;
}

static void compare_one(const fcl_procedure *procedure, const fcl_buffer_info *info, const stash *result,
                        const unsigned char *host)
{
    const size_t size = element_size(info);
    int64_t element, first = -1, count = 0;
    double largest = 0;
    for (element = result->first; element <= result->last; ++element) {
        const double apart = difference(info, result->bytes + (size_t)(element - result->first)*size,
                                        host + (size_t)element*size);
        if (apart > settings()->tolerance && is_ours(result, element)) {
            first = first < 0 ? element : first;
            count += 1;
            largest = apart > largest ? apart : largest;
        }
    }
    if (count > 0) {
        char *name = element_name(info, result, first);
        char *device = value_text(info, result->bytes + (size_t)(first - result->first)*size);
        char *body = value_text(info, host + (size_t)first*size);
        char *text = format("device and Fortran differ: %s is %s on the device and %s in Fortran; %lld of %lld elements "
                            "of '%s' differ, by %.2g (relative) at most",
                            name, device, body, (long long)count, (long long)(result->last - result->first + 1),
                            info->name, largest);
        char *message = whole_message("warning", 661, procedure, 0, text);
        say(message);
        free(message);
        free(text);
        free(body);
        free(device);
        free(name);
    }
}

void fcl_compare(fcl_procedure *procedure, const void *const *values)
{
    struct pending *one;
    thread_state *thread;
    int at, given = 0;
    if (!settings()->comparing) {
        return;
    }
    thread = this_thread();
    one = thread->pending;
    if (one == NULL || one->procedure != procedure) {
        return;
    }
    thread->pending = one->next;
    for (at = 0; at < procedure->buffer_count; ++at) {
        if (is_result(&procedure->buffers[at])) {
            if (one->results[at].bytes != NULL) {
                compare_one(procedure, &procedure->buffers[at], &one->results[at], values[given]);
            }
            given += 1;
        }
    }
    discard_one(one);
}

/* A call of the same procedure still waits: its body was left another way than through its end. */
static void drop_uncompared(const fcl_procedure *procedure)
{
    thread_state *thread = this_thread();
    struct pending *one = thread->pending;
    if (one != NULL && one->procedure == procedure) {
        char *message = whole_message("warning", 663, procedure, 0,
                                      "its last call was not compared: the body was left before its end");
        thread->pending = one->next;
        say(message);
        free(message);
        discard_one(one);
    }
}
