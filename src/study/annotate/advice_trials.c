#include "study/annotate/advice_trials.h"

#include "base/text/units.h"
#include "mem/bypass/entries.h"
#include "mem/replacement/entries.h"
#include "study/annotate/annotate.h"
#include "study/run_report/result_sums.h"
#include "study/tables/level_columns.h"

#include <inttypes.h>
#include <stdlib.h>

// More variants than these are not measured: each takes as long as a replay of the run.
enum {
    MOST_VARIANTS = 64,
    MOST_SETTINGS = 3,
    REASON_BYTES = sizeof((struct wm_error *)0)->message
};

// The results of one variant; the first is the machine as it is.
struct measured_variant {
    const char *settings; // one a line
    const struct wm_results *results;
};

struct wm_measured_advice {
    struct wm_arena arena;
    const struct wm_machine *machine; // borrowed
    bool clock;
    char reason[REASON_BYTES]; // "": measured
    struct measured_variant variants[MOST_VARIANTS];
    uint32_t count;
};

// --- Proposing ---

// Whether a list of instructions can be said without changing what else the machine does.
static bool takes_bypass_list(const struct wm_machine *machine)
{
    const struct wm_bypass_ops *ops = machine->memory.levels[WM_LEVEL_L1].bypass;
    return machine->memory.levels[WM_LEVEL_L1].cache.present &&
           (ops == NULL || ops == &wm_bypass_cache_operator || ops == &wm_bypass_per_pc);
}

static void begin_list(const struct wm_machine *machine, struct wm_text *text)
{
    const char *list = machine->bypass_list;
    bool listed = machine->memory.levels[WM_LEVEL_L1].bypass == &wm_bypass_per_pc &&
                  list[0] != '\0' && strcmp(list, "none") != 0;
    wm_text_format(text, "gpu.l1.bypass=per-pc\ngpu.l1.bypass_list=%s%s", listed ? list : "",
                   listed ? "," : "");
}

// `word`: what the loads are to say, "=L1::evict_last"; "": they go around L1.
static void add_to_list(const struct wm_advice *advice, bool first, const char *word,
                        struct wm_text *text)
{
    for (uint32_t i = 0; i < advice->view.pc_count; i++)
        wm_text_format(text, "%s%s:pc%" PRIu32 "%s", first && i == 0 ? "" : ",",
                       advice->view.kernel->name, advice->view.pcs[i], word);
}

// The text becomes a trial's settings, if a machine can have them. False when out of memory.
static bool add_trial(struct wm_arena *arena, struct wm_advice *advice,
                      struct wm_advice_trial trial, struct wm_text *text)
{
    bool good = !text->failed && text->data != NULL;
    if (good && text->length < WM_BYPASS_LIST_BYTES) {
        trial.settings = wm_arena_copy_text(arena, text->data, text->length);
        good = trial.settings != NULL;
        advice->trials[advice->trial_count] = trial;
        advice->trial_count += good;
    }
    wm_text_release(text);
    return good;
}

// The advice's loads around L1.
static bool propose_bypass(struct wm_arena *arena, const struct wm_machine *machine,
                           struct wm_advice *advice)
{
    struct wm_text text;
    if (!takes_bypass_list(machine) || advice->instructions > advice->view.pc_count)
        return true;
    wm_text_init(&text);
    begin_list(machine, &text);
    add_to_list(advice, true, "", &text);
    return add_trial(
        arena, advice,
        (struct wm_advice_trial){.kind = WM_TRIAL_ALONE, .loads = advice->instructions}, &text);
}

// Whether priorities can distinguish loads: the GPU knows them from compute
// capability 7.0 on (PTX ISA, ld), and LRU is what the replacement that obeys them does without
// any.
static bool takes_priorities(const struct wm_machine *machine)
{
    const struct wm_replacement_ops *replacement =
        machine->memory.levels[WM_LEVEL_L1].cache.replacement;
    return takes_bypass_list(machine) && machine->device.compute_major >= 7 &&
           (replacement == &wm_replacement_lru || replacement == &wm_replacement_priority);
}

// The advice's loads with the rule's priority.
static bool propose_priority(struct wm_arena *arena, const struct wm_machine *machine,
                             struct wm_advice *advice)
{
    struct wm_text text;
    char word[32];
    if (advice->rule->priority == NULL || !takes_priorities(machine) || advice->view.ordered ||
        advice->view.space != WM_SPACE_GLOBAL || advice->instructions > advice->view.pc_count)
        return true;
    snprintf(word, sizeof word, "=%s", advice->rule->priority);
    wm_text_init(&text);
    if (machine->memory.levels[WM_LEVEL_L1].cache.replacement != &wm_replacement_priority)
        wm_text_add(&text, "gpu.l1.replacement=priority\n");
    begin_list(machine, &text);
    add_to_list(advice, true, word, &text);
    return add_trial(
        arena, advice,
        (struct wm_advice_trial){.kind = WM_TRIAL_PRIORITY, .loads = advice->instructions}, &text);
}

// Blocks that an SM had at a time at most.
static uint32_t resident_blocks(const struct wm_machine *machine,
                                const struct wm_kernel_result *kernel)
{
    uint64_t blocks = (uint64_t)kernel->grid[0] * kernel->grid[1] * kernel->grid[2];
    uint64_t each = (blocks + machine->sm.count - 1) / machine->sm.count;
    return each < kernel->blocks_per_sm ? (uint32_t)each : kernel->blocks_per_sm;
}

static bool propose_blocks(struct wm_arena *arena, const struct wm_machine *machine,
                           const struct wm_kernel_result *kernel, struct wm_advice *advice)
{
    uint32_t resident = resident_blocks(machine, kernel), last = resident;
    const uint32_t counts[] = {resident / 2, resident / 4, 1};
    bool good = true;
    for (uint32_t i = 0; i < sizeof counts / sizeof counts[0] && good; i++) {
        if (counts[i] == 0 || counts[i] >= last)
            continue;
        struct wm_text text;
        wm_text_init(&text);
        wm_text_format(&text, "gpu.sm.max_blocks=%" PRIu32, counts[i]);
        good = add_trial(arena, advice,
                         (struct wm_advice_trial){.kind = WM_TRIAL_BLOCKS, .blocks = counts[i]},
                         &text);
        last = counts[i];
    }
    return good;
}

// --- All advice of a kernel ---

// The advice at a place in the kernel's order; NULL past the last.
static struct wm_advice *advice_at(const struct wm_annotated_kernel *kernel, uint32_t place)
{
    for (uint32_t s = 0; s < kernel->section_count; s++)
        for (uint32_t i = 0; i < kernel->sections[s].line_count; i++) {
            struct wm_annotated_line *line = &kernel->sections[s].lines[i];
            if (place < line->advice_count)
                return &line->advice[place];
            place -= line->advice_count;
        }
    return NULL;
}

// Of advice to go around L1, where there are several: all of them. Each gets
// that trial.
static bool propose_together(struct wm_arena *arena, const struct wm_machine *machine,
                             const struct wm_annotated_kernel *kernel)
{
    struct wm_advice *advice;
    struct wm_text text;
    uint32_t several = 0, loads = 0;
    wm_text_init(&text);
    begin_list(machine, &text);
    for (uint32_t i = 0; (advice = advice_at(kernel, i)) != NULL; i++)
        if (advice->trial_count != 0 && advice->trials[0].kind == WM_TRIAL_ALONE) {
            add_to_list(advice, several++ == 0, "", &text);
            loads += advice->instructions;
        }
    bool good = !text.failed;
    for (uint32_t i = 0; several > 1 && good && (advice = advice_at(kernel, i)) != NULL; i++) {
        if (advice->trial_count == 0 || advice->trials[0].kind != WM_TRIAL_ALONE)
            continue;
        struct wm_text copy;
        wm_text_init(&copy);
        wm_text_add(&copy, text.data);
        good =
            add_trial(arena, advice,
                      (struct wm_advice_trial){.kind = WM_TRIAL_TOGETHER, .loads = loads}, &copy);
    }
    wm_text_release(&text);
    return good;
}

static bool propose(struct wm_arena *arena, const struct wm_machine *machine,
                    const struct wm_annotated_kernel *kernel)
{
    struct wm_advice *advice;
    bool good = true;
    for (uint32_t i = 0; good && (advice = advice_at(kernel, i)) != NULL; i++)
        switch (advice->rule->trials) {
        case WM_TRIALS_BYPASS: good = propose_bypass(arena, machine, advice); break;
        case WM_TRIALS_BLOCKS: good = propose_blocks(arena, machine, kernel->kernel, advice); break;
        case WM_TRIALS_NONE: break;
        }
    for (uint32_t i = 0; good && (advice = advice_at(kernel, i)) != NULL; i++)
        good = propose_priority(arena, machine, advice);
    return good && propose_together(arena, machine, kernel);
}

// --- Measuring ---

static void add_variant(struct wm_measured_advice *measured, const char *settings)
{
    for (uint32_t i = 0; i < measured->count; i++)
        if (strcmp(measured->variants[i].settings, settings) == 0)
            return;
    if (measured->count < MOST_VARIANTS)
        measured->variants[measured->count++] = (struct measured_variant){.settings = settings};
}

// Of all that the rules propose, each variant once.
static bool gather_variants(struct wm_measured_advice *measured, const struct wm_results *results)
{
    struct wm_annotation annotation;
    struct wm_advice *advice;
    bool good = wm_annotation_gather(&annotation, results);
    for (uint32_t k = 0; good && k < annotation.kernel_count; k++) {
        const struct wm_annotated_kernel *kernel = &annotation.kernels[k];
        good = propose(&measured->arena, measured->machine, kernel);
        for (uint32_t i = 0; good && (advice = advice_at(kernel, i)) != NULL; i++)
            for (uint32_t t = 0; t < advice->trial_count; t++) {
                if (measured->count == 0)
                    add_variant(measured, "");
                add_variant(measured, advice->trials[t].settings);
            }
    }
    wm_annotation_release(&annotation);
    return good;
}

// The lines of `settings`, cut from a copy in the arena. Returns how many.
static uint32_t cut_lines(struct wm_arena *arena, const char *settings,
                          const char *lines[MOST_SETTINGS])
{
    uint32_t count = 0;
    while (*settings != '\0' && count < MOST_SETTINGS) {
        size_t length = strcspn(settings, "\n");
        lines[count] = wm_arena_copy_text(arena, settings, length);
        if (lines[count] == NULL)
            return UINT32_MAX;
        count++;
        settings += length + (settings[length] == '\n');
    }
    return count;
}

static enum wm_status replay_variants(struct wm_measured_advice *measured,
                                      const struct wm_measure_options *options,
                                      struct wm_error *error)
{
    const char *lines[MOST_VARIANTS][MOST_SETTINGS];
    struct wm_variant variants[MOST_VARIANTS] = {0};
    for (uint32_t i = 0; i < measured->count; i++) {
        uint32_t count = cut_lines(&measured->arena, measured->variants[i].settings, lines[i]);
        if (count == UINT32_MAX)
            return wm_fail_no_memory(error, "measuring what is advised");
        variants[i].settings = lines[i];
        variants[i].setting_count = count;
    }
    struct wm_session_options session = options->options;
    session.explain = session.per_launch = session.block_map = false;
    session.recorder = NULL;
    enum wm_status status =
        wm_variants_measure(options->recording, measured->machine, options->plugins, variants,
                            measured->count, options->threads, &session, error);
    for (uint32_t i = 0; i < measured->count; i++) {
        if (status == WM_OK)
            measured->variants[i].results = variants[i].results;
        else
            wm_results_free(variants[i].results);
    }
    return status;
}

static void set_reason(struct wm_measured_advice *measured, const char *reason)
{
    snprintf(measured->reason, sizeof measured->reason, "%s", reason);
}

enum wm_status wm_annotate_measure(const struct wm_results *results,
                                   const struct wm_measure_options *options,
                                   struct wm_measured_advice **made, struct wm_error *error)
{
    struct wm_measured_advice *measured = calloc(1, sizeof *measured);
    *made = measured;
    if (measured == NULL)
        return wm_fail_no_memory(error, "measuring what is advised");
    wm_arena_init(&measured->arena);
    measured->machine = options->machine;
    measured->clock = options->options.clock;
    enum wm_status status = WM_OK;
    if (!gather_variants(measured, results))
        status = wm_fail_no_memory(error, "measuring what is advised");
    if (status == WM_OK && measured->count != 0 && options->reason != NULL)
        set_reason(measured, options->reason);
    else if (status == WM_OK && measured->count != 0)
        status = replay_variants(measured, options, error);
    if (status != WM_OK)
        set_reason(measured, error->message);
    return status;
}

void wm_measured_advice_free(struct wm_measured_advice *measured)
{
    if (measured == NULL)
        return;
    for (uint32_t i = 0; i < measured->count; i++)
        wm_results_free((struct wm_results *)measured->variants[i].results);
    wm_arena_release(&measured->arena);
    free(measured);
}

const char *wm_measured_advice_reason(const struct wm_measured_advice *measured)
{
    return measured != NULL && measured->reason[0] != '\0' ? measured->reason : NULL;
}

bool wm_measured_advice_any(const struct wm_measured_advice *measured, bool *clock)
{
    bool any = measured != NULL && measured->count != 0 && measured->reason[0] == '\0';
    *clock = any && measured->clock;
    return any;
}

// --- Settling ---

static bool find_figures(const struct wm_results *results, const struct wm_kernel_result *kernel,
                         struct wm_trial_figures *figures)
{
    for (uint32_t i = 0; results != NULL && i < results->kernel_count; i++) {
        const struct wm_kernel_result *it = &results->kernels[i];
        if (strcmp(it->name, kernel->name) != 0 || strcmp(it->module, kernel->module) != 0)
            continue;
        struct wm_instruction_counters counters_by_pc = wm_kernel_instruction_counters(it);
        const struct wm_level_list *levels = &results->counted->levels;
        uint32_t place = wm_place_below_l1(levels);
        *figures = (struct wm_trial_figures){wm_level_place_name(levels, place),
                                             wm_listed_row(levels, place, &counters_by_pc).bytes,
                                             counters_by_pc.memory_bytes, it->cycles};
        return true;
    }
    return false;
}

static bool is_less(uint64_t after, uint64_t before)
{
    return after < before &&
           100.0 * (double)(before - after) >= (double)WM_TRIAL_LEAST_GAIN * (double)before;
}

static void look_up(const struct wm_measured_advice *measured,
                    const struct wm_kernel_result *kernel, struct wm_advice_trial *trial)
{
    for (uint32_t i = 1; i < measured->count; i++) {
        if (strcmp(measured->variants[i].settings, trial->settings) != 0)
            continue;
        trial->measured = find_figures(measured->variants[0].results, kernel, &trial->before) &&
                          find_figures(measured->variants[i].results, kernel, &trial->after);
        if (!trial->measured)
            trial->before = trial->after = (struct wm_trial_figures){0};
    }
    trial->gains = trial->before.cycles != 0
                       ? is_less(trial->after.cycles, trial->before.cycles)
                       : is_less(trial->after.below_l1_bytes, trial->before.below_l1_bytes);
}

// All that it advises was tried, and none of it gains.
static bool gains_nothing(const struct wm_advice *advice)
{
    bool tried = advice->rule->trials == WM_TRIALS_BYPASS && advice->trial_count != 0;
    for (uint32_t i = 0; i < advice->trial_count; i++)
        tried = tried && advice->trials[i].measured && !advice->trials[i].gains;
    return tried;
}

static bool put_aside(struct wm_arena *arena, struct wm_annotated_line *line, uint32_t place)
{
    if (line->tried == NULL)
        line->tried = WM_ARENA_ARRAY(arena, struct wm_advice, line->advice_count);
    if (line->tried == NULL)
        return false;
    line->tried[line->tried_count++] = line->advice[place];
    line->advice_count--;
    memmove(&line->advice[place], &line->advice[place + 1],
            (line->advice_count - place) * sizeof *line->advice);
    return true;
}

static bool settle_line(struct wm_arena *arena, struct wm_annotated_line *line, bool bypasses)
{
    for (uint32_t i = 0; i < line->advice_count;) {
        if (gains_nothing(&line->advice[i])) {
            if (!put_aside(arena, line, i))
                return false;
        } else if (bypasses && line->advice[i].rule->trials == WM_TRIALS_BLOCKS) {
            line->advice_count--;
            memmove(&line->advice[i], &line->advice[i + 1],
                    (line->advice_count - i) * sizeof *line->advice);
        } else {
            i++;
        }
    }
    return true;
}

static bool settle_kernel(struct wm_arena *arena, const struct wm_annotated_kernel *kernel,
                          const struct wm_measured_advice *measured)
{
    struct wm_advice *advice;
    bool good = measured == NULL || propose(arena, measured->machine, kernel), bypasses = false;
    for (uint32_t i = 0; good && (advice = advice_at(kernel, i)) != NULL; i++) {
        for (uint32_t t = 0; measured != NULL && t < advice->trial_count; t++)
            look_up(measured, kernel->kernel, &advice->trials[t]);
        bypasses |= advice->rule->trials == WM_TRIALS_BYPASS && !gains_nothing(advice);
    }
    for (uint32_t s = 0; s < kernel->section_count && good; s++)
        for (uint32_t i = 0; i < kernel->sections[s].line_count && good; i++)
            good = settle_line(arena, &kernel->sections[s].lines[i], bypasses);
    return good;
}

static bool apply_measurements(struct wm_annotation *annotation,
                               const struct wm_measured_advice *measured)
{
    bool good = true;
    for (uint32_t k = 0; k < annotation->kernel_count && good; k++)
        good = settle_kernel(&annotation->arena, &annotation->kernels[k], measured);
    return good;
}

bool wm_annotation_init(struct wm_annotation *annotation, const struct wm_results *results,
                        const struct wm_measured_advice *measured)
{
    return wm_annotation_gather(annotation, results) && apply_measurements(annotation, measured);
}

// --- Saying ---

// The advice's trial of that kind; NULL: none.
static const struct wm_advice_trial *trial_of(const struct wm_advice *advice,
                                              enum wm_trial_kind kind)
{
    for (uint32_t i = 0; i < advice->trial_count; i++)
        if (advice->trials[i].kind == kind)
            return &advice->trials[i];
    return NULL;
}

// Of trials that save nearly the same, the one with the most blocks: that leaves more to hide
// latencies with.
static const struct wm_advice_trial *best_blocks(const struct wm_advice *advice)
{
    const double nearly = 0.9;
    const struct wm_advice_trial *best = NULL;
    double most = 0.0;
    for (uint32_t i = 0; i < advice->trial_count; i++) { // the most blocks first
        const struct wm_advice_trial *trial = &advice->trials[i];
        bool timed = trial->before.cycles != 0;
        double before = (double)(timed ? trial->before.cycles : trial->before.below_l1_bytes),
               after = (double)(timed ? trial->after.cycles : trial->after.below_l1_bytes);
        if (trial->kind != WM_TRIAL_BLOCKS || !trial->gains || nearly * (before - after) <= most)
            continue;
        most = before - after;
        best = trial;
    }
    return best;
}

static double change(uint64_t before, uint64_t after)
{
    return before == 0 ? 0.0 : 100.0 * ((double)after - (double)before) / (double)before;
}

// "3.0 MiB instead of 4.0 MiB between L1 and L2 (-25%), 90.0 k instead of 100 k cycles (-10%)".
static void append_figures(const struct wm_advice_trial *trial, struct wm_text *text)
{
    const struct wm_trial_figures *before = &trial->before, *after = &trial->after;
    char less[32], more[32], title[WM_LEVEL_COUNTER_BYTES];
    wm_text_format(
        text, "%s instead of %s between L1 and %s (%+.0f%%)",
        wm_units_round((double)after->below_l1_bytes, WM_QUANTITY_BYTES, less, sizeof less),
        wm_units_round((double)before->below_l1_bytes, WM_QUANTITY_BYTES, more, sizeof more),
        wm_level_title(before->below_l1, title),
        change(before->below_l1_bytes, after->below_l1_bytes));
    if (before->cycles == 0)
        return;
    wm_text_format(text, ", %s instead of %s cycles (%+.1f%%)",
                   wm_units_round((double)after->cycles, WM_QUANTITY_COUNT, less, sizeof less),
                   wm_units_round((double)before->cycles, WM_QUANTITY_COUNT, more, sizeof more),
                   change(before->cycles, after->cycles));
}

static void append_settings(const char *settings, struct wm_text *text)
{
    while (*settings != '\0') {
        size_t length = strcspn(settings, "\n");
        wm_text_format(text, " --set %.*s", (int)length, settings);
        settings += length + (settings[length] == '\n');
    }
}

static void append_estimate(const struct wm_advice *advice, struct wm_text *text)
{
    wm_text_format(text, "; %s (%s): ", advice->rule->counted ? "counted" : "estimate",
                   advice->rule->computed);
    advice->rule->saves(&advice->view, text);
}

static void append_bypass(const struct wm_advice *advice, struct wm_text *text)
{
    const struct wm_advice_trial *alone = &advice->trials[0],
                                 *together = trial_of(advice, WM_TRIAL_TOGETHER);
    wm_text_add(text, "; measured: ");
    append_figures(alone, text);
    if (together != NULL && together->measured) {
        wm_text_format(text, ", with all %" PRIu32 " loads that are so advised ", together->loads);
        append_figures(together, text);
    }
    wm_text_add(text, "; the same with");
    bool needs_others = !alone->gains && together != NULL && together->gains;
    append_settings(needs_others ? together->settings : alone->settings, text);
}

// Only where it gains: it is another cure of the same.
static void append_priority(const struct wm_advice *advice, struct wm_text *text)
{
    const struct wm_advice_trial *trial = trial_of(advice, WM_TRIAL_PRIORITY);
    if (trial == NULL || !trial->gains)
        return;
    wm_text_format(text, "; measured with %s (ld.global.%s, warpmem bypass --hints): ",
                   advice->rule->priority, advice->rule->priority);
    append_figures(trial, text);
    wm_text_add(text, "; the same with");
    append_settings(trial->settings, text);
}

static void append_blocks(const struct wm_advice *advice, struct wm_text *text)
{
    const struct wm_advice_trial *any = trial_of(advice, WM_TRIAL_BLOCKS),
                                 *best = best_blocks(advice);
    if (any == NULL || !any->measured)
        return;
    if (best == NULL) {
        wm_text_add(text, "; fewer blocks at a time were measured and gain nothing");
        return;
    }
    wm_text_format(text, "; measured with %" PRIu32 " block%s at a time on an SM: ", best->blocks,
                   best->blocks == 1 ? "" : "s");
    append_figures(best, text);
    wm_text_add(text, "; the same with");
    append_settings(best->settings, text);
}

void wm_advice_saving_text(const struct wm_advice *advice, struct wm_text *text)
{
    const struct wm_advice_trial *alone = trial_of(advice, WM_TRIAL_ALONE);
    if (alone != NULL && alone->measured) {
        append_bypass(advice, text);
    } else {
        append_estimate(advice, text);
        if (alone != NULL) {
            wm_text_add(text, "; measure with");
            append_settings(alone->settings, text);
        }
    }
    append_blocks(advice, text);
    append_priority(advice, text);
}

const char *wm_advice_basis(const struct wm_advice *advice)
{
    for (uint32_t i = 0; i < advice->trial_count; i++)
        if (advice->trials[i].measured &&
            (advice->rule->trials == WM_TRIALS_BYPASS || advice->trials[i].gains))
            return "measured";
    return advice->rule->counted ? "counted" : "estimate";
}
