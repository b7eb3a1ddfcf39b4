#include "bypass/all_sets.h"

#include "bypass/rank_correlation.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static enum wm_status out_of_memory(struct wm_error *error)
{
    return wm_fail_no_memory(error, "all sets of a kernel's loads");
}

// --- The sets ---

static enum wm_status too_many(const struct wm_bypass_kernel *kernel, uint32_t free_loads,
                               struct wm_error *error)
{
    wm_fail(error, WM_LIMIT,
            "kernel %s has %" PRIu32 " loads to decide, of which %d can have all their sets "
            "measured: %d sets",
            wm_bypass_kernel_title(kernel), free_loads, WM_ALL_SETS_MOST_LOADS,
            1 << WM_ALL_SETS_MOST_LOADS);
    return wm_error_hint(error,
                         "force the others with --load N=ca or N=cg, or leave the kernel out "
                         "with --kernel");
}

static void fill_set(const struct wm_bypass_kernel *kernel, uint32_t number,
                     struct wm_load_set *cached)
{
    uint32_t next = 0;
    for (uint32_t load = 0; load < kernel->profiled->load_count; load++) {
        enum wm_bypass_forced forced = kernel->forced[load];
        bool is_free = forced == WM_BYPASS_FREE;
        if (is_free ? number >> next & 1 : forced == WM_BYPASS_FORCED_CACHED)
            wm_load_set_add(cached, load);
        next += is_free;
    }
}

// The kernel's sets, and behind them the empty one, which predictions start from.
static enum wm_status list_sets(struct wm_bypass_program *program,
                                const struct wm_bypass_kernel *kernel,
                                struct wm_bypass_all_sets *all, struct wm_chosen_sets *chosen,
                                struct wm_error *error)
{
    *all = (struct wm_bypass_all_sets){.correlation = NAN};
    for (uint32_t load = 0; load < kernel->profiled->load_count; load++)
        all->free_loads += kernel->forced[load] == WM_BYPASS_FREE;
    if (all->free_loads > WM_ALL_SETS_MOST_LOADS)
        return too_many(kernel, all->free_loads, error);
    all->count = UINT32_C(1) << all->free_loads;
    all->sets = WM_ARENA_ARRAY(&program->arena, struct wm_bypass_set, all->count);
    struct wm_load_set *sets = WM_ARENA_ARRAY(&program->arena, struct wm_load_set, all->count + 1);
    uint64_t *bytes = WM_ARENA_ARRAY(&program->arena, uint64_t, all->count + 1);
    if (all->sets == NULL || sets == NULL || bytes == NULL)
        return out_of_memory(error);
    for (uint32_t i = 0; i < all->count; i++)
        fill_set(kernel, i, &sets[i]);
    *chosen = (struct wm_chosen_sets){
        .kernel = kernel->profiled, .sets = sets, .count = all->count + 1, .bytes = bytes};
    return WM_OK;
}

// --- What they come to ---

// Whether the load was decided in the program's own profile.
static bool was_decided(void *context, const struct wm_work *work,
                        const struct wm_instruction_facts *facts, uint32_t pc)
{
    const struct wm_load_profile *profile = context;
    (void)facts;
    for (uint32_t k = 0; k < profile->kernel_count; k++) {
        const struct wm_profiled_kernel *kernel = &profile->kernels[k];
        if (kernel->fingerprint != work->fingerprint || strcmp(kernel->name, work->kernel) != 0)
            continue;
        for (uint32_t i = 0; i < kernel->load_count; i++)
            if (kernel->loads[i].pc == pc)
                return true;
        return false;
    }
    return false;
}

static enum wm_status compare(const struct wm_bypass_program *program,
                              const struct wm_bypass_kernel *kernel,
                              const struct wm_chosen_sets *chosen, struct wm_bypass_all_sets *all,
                              struct wm_error *error)
{
    uint32_t loads = kernel->profiled->load_count;
    bool cached[WM_LOAD_PROFILE_MOST_LOADS];
    double *predicted = calloc(all->count, sizeof *predicted),
           *measured = calloc(all->count, sizeof *measured);
    bool made = predicted != NULL && measured != NULL;
    for (uint32_t i = 0; i < all->count && made; i++) {
        struct wm_bypass_set *set = &all->sets[i];
        set->cached = chosen->sets[i];
        for (uint32_t load = 0; load < loads; load++)
            cached[load] = wm_load_set_has(&set->cached, load);
        double saved = wm_traffic_graph_value(&kernel->views[program->source].graph, cached);
        // Whole bytes: sums that differ by their rounding alone are ties.
        predicted[i] = round((double)chosen->bytes[all->count] - saved);
        measured[i] = (double)chosen->bytes[i];
        set->predicted = (int64_t)predicted[i];
        set->measured = chosen->bytes[i];
    }
    enum wm_status status =
        made ? wm_rank_correlation(predicted, measured, all->count, &all->correlation, error)
             : out_of_memory(error);
    free(predicted);
    free(measured);
    return status;
}

enum wm_status wm_bypass_find_all_sets(struct wm_bypass_program *program,
                                       struct wm_recording *recording,
                                       const struct wm_machine *machine,
                                       const struct wm_bypass_options *options,
                                       struct wm_bypass_all_sets *all, struct wm_error *error)
{
    const struct wm_load_profile_options profiling = {.decided = was_decided,
                                                      .context = program->profile,
                                                      .progress = options->progress,
                                                      .filter = options->filter};
    struct wm_chosen_sets *chosen = calloc(program->kernel_count, sizeof *chosen);
    enum wm_status status = chosen != NULL ? WM_OK : out_of_memory(error);
    for (uint32_t k = 0; k < program->kernel_count && status == WM_OK; k++)
        status = list_sets(program, &program->kernels[k], &all[k], &chosen[k], error);
    if (status == WM_OK)
        status = wm_load_profile_sets(recording, machine, &profiling, chosen, program->kernel_count,
                                      error);
    for (uint32_t k = 0; k < program->kernel_count && status == WM_OK; k++)
        status = compare(program, &program->kernels[k], &chosen[k], &all[k], error);
    free(chosen);
    return status;
}

// --- Sets of interest ---

const struct wm_bypass_set *wm_bypass_best_set(const struct wm_bypass_all_sets *all)
{
    const struct wm_bypass_set *best = &all->sets[0];
    for (uint32_t i = 1; i < all->count; i++)
        if (all->sets[i].measured < best->measured)
            best = &all->sets[i];
    return best;
}

const struct wm_bypass_set *wm_bypass_set_of(const struct wm_bypass_all_sets *all,
                                             const struct wm_bypass_kernel *kernel,
                                             const struct wm_bypass_solution *solution)
{
    struct wm_load_set cached = {0};
    for (uint32_t load = 0; load < kernel->profiled->load_count; load++)
        if (solution->cached[load])
            wm_load_set_add(&cached, load);
    for (uint32_t i = 0; i < all->count; i++)
        if (memcmp(&all->sets[i].cached, &cached, sizeof cached) == 0)
            return &all->sets[i];
    return NULL;
}
