#include "bypass/measure.h"

#include "engine/profile/variants.h"
#include "mem/cache/cache.h"

#include <inttypes.h>
#include <string.h>

void wm_bypass_list_of(const struct wm_bypass_program *program, enum wm_bypass_solver solver,
                       struct wm_text *list)
{
    size_t before = list->length;
    for (uint32_t k = 0; k < program->kernel_count; k++) {
        const struct wm_bypass_kernel *kernel = &program->kernels[k];
        const struct wm_bypass_solution *solution = wm_bypass_solution_of(program, kernel, solver);
        for (uint32_t i = 0; i < kernel->profiled->load_count; i++)
            if (!solution->cached[i])
                wm_text_format(list, "%s%s:pc%" PRIu32, list->length != before ? "," : "",
                               kernel->profiled->name, kernel->profiled->loads[i].pc);
    }
    if (list->length == before)
        wm_text_add(list, "none");
}

// --- Counting ---

static uint64_t sum_of(const struct wm_kernel_result *kernel, const char *name)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < kernel->component_count; i++) {
        const struct wm_component_result *component = &kernel->components[i];
        if (component->set == &wm_l1_counter_set)
            sum += component->values[wm_counter_index(component->set, name)];
    }
    return sum;
}

static const struct wm_kernel_result *find_kernel(const struct wm_results *results,
                                                  const struct wm_profiled_kernel *kernel)
{
    for (uint32_t i = 0; i < results->kernel_count; i++)
        if (strcmp(results->kernels[i].name, kernel->name) == 0 &&
            strcmp(results->kernels[i].module, kernel->module) == 0)
            return &results->kernels[i];
    return NULL;
}

static void count(const struct wm_bypass_program *program, const struct wm_results *results,
                  enum wm_bypass_solver solver, struct wm_bypass_measured *measured)
{
    for (uint32_t k = 0; k < program->kernel_count; k++) {
        const struct wm_kernel_result *kernel = find_kernel(results, program->kernels[k].profiled);
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

// The settings of a solution's variant.
struct settings {
    struct wm_text list; // "gpu.l1.bypass_list=…"
    const char *words[2];
};

static enum wm_status make_settings(const struct wm_bypass_program *program,
                                    enum wm_bypass_solver solver, struct settings *settings,
                                    struct wm_error *error)
{
    static const char key[] = "gpu.l1.bypass_list=";
    wm_text_init(&settings->list);
    wm_text_add(&settings->list, key);
    wm_bypass_list_of(program, solver, &settings->list);
    if (settings->list.failed)
        return wm_fail_no_memory(error, "a list of loads");
    if (settings->list.length - strlen(key) >= WM_BYPASS_LIST_BYTES) {
        wm_fail(error, WM_LIMIT,
                "the loads that bypass L1 take %zu characters to name, and a machine can list %d",
                settings->list.length - strlen(key), WM_BYPASS_LIST_BYTES - 1);
        return wm_error_hint(error, "choose fewer kernels with --kernel");
    }
    settings->words[0] = "gpu.l1.bypass=per-pc";
    settings->words[1] = settings->list.data;
    return WM_OK;
}

enum wm_status wm_bypass_measure(const struct wm_bypass_program *program,
                                 struct wm_recording *recording, const struct wm_machine *machine,
                                 const struct wm_plugins *plugins, bool clock, uint32_t threads,
                                 const struct wm_bypass_options *options,
                                 struct wm_bypass_measured *measured, struct wm_error *error)
{
    struct settings settings[WM_BYPASS_SOLVERS] = {0};
    struct wm_variant variants[WM_BYPASS_SOLVERS] = {0};
    enum wm_status status = WM_OK;
    for (int i = 0; i < WM_BYPASS_SOLVERS && status == WM_OK; i++) {
        status = make_settings(program, (enum wm_bypass_solver)i, &settings[i], error);
        variants[i] = (struct wm_variant){.settings = settings[i].words, .setting_count = 2};
    }
    const struct wm_session_options walk = {
        .memory = true, .clock = clock, .filter = options->filter, .progress = options->progress};
    if (status == WM_OK)
        status = wm_variants_measure(recording, machine, plugins, variants, WM_BYPASS_SOLVERS,
                                     threads, &walk, error);
    for (int i = 0; i < WM_BYPASS_SOLVERS; i++) {
        if (status == WM_OK)
            count(program, variants[i].results, (enum wm_bypass_solver)i, measured);
        wm_results_free(variants[i].results);
        wm_text_release(&settings[i].list);
    }
    return status;
}
