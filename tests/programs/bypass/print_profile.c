// Prints the profile of a recording's loads on a machine: what check_load_profile.py compares with
// replays. usage: print_profile RECORDING MACHINE [SETTING…]
#include "bypass/program.h"
#include "machine/machine.h"

#include <inttypes.h>
#include <stdio.h>

static void print_counts(const char *name, uint32_t a, uint32_t b,
                         const struct wm_load_set_counts *counts)
{
    printf("%s %" PRIu32 " %" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", name, a, b,
           counts->hits, counts->misses, counts->bytes);
}

static void print_kernel(const struct wm_profiled_kernel *kernel)
{
    printf("kernel %s\n", kernel->name);
    for (uint32_t i = 0; i < kernel->load_count; i++) {
        const struct wm_load_record *load = &kernel->loads[i];
        printf("load %" PRIu32 " %" PRIu32 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
               " %" PRIu64 " %" PRIu64 "\n",
               i, load->pc, load->executions, load->lanes, load->lines, load->sectors,
               load->hits_together, load->misses_together);
    }
    print_counts("none", 0, 0, &kernel->none);
    for (uint32_t i = 0; i < kernel->load_count; i++)
        print_counts("alone", i, i, &kernel->loads[i].alone);
    for (uint32_t high = 1; high < kernel->load_count; high++)
        for (uint32_t low = 0; low < high; low++)
            print_counts("pair", low, high, wm_load_profile_pair(kernel, low, high));
    print_counts("all", 0, 0, &kernel->all);
}

int main(int argc, char **argv)
{
    static struct wm_machine machine;
    struct wm_recording recording;
    struct wm_bypass_program program;
    struct wm_error error;
    char buffer[2048];
    const struct wm_bypass_options options = {0};
    if (argc < 3)
        return 2;
    enum wm_status status = wm_machine_load(argv[2], (const char *const *)argv + 3,
                                            (uint32_t)argc - 3, &machine, &error);
    if (status == WM_OK)
        status = wm_recording_open(&recording, argv[1], &error);
    if (status == WM_OK) {
        status = wm_bypass_program_init(&program, &recording, &machine, &options, &error);
        for (uint32_t i = 0; i < program.kernel_count; i++)
            print_kernel(program.kernels[i].profiled);
        wm_bypass_program_release(&program);
        wm_recording_close(&recording);
    }
    if (status != WM_OK)
        fprintf(stderr, "%s\n", wm_error_format(&error, buffer, sizeof buffer));
    return status == WM_OK ? 0 : 1;
}
