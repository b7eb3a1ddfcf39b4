// Writes what the bypass compiler writes, of random decisions: what check_rewritten.py runs.
// usage: write_bypass RECORDING MACHINE SEED EXECUTABLE PROGRAM PTX DECISIONS [SETTING…]
//
// With "h" before the seed, hints: any of the words that the kernel's text may have.
// A load that several kernels share has one decision: the text can say no more than one thing.
#include "base/numbers/random.h"
#include "bypass/output.h"
#include "machine/machine.h"

#include <inttypes.h>
#include <stdlib.h>

// By the load's line alone: the text has the path of its source.
static uint32_t draw(const char *seed, const struct wm_bypass_kernel *kernel, uint32_t load,
                     uint32_t below)
{
    struct wm_random random;
    char name[64];
    snprintf(name, sizeof name, "line %" PRIu32, kernel->profiled->loads[load].ptx_line);
    wm_random_init(&random, strtoull(seed, NULL, 10), name);
    return (uint32_t)wm_random_below(&random, below);
}

// False when out of memory.
static bool hint(struct wm_bypass_program *program, struct wm_bypass_kernel *kernel,
                 const char *seed)
{
    uint32_t loads = kernel->profiled->load_count;
    bool l1 = wm_ptx_may_prioritise(kernel->module, false),
         l2 = wm_ptx_may_prioritise(kernel->module, true);
    uint32_t words = l1 ? WM_LOAD_L1_WORDS : WM_LOAD_L1_NO_ALLOCATE,
             policies = l2 ? WM_LOAD_WORDS - WM_LOAD_L2_NORMAL : 1;
    struct wm_load_hint *hints = WM_ARENA_ARRAY(&program->arena, struct wm_load_hint, loads);
    for (uint32_t i = 0; hints != NULL && i < loads; i++) {
        uint32_t drawn = draw(seed, kernel, i, words * policies);
        hints[i] = (struct wm_load_hint){(enum wm_load_word)(drawn % words),
                                         (enum wm_load_word)(WM_LOAD_L2_NORMAL + drawn / words)};
    }
    kernel->hints = hints;
    return hints != NULL;
}

static void decide(struct wm_bypass_program *program, const char *seed)
{
    for (uint32_t k = 0; k < program->kernel_count; k++) {
        struct wm_bypass_kernel *kernel = &program->kernels[k];
        for (uint32_t i = 0; i < kernel->profiled->load_count; i++)
            kernel->views[program->source].solutions[WM_BYPASS_EXACT].cached[i] =
                draw(seed, kernel, i, 2) != 0;
        printf("kernel %s %" PRIu32 " %" PRIu32 "\n", kernel->profiled->name,
               kernel->profiled->load_count,
               wm_bypass_count_cached(kernel,
                                      &kernel->views[program->source].solutions[WM_BYPASS_EXACT]));
    }
}

static enum wm_status write_all(struct wm_bypass_program *program, char **argv,
                                struct wm_error *error)
{
    struct wm_bypass_written written;
    uint32_t texts;
    decide(program, argv[3]);
    for (uint32_t k = 0; k < program->kernel_count && argv[3][0] == 'h'; k++)
        if (!hint(program, &program->kernels[k], argv[3] + 1))
            return wm_fail(error, WM_NO_MEMORY, "no memory for hints");
    WM_TRY(wm_bypass_write_program(program, WM_BYPASS_EXACT, argv[4], argv[5], &written, error));
    printf("written %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 "\n", written.modules,
           written.decided, written.left, written.machine_code);
    WM_TRY(wm_bypass_write_ptx(program, WM_BYPASS_EXACT, argv[6], &texts, error));
    printf("texts %" PRIu32 "\n", texts);
    return wm_bypass_write_decisions(program, WM_BYPASS_EXACT, argv[2], argv[7], error);
}

int main(int argc, char **argv)
{
    static struct wm_machine machine;
    struct wm_recording recording;
    struct wm_bypass_program program;
    struct wm_error error;
    char buffer[2048];
    const struct wm_bypass_options options = {0};
    if (argc < 8)
        return 2;
    enum wm_status status = wm_machine_load(argv[2], (const char *const *)argv + 8,
                                            (uint32_t)argc - 8, &machine, &error);
    if (status == WM_OK)
        status = wm_recording_open(&recording, argv[1], &error);
    if (status == WM_OK) {
        status = wm_bypass_program_init(&program, &recording, &machine, &options, &error);
        if (status == WM_OK)
            status = write_all(&program, argv, &error);
        wm_bypass_program_release(&program);
        wm_recording_close(&recording);
    }
    if (status != WM_OK)
        fprintf(stderr, "%s\n", wm_error_format(&error, buffer, sizeof buffer));
    return status == WM_OK ? 0 : 1;
}
