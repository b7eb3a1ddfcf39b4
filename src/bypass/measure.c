#include "bypass/measure.h"

#include "bypass/load_list.h"
#include "engine/profile/variants.h"
#include "engine/session/component_sum.h"

// --- Counting ---

static uint64_t sum_of(const struct wm_kernel_result *kernel, const char *name)
{
    return wm_component_sum(kernel->components, kernel->component_count, "l1", name);
}

static void count(const struct wm_bypass_program *program, const struct wm_results *results,
                  enum wm_bypass_solver solver, struct wm_bypass_measured *measured)
{
    for (uint32_t k = 0; k < program->kernel_count; k++) {
        const struct wm_kernel_result *kernel = wm_bypass_result_of(results, &program->kernels[k]);
        if (kernel == NULL)
            continue;
        measured[k].solvers[solver] = (struct wm_bypass_counts){
            .bytes = sum_of(kernel, "bytes_from_below") + sum_of(kernel, "bytes_to_below"),
            .hits = sum_of(kernel, "load_hits"),
            .misses = sum_of(kernel, "load_misses"),
            .cycles = kernel->cycles,
        };
    }
}

// --- Measuring ---

// One solution, and the settings of its variant.
struct solved {
    const struct wm_bypass_program *program;
    enum wm_bypass_solver solver;
    struct wm_text list; // "gpu.l1.bypass_list=…"
    const char *words[2];
};

// As what is written has it (bypass/output.h): a load that never ran stays as it is.
static struct wm_load_hint hint_of(const void *context, uint32_t kernel, uint32_t load)
{
    const struct solved *solved = context;
    const struct wm_bypass_kernel *of = &solved->program->kernels[kernel];
    return wm_bypass_is_decided(&of->loads[load])
               ? wm_bypass_solved_hint(wm_bypass_solution_of(solved->program, of, solved->solver),
                                       load)
               : wm_bypass_own_hint(&of->loads[load]);
}

static enum wm_status make_settings(struct solved *solved, struct wm_error *error)
{
    WM_TRY(wm_bypass_make_list(solved->program, hint_of, solved, &solved->list, error));
    solved->words[0] = "gpu.l1.bypass=per-pc";
    solved->words[1] = solved->list.data;
    return WM_OK;
}

enum wm_status wm_bypass_measure(const struct wm_bypass_program *program,
                                 struct wm_recording *recording, const struct wm_machine *machine,
                                 const struct wm_plugins *plugins, bool clock, uint32_t threads,
                                 const struct wm_bypass_options *options,
                                 struct wm_bypass_measured *measured, struct wm_error *error)
{
    struct solved solved[WM_BYPASS_SOLVERS] = {0};
    struct wm_variant variants[WM_BYPASS_SOLVERS] = {0};
    enum wm_status status = WM_OK;
    for (int i = 0; i < WM_BYPASS_SOLVERS && status == WM_OK; i++) {
        solved[i] = (struct solved){.program = program, .solver = (enum wm_bypass_solver)i};
        status = make_settings(&solved[i], error);
        variants[i] = (struct wm_variant){.settings = solved[i].words, .setting_count = 2};
    }
    const struct wm_session_options walk = {.memory = true,
                                            .clock = clock,
                                            .filter = options->filter,
                                            .progress = options->progress,
                                            .no_host_threads = true};
    if (status == WM_OK)
        status = wm_variants_measure(recording, machine, plugins, variants, WM_BYPASS_SOLVERS,
                                     threads, &walk, error);
    for (int i = 0; i < WM_BYPASS_SOLVERS; i++) {
        if (status == WM_OK)
            count(program, variants[i].results, (enum wm_bypass_solver)i, measured);
        wm_results_free(variants[i].results);
        wm_text_release(&solved[i].list);
    }
    return status;
}
