#include "bypass/hints.h"

#include "base/run/progress.h"
#include "bypass/load_list.h"
#include "engine/profile/variants.h"
#include "engine/session/component_sum.h"
#include "mem/replacement/entries.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { L1, L2, LEVELS, MOST_SETTINGS = 4 };

static const struct {
    enum wm_load_word first, end;
} level_words[LEVELS] = {{WM_LOAD_CA, WM_LOAD_L1_WORDS}, {WM_LOAD_L2_NORMAL, WM_LOAD_WORDS}};

// A load whose turn comes.
struct turn {
    uint32_t kernel, load;
    uint64_t sectors;
};

// Of one variant: by kernel, and of the run.
struct counted {
    struct wm_hint_counts *kernels, run;
};

struct finding {
    struct wm_bypass_program *program;
    struct wm_recording *recording;
    const struct wm_machine *machine;
    const struct wm_plugins *plugins;
    const struct wm_bypass_options *options;
    bool clock;
    uint32_t threads;
    struct wm_bypass_hints *hints;
    struct turn *turns; // heaviest first
    uint32_t turn_count;
    struct counted now, words[WM_LOAD_WORDS]; // as decided so far; by what is tried
    struct wm_progress progress;
};

static enum wm_status out_of_memory(struct wm_error *error)
{
    return wm_fail_no_memory(error, "trying out what loads say of caches");
}

// --- Which words there are ---

static bool is_capable(const struct wm_machine *machine, uint32_t architecture)
{
    return machine->device.compute_major * 10 + machine->device.compute_minor >= architecture;
}

enum wm_status wm_bypass_hints_check(const struct wm_machine *machine, struct wm_error *error)
{
    if (is_capable(machine, WM_PTX_L1_PRIORITIES_TARGET))
        return WM_OK;
    wm_fail(error, WM_UNSUPPORTED,
            "%s is of compute capability %" PRIu32 ".%" PRIu32
            ", whose loads say no more than .ca and .cg: eviction priorities need 7.0",
            machine->name, machine->device.compute_major, machine->device.compute_minor);
    wm_error_place(error, "--hints");
    return wm_error_hint(error, "choose -m v100, a100 or h100, or leave --hints out");
}

// The machine obeys loads' hints when its replacement is `priority`, which is LRU for loads without
// a hint: it can stand in for `lru`.
static bool can_obey(const struct wm_cache_spec *cache)
{
    return wm_obeys_priorities(cache) || cache->replacement == &wm_replacement_lru;
}

static void leave_out(struct wm_hinted_kernel *kernel, const char *why)
{
    if (why != NULL)
        kernel->left_out[kernel->left_out_count++] = why;
}

static const char *too_old(struct wm_arena *arena, const struct wm_ptx_module *module, bool l2)
{
    char text[256];
    snprintf(text, sizeof text,
             "%s: they need PTX %d.%d for sm_%d, and the kernel's is %" PRIu32 ".%" PRIu32
             " for sm_%" PRIu32,
             l2 ? "Policies for L2 are not tried" : "Eviction priorities at L1 are not tried",
             WM_PTX_RAISED_MAJOR, WM_PTX_RAISED_MINOR,
             l2 ? WM_PTX_L2_POLICIES_TARGET : WM_PTX_L1_PRIORITIES_TARGET, module->version_major,
             module->version_minor, module->target_architecture);
    return wm_arena_copy_text(arena, text, strlen(text));
}

static const char *obeys_none(struct wm_arena *arena, const struct wm_cache_spec *cache, bool l2)
{
    char text[256];
    snprintf(text, sizeof text, "%s: gpu.l%d.replacement is %.60s, which obeys none",
             l2 ? "Policies for L2 are not tried"
                : "L1::evict_first and L1::evict_last are not tried",
             l2 ? 2 : 1, cache->replacement->name);
    return wm_arena_copy_text(arena, text, strlen(text));
}

static bool find_words(struct finding *it, uint32_t number)
{
    struct wm_hinted_kernel *kernel = &it->hints->kernels[number];
    const struct wm_ptx_module *module = it->program->kernels[number].module;
    const struct wm_memory_spec *memory = &it->machine->memory;
    struct wm_arena *arena = &it->hints->arena;
    bool l1 = wm_ptx_may_prioritise(module, false), l2 = wm_ptx_may_prioritise(module, true);
    const char *why[3] = {NULL};
    kernel->tries[WM_LOAD_CA] = kernel->tries[WM_LOAD_CG] = kernel->tries[WM_LOAD_L2_NORMAL] = true;
    kernel->tries[WM_LOAD_L1_NO_ALLOCATE] = l1;
    kernel->tries[WM_LOAD_L1_EVICT_FIRST] = kernel->tries[WM_LOAD_L1_EVICT_LAST] =
        l1 && can_obey(&memory->levels[WM_LEVEL_L1].cache);
    kernel->tries[WM_LOAD_L2_EVICT_FIRST] = kernel->tries[WM_LOAD_L2_EVICT_LAST] =
        l2 && can_obey(&memory->levels[WM_LEVEL_L2].cache) &&
        is_capable(it->machine, WM_PTX_L2_POLICIES_TARGET);
    bool good = true;
    if (!l1)
        good = (why[0] = too_old(arena, module, false)) != NULL;
    else if (!can_obey(&memory->levels[WM_LEVEL_L1].cache))
        good = (why[0] = obeys_none(arena, &memory->levels[WM_LEVEL_L1].cache, false)) != NULL;
    if (!is_capable(it->machine, WM_PTX_L2_POLICIES_TARGET))
        why[1] = "Policies for L2 are not tried: they need compute capability 8.0";
    else if (!l2)
        good = good && (why[1] = too_old(arena, module, true)) != NULL;
    else if (!can_obey(&memory->levels[WM_LEVEL_L2].cache))
        good =
            good && (why[1] = obeys_none(arena, &memory->levels[WM_LEVEL_L2].cache, true)) != NULL;
    leave_out(kernel, why[0]);
    leave_out(kernel, why[1]);
    return good;
}

// --- Where loads begin ---

static void begin_load(const struct wm_bypass_kernel *kernel,
                       const struct wm_bypass_solution *solution, uint32_t load,
                       struct wm_hinted_load *hinted)
{
    hinted->own = wm_bypass_own_hint(&kernel->loads[load]);
    hinted->chosen = hinted->own;
    if (wm_bypass_is_decided(&kernel->loads[load]))
        hinted->chosen = wm_bypass_solved_hint(solution, load);
}

static void add_turns(struct finding *it, uint32_t number)
{
    const struct wm_bypass_kernel *kernel = &it->program->kernels[number];
    uint64_t all = 0;
    for (uint32_t i = 0; i < kernel->profiled->load_count; i++)
        all += kernel->profiled->loads[i].sectors;
    for (uint32_t i = 0; i < kernel->profiled->load_count; i++) {
        uint64_t own = kernel->profiled->loads[i].sectors;
        if (wm_bypass_is_decided(&kernel->loads[i]) && 100 * own >= WM_HINT_LEAST_GAIN * all)
            it->turns[it->turn_count++] = (struct turn){number, i, own};
    }
}

static int compare_turns(const void *a, const void *b)
{
    const struct turn *left = a, *right = b;
    if (left->sectors != right->sectors)
        return left->sectors > right->sectors ? -1 : 1;
    if (left->kernel != right->kernel)
        return left->kernel < right->kernel ? -1 : 1;
    return (left->load > right->load) - (left->load < right->load);
}

static enum wm_status begin(struct finding *it, enum wm_bypass_solver solver,
                            struct wm_error *error)
{
    struct wm_bypass_program *program = it->program;
    struct wm_arena *arena = &it->hints->arena;
    uint32_t count = program->kernel_count, loads = 0;
    it->hints->kernels = WM_ARENA_ARRAY(arena, struct wm_hinted_kernel, count);
    for (uint32_t k = 0; k < count; k++)
        loads += program->kernels[k].profiled->load_count;
    it->turns = WM_ARENA_ARRAY(arena, struct turn, loads);
    it->now.kernels = WM_ARENA_ARRAY(arena, struct wm_hint_counts, count);
    bool good = it->hints->kernels != NULL && it->turns != NULL && it->now.kernels != NULL;
    for (int i = 0; i < WM_LOAD_WORDS && good; i++)
        good = (it->words[i].kernels = WM_ARENA_ARRAY(arena, struct wm_hint_counts, count)) != NULL;
    for (uint32_t k = 0; k < count && good; k++) {
        const struct wm_bypass_kernel *kernel = &program->kernels[k];
        struct wm_hinted_kernel *hinted = &it->hints->kernels[k];
        hinted->loads = WM_ARENA_ARRAY(arena, struct wm_hinted_load, kernel->profiled->load_count);
        good = hinted->loads != NULL && find_words(it, k);
        for (uint32_t i = 0; i < kernel->profiled->load_count && good; i++)
            begin_load(kernel, wm_bypass_solution_of(program, kernel, solver), i,
                       &hinted->loads[i]);
        add_turns(it, k);
    }
    if (!good)
        return out_of_memory(error);
    qsort(it->turns, it->turn_count, sizeof *it->turns, compare_turns);
    return WM_OK;
}

static void find_settings(const struct wm_machine *machine, struct wm_bypass_hints *hints)
{
    hints->settings[hints->setting_count++] = "gpu.l1.bypass=per-pc";
    if (machine->memory.levels[WM_LEVEL_L1].cache.replacement == &wm_replacement_lru)
        hints->settings[hints->setting_count++] = "gpu.l1.replacement=priority";
    if (machine->memory.levels[WM_LEVEL_L2].cache.replacement == &wm_replacement_lru)
        hints->settings[hints->setting_count++] = "gpu.l2.replacement=priority";
}

// --- Variants ---

// The settings of one variant.
struct settings {
    struct wm_text list; // "gpu.l1.bypass_list=…"
    const char *words[MOST_SETTINGS];
};

static struct wm_load_hint chosen_hint(const void *context, uint32_t kernel, uint32_t load)
{
    const struct finding *it = context;
    return it->hints->kernels[kernel].loads[load].chosen;
}

static struct wm_load_hint own_hint(const void *context, uint32_t kernel, uint32_t load)
{
    const struct finding *it = context;
    return it->hints->kernels[kernel].loads[load].own;
}

static enum wm_status make_settings(const struct finding *it, wm_load_hint_finder *hint_of,
                                    struct settings *settings, struct wm_error *error)
{
    WM_TRY(wm_bypass_make_list(it->program, hint_of, it, &settings->list, error));
    memcpy(settings->words, it->hints->settings, sizeof it->hints->settings);
    settings->words[it->hints->setting_count] = settings->list.data;
    return WM_OK;
}

// --- Counting ---

// Both ways, below the caches of `kind`.
static uint64_t bytes_below(const struct wm_component_result *components, uint32_t count,
                            const char *kind)
{
    return wm_component_sum(components, count, kind, "bytes_from_below") +
           wm_component_sum(components, count, kind, "bytes_to_below");
}

static void count(const struct finding *it, const struct wm_results *results,
                  struct counted *counted)
{
    counted->run = (struct wm_hint_counts){
        .l1_l2 = bytes_below(results->components, results->component_count, "l1"),
        .dram = bytes_below(results->components, results->component_count, "l2")};
    for (uint32_t i = 0; i < results->kernel_count; i++)
        counted->run.cycles += results->kernels[i].cycles;
    for (uint32_t k = 0; k < it->program->kernel_count; k++) {
        const struct wm_kernel_result *found =
            wm_bypass_result_of(results, &it->program->kernels[k]);
        if (found == NULL)
            continue;
        counted->kernels[k] = (struct wm_hint_counts){
            .l1_l2 = bytes_below(found->components, found->component_count, "l1"),
            .dram = bytes_below(found->components, found->component_count, "l2"),
            .cycles = found->cycles};
    }
}

// Measures variants side by side; `settings` are released.
static enum wm_status measure(struct finding *it, struct settings *settings,
                              struct counted *const *counted, uint32_t variant_count,
                              struct wm_error *error)
{
    struct wm_variant variants[WM_LOAD_WORDS] = {0};
    const struct wm_session_options walk = {
        .memory = true, .clock = it->clock, .filter = it->options->filter, .no_host_threads = true};
    for (uint32_t i = 0; i < variant_count; i++)
        variants[i] = (struct wm_variant){.settings = settings[i].words,
                                          .setting_count = it->hints->setting_count + 1};
    enum wm_status status = wm_variants_measure(it->recording, it->machine, it->plugins, variants,
                                                variant_count, it->threads, &walk, error);
    for (uint32_t i = 0; i < variant_count; i++) {
        if (status == WM_OK)
            count(it, variants[i].results, counted[i]);
        wm_results_free(variants[i].results);
        wm_text_release(&settings[i].list);
    }
    it->hints->replays += variant_count;
    return status;
}

// --- Deciding ---

static enum wm_load_word *word_of(struct wm_load_hint *hint, int level)
{
    return level == L1 ? &hint->l1 : &hint->l2;
}

// By WM_HINT_LEAST_GAIN per cent.
static bool is_less(uint64_t after, uint64_t before)
{
    return after < before && 100 * (before - after) >= WM_HINT_LEAST_GAIN * before;
}

static bool is_better(const struct finding *it, int level, uint32_t kernel,
                      const struct counted *after, const struct counted *before)
{
    const struct wm_hint_counts *now = &after->kernels[kernel], *then = &before->kernels[kernel];
    if (it->clock)
        return is_less(now->cycles, then->cycles) && after->run.cycles <= before->run.cycles;
    return (level == L1 ? is_less(now->l1_l2, then->l1_l2) : is_less(now->dram, then->dram)) &&
           !is_less(before->run.dram, after->run.dram);
}

static void keep(const struct finding *it, const struct counted *from, struct counted *to)
{
    memcpy(to->kernels, from->kernels, it->program->kernel_count * sizeof *to->kernels);
    to->run = from->run;
}

static enum wm_status try_words(struct finding *it, const struct turn *turn, int level,
                                struct wm_error *error)
{
    struct wm_hinted_kernel *kernel = &it->hints->kernels[turn->kernel];
    struct wm_hinted_load *load = &kernel->loads[turn->load];
    enum wm_load_word *chosen = word_of(&load->chosen, level), own = *word_of(&load->own, level),
                      current = *chosen;
    struct settings settings[WM_LOAD_WORDS];
    struct counted *counted[WM_LOAD_WORDS];
    uint32_t variants = 0;
    enum wm_status status = WM_OK;
    keep(it, &it->now, &it->words[current]);
    for (enum wm_load_word word = level_words[level].first; word < level_words[level].end; word++) {
        if (word == current || !kernel->tries[word] || status != WM_OK)
            continue;
        *chosen = word;
        status = make_settings(it, chosen_hint, &settings[variants], error);
        counted[variants++] = &it->words[word];
    }
    if (status == WM_OK) {
        status = measure(it, settings, counted, variants, error);
    } else {
        for (uint32_t i = 0; i < variants; i++)
            wm_text_release(&settings[i].list);
    }
    *chosen = current;
    if (status != WM_OK)
        return status;
    *chosen = own;
    for (enum wm_load_word word = level_words[level].first; word < level_words[level].end; word++)
        if (word != own && kernel->tries[word] &&
            is_better(it, level, turn->kernel, &it->words[word], &it->words[*chosen]))
            *chosen = word;
    load->trials[level] = (struct wm_hint_trial){.tried = true,
                                                 .before = it->words[own].kernels[turn->kernel],
                                                 .after = it->words[*chosen].kernels[turn->kernel]};
    keep(it, &it->words[*chosen], &it->now);
    return WM_OK;
}

static bool is_free(const struct finding *it, const struct turn *turn, int level)
{
    const struct wm_hinted_kernel *kernel = &it->hints->kernels[turn->kernel];
    return level == L1 ? it->program->kernels[turn->kernel].forced[turn->load] == WM_BYPASS_FREE
                       : kernel->tries[WM_LOAD_L2_EVICT_FIRST];
}

// As the program is, and as the solver decided.
static enum wm_status measure_begin(struct finding *it, struct counted *before,
                                    struct wm_error *error)
{
    struct settings settings[2] = {0};
    enum wm_status status = make_settings(it, own_hint, &settings[0], error);
    if (status == WM_OK)
        status = make_settings(it, chosen_hint, &settings[1], error);
    if (status == WM_OK)
        return measure(it, settings, (struct counted *const[]){before, &it->now}, 2, error);
    wm_text_release(&settings[0].list);
    wm_text_release(&settings[1].list);
    return status;
}

static enum wm_status decide(struct finding *it, struct wm_error *error)
{
    struct wm_bypass_hints *hints = it->hints;
    struct counted *before = &it->words[WM_LOAD_CA]; // until the first turn
    WM_TRY(measure_begin(it, before, error));
    hints->before = before->run;
    for (uint32_t k = 0; k < it->program->kernel_count; k++)
        hints->kernels[k].before = before->kernels[k];
    for (int level = L1; level < LEVELS; level++)
        for (uint32_t i = 0; i < it->turn_count; i++) {
            wm_progress_update(&it->progress, (uint64_t)level * it->turn_count + i);
            if (is_free(it, &it->turns[i], level))
                WM_TRY(try_words(it, &it->turns[i], level, error));
        }
    hints->after = it->now.run;
    for (uint32_t k = 0; k < it->program->kernel_count; k++)
        hints->kernels[k].after = it->now.kernels[k];
    return WM_OK;
}

// What is written takes them from the program.
static enum wm_status hand_over(struct finding *it, struct wm_error *error)
{
    for (uint32_t k = 0; k < it->program->kernel_count; k++) {
        struct wm_bypass_kernel *kernel = &it->program->kernels[k];
        uint32_t loads = kernel->profiled->load_count;
        struct wm_load_hint *hints = WM_ARENA_ARRAY(&it->hints->arena, struct wm_load_hint, loads);
        if (hints == NULL)
            return out_of_memory(error);
        for (uint32_t i = 0; i < loads; i++)
            hints[i] = it->hints->kernels[k].loads[i].chosen;
        kernel->hints = hints;
    }
    it->program->settings = it->hints->settings;
    it->program->setting_count = it->hints->setting_count;
    return WM_OK;
}

enum wm_status wm_bypass_hints_find(struct wm_bypass_program *program, enum wm_bypass_solver solver,
                                    struct wm_recording *recording,
                                    const struct wm_machine *machine,
                                    const struct wm_plugins *plugins, bool clock, uint32_t threads,
                                    const struct wm_bypass_options *options,
                                    struct wm_bypass_hints *hints, struct wm_error *error)
{
    struct finding it = {.program = program,
                         .recording = recording,
                         .machine = machine,
                         .plugins = plugins,
                         .options = options,
                         .clock = clock,
                         .threads = threads,
                         .hints = hints};
    *hints = (struct wm_bypass_hints){0};
    wm_arena_init(&hints->arena);
    find_settings(machine, hints);
    WM_TRY(wm_bypass_hints_check(machine, error));
    WM_TRY(begin(&it, solver, error));
    wm_progress_init(&it.progress, "trying hints", (uint64_t)LEVELS * it.turn_count);
    it.progress.enabled &= options->progress;
    enum wm_status status = decide(&it, error);
    wm_progress_finish(&it.progress);
    return status == WM_OK ? hand_over(&it, error) : status;
}

void wm_bypass_hints_release(struct wm_bypass_hints *hints)
{
    wm_arena_release(&hints->arena);
    *hints = (struct wm_bypass_hints){0};
}
