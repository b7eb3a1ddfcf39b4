// Writes what the bypass compiler writes, of random decisions: what check_rewritten.py runs.
// usage: write_bypass RECORDING MACHINE SEED EXECUTABLE PROGRAM PTX DECISIONS [SETTING…]
//
// A load that several kernels share has one decision: the text can say no more than one thing.
#include "base/random.h"
#include "bypass/output.h"
#include "machine/machine.h"

#include <inttypes.h>
#include <stdlib.h>

static bool choose(const char *seed, const struct wm_bypass_kernel *kernel, uint32_t load)
{
    struct wm_random random;
    char name[64];
    snprintf(name, sizeof name, "%016" PRIx64 ":%" PRIu32, kernel->ptx_hash,
             kernel->profiled->loads[load].ptx_line);
    wm_random_init(&random, strtoull(seed, NULL, 10), name);
    return wm_random_below(&random, 2) != 0;
}

static void decide(struct wm_bypass_program *program, const char *seed)
{
    for (uint32_t k = 0; k < program->kernel_count; k++) {
        struct wm_bypass_kernel *kernel = &program->kernels[k];
        for (uint32_t i = 0; i < kernel->profiled->load_count; i++)
            kernel->views[program->source].solutions[WM_BYPASS_EXACT].cached[i] =
                choose(seed, kernel, i);
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
