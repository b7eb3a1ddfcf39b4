// A fixed run with many kernels, written as JSON to the file named by the first argument, or twice
// in one process to the first and the second.
//
// usage: walk_scenario FILE [FILE]
#include "engine/session/session.h"
#include "study/run_report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(enum wm_status status, const struct wm_error *error)
{
    char text[2048];
    if (status == WM_OK)
        return;
    fputs(wm_error_format(error, text, sizeof text), stderr);
    exit(1);
}

static struct wm_program *load(struct wm_device_memory *memory, unsigned warp_width)
{
    static char text[1 << 20];
    struct wm_error error;
    FILE *stream = fopen(KERNELS_PTX, "rb");
    if (stream == NULL) {
        perror(KERNELS_PTX);
        exit(1);
    }
    size_t length = fread(text, 1, sizeof text, stream);
    fclose(stream);
    struct wm_ptx_module *module;
    struct wm_program *program;
    struct wm_program_options options = {.warp_width = warp_width, .isa = wm_host_best_isa()};
    check(wm_ptx_parse(text, length, "walk_kernels.ptx", &module, &error), &error);
    check(wm_program_load(module, memory, &options, &program, &error), &error);
    return program;
}

static void launch(struct wm_session *session, struct wm_program *program, const char *name,
                   uint32_t blocks, uint32_t threads, const uint64_t *parameters)
{
    struct wm_error error;
    const struct wm_kernel *kernel;
    check(wm_program_kernel(program, name, &kernel, &error), &error);
    struct wm_launch launch = {
        .kernel = kernel,
        .grid = {blocks, 1, 1},
        .block = {threads, 1, 1},
        .parameters = parameters,
        .parameter_bytes = kernel->parameter_bytes,
    };
    check(wm_session_launch(session, &launch, NULL, &error), &error);
}

static void run(const char *path)
{
    static const char *const settings[] = {"gpu.sm.count=6"};
    struct wm_error error;
    struct wm_machine machine;
    struct wm_device_memory *memory;
    struct wm_session *session;
    struct wm_results *results;
    struct wm_session_options options = {.memory = true};
    wm_error_clear(&error);
    check(wm_machine_load("gtx480", settings, 1, &machine, &error), &error);
    check(wm_device_memory_new(UINT64_C(1) << 28, &memory, &error), &error);
    struct wm_program *program = load(memory, machine.sm.warp_width);
    check(wm_session_new(&machine, memory, &options, &session, &error), &error);
    uint64_t words[3];
    for (int i = 0; i < 3; i++)
        check(wm_device_memory_allocate(memory, 1 << 20, 256, WM_ALLOCATION_DEVICE, "words",
                                        &words[i], &error),
              &error);
    wm_session_host_write(session, words[0], 1 << 20);
    launch(session, program, "_Z6vecaddPKfS0_Pfj", 1024, 256,
           (uint64_t[]){words[0], words[1], words[2], 1 << 18});
    launch(session, program, "stencil", 700, 96, (uint64_t[]){words[2], words[0], 60000});
    launch(session, program, "count_bins", 300, 192, (uint64_t[]){words[1], 4095});
    launch(session, program, "reverse", 555, 256, (uint64_t[]){words[0], words[1]});
    launch(session, program, "wait_for_next", 40, 64, (uint64_t[]){words[2]});
    launch(session, program, "reread", 64, 512, (uint64_t[]){words[0], words[2], 7});
    wm_session_host_read(session, words[2], 1 << 20);
    wm_session_finish(session);
    check(wm_session_results(session, NULL, &results, &error), &error);
    check(wm_report_json(results, path, &error), &error);
    wm_results_free(results);
    wm_session_free(session);
    wm_program_free(program);
    wm_device_memory_free(memory);
}

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 3) {
        fputs("usage: walk_scenario FILE [FILE]\n", stderr);
        return 2;
    }
    for (int i = 1; i < argc; i++)
        run(argv[i]);
    return 0;
}
