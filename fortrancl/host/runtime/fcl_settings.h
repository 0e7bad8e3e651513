/* The environment variables, read once. Part of fortrancl_rt.c. */

enum { OFFLOAD_MANDATORY, OFFLOAD_DISABLED, OFFLOAD_DEFAULT };

typedef struct settings_t {
    int offload;
    int comparing;
    double tolerance;
    int timing, verbose;
    int index_bits;
    const char *device;
    /* A variable with a value that it cannot have, or NULL. */
    const char *wrong, *wrong_value, *wrong_choices;
} settings_t;

static settings_t the_settings;
static pthread_once_t settings_once = PTHREAD_ONCE_INIT;

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && *value != '\0' ? value : NULL;
}

static int same_word(const char *one, const char *other)
{
    for (; *one != '\0' && *other != '\0'; ++one, ++other) {
        if (tolower((unsigned char)*one) != tolower((unsigned char)*other)) {
            return 0;
        }
    }
    return *one == *other;
}

static int is_on(const char *name)
{
    const char *value = variable(name);
    return value != NULL && strcmp(value, "0") != 0;
}

static void wrong(const char *name, const char *value, const char *choices)
{
    the_settings.wrong = name;
    the_settings.wrong_value = value;
    the_settings.wrong_choices = choices;
}

static void read_compare(void)
{
    const char *value = variable("FORTRANCL_COMPARE");
    char *end;
    double tolerance;
    if (value == NULL || strcmp(value, "0") == 0) {
        return;
    }
    tolerance = strtod(value, &end);
    if (*end != '\0' || !(tolerance > 0) || tolerance > 1) {
        wrong("FORTRANCL_COMPARE", value, "0, 1 (every bit), or a relative tolerance below 1");
        return;
    }
    the_settings.comparing = 1;
    the_settings.tolerance = tolerance < 1 ? tolerance : 0;
}

static void read_settings(void)
{
    const char *offload = variable("FORTRANCL_OFFLOAD");
    const char *bits = variable("FORTRANCL_INDEX_BITS");
    the_settings.device = variable("FORTRANCL_DEVICE");
    the_settings.timing = is_on("FORTRANCL_TIMING");
    the_settings.verbose = is_on("FORTRANCL_VERBOSE");
    if (offload == NULL || same_word(offload, "mandatory")) {
        the_settings.offload = OFFLOAD_MANDATORY;
    } else if (same_word(offload, "disabled")) {
        the_settings.offload = OFFLOAD_DISABLED;
    } else if (same_word(offload, "default")) {
        the_settings.offload = OFFLOAD_DEFAULT;
    } else {
        wrong("FORTRANCL_OFFLOAD", offload, "mandatory, disabled or default");
    }
    if (bits != NULL) {
        the_settings.index_bits = atoi(bits);
        if (the_settings.index_bits != 32 && the_settings.index_bits != 64) {
            wrong("FORTRANCL_INDEX_BITS", bits, "32 or 64");
        }
    }
    read_compare();
}

static const settings_t *settings(void)
{
    pthread_once(&settings_once, read_settings);
    return &the_settings;
}
