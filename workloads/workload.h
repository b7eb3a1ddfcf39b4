// What every workload needs and no workload is about: options, error checks, deterministic input
// and the verdict. Plain CUDA C++ that any toolkit compiles.
//
// A program lists its options in one table, which gives parsing, bounds and --help:
//
//     enum { SIZE, VARIANT };
//     static struct workload_option options[] = {
//         {"n", "elements of each vector", 1 << 20, 1, 1 << 28, NULL},
//         {"variant", "how the work is cut", 0, 0, 0, "scalar vector"},
//     };
//     int main(int argc, char **argv)
//     {
//         workload_parse(argc, argv, "vecadd", "c = a + b", options, 2);
//         … options[SIZE].value …
//
// Exit status: 0 the result was right, 1 it was wrong or the device failed, 2 the command line.
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// One option, `--name VALUE` or `--name=VALUE`. A number lies between minimum and maximum; an
// option with `choices` (words with a space between) takes one of them, and its value is the word's
// place.
struct workload_option {
    const char *name;
    const char *meaning;
    long value; // the default, and then what the command line said
    long minimum, maximum;
    const char *choices;
};

// The word at `place` of `choices`, as a pointer and a length.
static inline const char *workload_word(const char *choices, long place, size_t *length)
{
    while (place-- > 0)
        choices += strcspn(choices, " ") + 1;
    *length = strcspn(choices, " ");
    return choices;
}

static inline void workload_help(const char *program, const char *summary,
                                 const struct workload_option *options, int count)
{
    printf("%s: %s\n\noptions:\n", program, summary);
    for (int i = 0; i < count; i++) {
        const struct workload_option *option = &options[i];
        printf("  --%-10s %s ", option->name, option->meaning);
        if (option->choices) {
            size_t length;
            const char *word = workload_word(option->choices, option->value, &length);
            printf("(one of: %s; default %.*s)\n", option->choices, (int)length, word);
        } else {
            printf("(%ld to %ld; default %ld)\n", option->minimum, option->maximum, option->value);
        }
    }
    printf("  --%-10s this text\n", "help");
}

static inline void workload_bad_argument(const char *program, const char *what, const char *detail)
{
    fprintf(stderr, "%s: %s '%s'\n%s: try --help\n", program, what, detail, program);
    exit(2);
}

static inline void workload_set(const char *program, struct workload_option *option,
                                const char *text)
{
    if (option->choices) {
        long place = 0;
        for (const char *word = option->choices; *word; place++) {
            size_t length = strcspn(word, " ");
            if (strlen(text) == length && strncmp(word, text, length) == 0) {
                option->value = place;
                return;
            }
            word += length + (word[length] == ' ');
        }
        fprintf(stderr, "%s: --%s takes one of: %s; not '%s'\n", program, option->name,
                option->choices, text);
        exit(2);
    }
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || value < option->minimum ||
        value > option->maximum) {
        fprintf(stderr, "%s: --%s takes a whole number from %ld to %ld, not '%s'\n", program,
                option->name, option->minimum, option->maximum, text);
        exit(2);
    }
    option->value = value;
}

// Fills the table from the command line. Does not return from --help (status 0) or from a mistake
// (status 2, after saying which).
static inline void workload_parse(int argc, char **argv, const char *program, const char *summary,
                                  struct workload_option *options, int count)
{
    for (int i = 1; i < argc; i++) {
        const char *argument = argv[i];
        if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) {
            workload_help(program, summary, options, count);
            exit(0);
        }
        if (strncmp(argument, "--", 2) != 0)
            workload_bad_argument(program, "unexpected argument", argument);
        size_t length = strcspn(argument + 2, "=");
        struct workload_option *option = NULL;
        for (int k = 0; k < count; k++)
            if (strlen(options[k].name) == length &&
                strncmp(options[k].name, argument + 2, length) == 0)
                option = &options[k];
        if (!option)
            workload_bad_argument(program, "unknown option", argument);
        const char *text = argument[2 + length] == '=' ? argument + 2 + length + 1 : argv[++i];
        if (!text)
            workload_bad_argument(program, "missing value of", argument);
        workload_set(program, option, text);
    }
}

// Stops the program when a runtime call fails, saying which and where.
#define WORKLOAD_CHECK(call)                                              \
    do {                                                                  \
        cudaError_t workload_error_ = (call);                             \
        if (workload_error_ != cudaSuccess) {                             \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
                    cudaGetErrorString(workload_error_));                 \
            exit(1);                                                      \
        }                                                                 \
    } while (0)

// After a launch: what the launch itself said, and then what the kernel's end says.
#define WORKLOAD_CHECK_LAUNCH()                  \
    do {                                         \
        WORKLOAD_CHECK(cudaGetLastError());      \
        WORKLOAD_CHECK(cudaDeviceSynchronize()); \
    } while (0)

static inline void *workload_allocate(size_t bytes)
{
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory) {
        fprintf(stderr, "cannot allocate %zu bytes\n", bytes);
        exit(1);
    }
    return memory;
}

// Device memory with the bytes of `host` in it.
static inline void *workload_upload(const void *host, size_t bytes)
{
    void *device;
    WORKLOAD_CHECK(cudaMalloc(&device, bytes));
    WORKLOAD_CHECK(cudaMemcpy(device, host, bytes, cudaMemcpyHostToDevice));
    return device;
}

// Stops the program (status 2) when the option's value is no power of two.
static inline void workload_check_power_of_two(const char *program,
                                               const struct workload_option *option)
{
    if (option->value & (option->value - 1)) {
        fprintf(stderr, "%s: --%s takes a power of two, not '%ld'\n", program, option->name,
                option->value);
        exit(2);
    }
}

// A stream of numbers that is the same everywhere: a 64-bit linear congruential generator (Knuth's
// MMIX constants), of which the upper half is used.
struct workload_random {
    unsigned long long state;
};

static inline unsigned int workload_next(struct workload_random *random)
{
    random->state = random->state * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned int)(random->state >> 32);
}

// A number from 0 to bound - 1.
static inline unsigned int workload_below(struct workload_random *random, unsigned int bound)
{
    return (unsigned int)((unsigned long long)workload_next(random) * bound >> 32);
}

// A number from 0 to bound - 1 that lies at most `spread` from `centre`; anywhere when that is 0.
static inline unsigned int workload_near(struct workload_random *random, unsigned int centre,
                                         unsigned int spread, unsigned int bound)
{
    if (spread == 0)
        return workload_below(random, bound);
    unsigned int first = centre > spread ? centre - spread : 0;
    unsigned int last = bound - centre > spread ? centre + spread : bound - 1;
    return first + workload_below(random, last - first + 1);
}

// The place of the first number found that lies further than `tolerance` from the wanted one, or
// -1. What is not a number lies far from everything.
static inline long workload_first_far(const float *found, const float *wanted, size_t count,
                                      float tolerance)
{
    for (size_t i = 0; i < count; i++) {
        float difference = found[i] - wanted[i];
        if (!(difference <= tolerance && difference >= -tolerance))
            return (long)i;
    }
    return -1;
}

// Says PASS or FAIL and returns main()'s status. `first_wrong` is the place of the first
// difference, or -1.
static inline int workload_verdict(const char *program, long first_wrong)
{
    if (first_wrong < 0)
        printf("%s: PASS\n", program);
    else
        printf("%s: FAIL (first difference at element %ld)\n", program, first_wrong);
    return first_wrong < 0 ? 0 : 1;
}

// --- Serial versions ---
//
// Some programs have their algorithm as one plain loop on the host too, which computes what the
// device's result is compared with. With `--serial on` it is all that runs: nothing calls the
// device, and a cheap property of the result is checked. So the accesses of a CPU can be compared
// with those of a GPU.

#define WORKLOAD_SERIAL_OPTION                                              \
    {                                                                       \
        "serial", "run nothing but the loop on the host", 0, 0, 0, "off on" \
    }

// Marks such a loop: it stays a function of its own, whose stores are not merged into its caller.
#define WORKLOAD_SERIAL __attribute__((noinline))

// A runtime that traces accesses of the host defines these; without one nothing is called.
extern "C" {
void warpmem_trace_begin(void) __attribute__((weak));
void warpmem_trace_end(void) __attribute__((weak));
}

// Around the loop: what is between the two is traced.
static inline void workload_trace_begin(void)
{
    if (warpmem_trace_begin)
        warpmem_trace_begin();
}

static inline void workload_trace_end(void)
{
    if (warpmem_trace_end)
        warpmem_trace_end();
}

#endif
