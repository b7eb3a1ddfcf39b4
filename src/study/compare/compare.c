#include "study/compare/compare.h"

#include "study/run_report/result_sums.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t apart(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

// --- Machines ---

static bool compare_machines(struct wm_comparison *it)
{
    const struct wm_machine_values *a = &it->a->settings, *b = &it->b->settings;
    it->settings =
        WM_ARENA_ARRAY(&it->arena, struct wm_setting_pair, (uint64_t)a->count + b->count);
    if (it->settings == NULL)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (wm_machine_value_differs(&a->values[i], b))
            it->settings[it->setting_count++] = (struct wm_setting_pair){
                a->values[i].key, a->values[i].value, wm_machine_values_find(b, a->values[i].key)};
    for (uint32_t i = 0; i < b->count; i++)
        if (wm_machine_values_find(a, b->values[i].key) == NULL)
            it->settings[it->setting_count++] =
                (struct wm_setting_pair){b->values[i].key, NULL, b->values[i].value};
    return true;
}

// --- Kernels ---

// The kernel of b that is a's, of those not taken: on the same GPU by symbol, else by signature.
static uint32_t find_kernel(const struct wm_run_model *b, const struct wm_model_kernel *a,
                            const bool *taken)
{
    for (uint32_t i = 0; i < b->kernel_count; i++)
        if (!taken[i] && b->kernels[i].gpu == a->gpu && strcmp(b->kernels[i].name, a->name) == 0)
            return i;
    for (uint32_t i = 0; i < b->kernel_count; i++)
        if (!taken[i] && b->kernels[i].gpu == a->gpu &&
            strcmp(b->kernels[i].signature, a->signature) == 0)
            return i;
    return UINT32_MAX;
}

static bool name_kernels(struct wm_comparison *it)
{
    const char **signatures = WM_ARENA_ARRAY(&it->arena, const char *, it->kernel_count);
    struct wm_kernel_name *names =
        WM_ARENA_ARRAY(&it->arena, struct wm_kernel_name, it->kernel_count);
    if (signatures == NULL || names == NULL)
        return false;
    for (uint32_t i = 0; i < it->kernel_count; i++) {
        const struct wm_kernel_pair *pair = &it->kernels[i];
        signatures[i] = pair->a != NULL ? pair->a->signature : pair->b->signature;
    }
    bool good = wm_kernel_names_find(signatures, it->kernel_count, &it->arena, names);
    for (uint32_t i = 0; i < it->kernel_count && good; i++) {
        struct wm_kernel_pair *pair = &it->kernels[i];
        const struct wm_model_kernel *kernel = pair->a != NULL ? pair->a : pair->b;
        pair->shown = names[i];
        good = !kernel->of_several_gpus ||
               wm_kernel_name_on_gpu(&pair->shown, kernel->gpu, &it->arena);
    }
    return good;
}

static bool pair_kernels(struct wm_comparison *it)
{
    bool *taken = calloc(it->b->kernel_count + (size_t)1, sizeof *taken);
    uint64_t most = (uint64_t)it->a->kernel_count + it->b->kernel_count;
    it->kernels = WM_ARENA_ARRAY(&it->arena, struct wm_kernel_pair, most);
    if (taken == NULL || it->kernels == NULL) {
        free(taken);
        return false;
    }
    for (uint32_t i = 0; i < it->a->kernel_count; i++) {
        uint32_t like = find_kernel(it->b, &it->a->kernels[i], taken);
        if (like != UINT32_MAX)
            taken[like] = true;
        it->kernels[it->kernel_count++] = (struct wm_kernel_pair){
            .a = &it->a->kernels[i], .b = like != UINT32_MAX ? &it->b->kernels[like] : NULL};
    }
    for (uint32_t i = 0; i < it->b->kernel_count; i++)
        if (!taken[i])
            it->kernels[it->kernel_count++] = (struct wm_kernel_pair){.b = &it->b->kernels[i]};
    for (uint32_t i = 0; i < it->kernel_count; i++)
        it->kernels[i].number = i;
    free(taken);
    return name_kernels(it);
}

static bool same_counters(const struct wm_model_counters *a, const struct wm_model_counters *b)
{
    for (uint32_t i = 0; i < a->count; i++) {
        const struct wm_model_counter *other = wm_model_find(b, a->items[i].key);
        if ((other == NULL ? 0 : other->value) != a->items[i].value)
            return false;
    }
    for (uint32_t i = 0; i < b->count; i++)
        if (b->items[i].value != 0 && wm_model_find(a, b->items[i].key) == NULL)
            return false;
    return true;
}

static bool same_kernel(const struct wm_model_kernel *a, const struct wm_model_kernel *b)
{
    return a != NULL && b != NULL && a->launches == b->launches &&
           a->warp_instructions == b->warp_instructions &&
           a->thread_instructions == b->thread_instructions && a->cycles == b->cycles &&
           same_counters(&a->counters, &b->counters);
}

// What kernels are ordered by, the most significant first.
enum { KERNEL_MEASURES = 4 };

static void measure_kernel(const struct wm_model_kernel *kernel, uint64_t measures[KERNEL_MEASURES])
{
    memset(measures, 0, KERNEL_MEASURES * sizeof *measures);
    if (kernel == NULL)
        return;
    measures[0] = kernel->cycles;
    measures[1] = kernel->moved.memory_bytes;
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        measures[2] += kernel->moved.levels[i].bytes;
    measures[3] = kernel->warp_instructions;
}

static int by_kernel_change(const void *left, const void *right)
{
    const struct wm_kernel_pair *x = left, *y = right;
    uint64_t measures[4][KERNEL_MEASURES];
    measure_kernel(x->a, measures[0]);
    measure_kernel(x->b, measures[1]);
    measure_kernel(y->a, measures[2]);
    measure_kernel(y->b, measures[3]);
    for (int i = 0; i < KERNEL_MEASURES; i++) {
        uint64_t changed = apart(measures[0][i], measures[1][i]);
        uint64_t other = apart(measures[2][i], measures[3][i]);
        if (changed != other)
            return changed > other ? -1 : 1;
    }
    return x->number < y->number ? -1 : x->number > y->number;
}

// --- Counters ---

static uint64_t value_of(const struct wm_model_counter *counter)
{
    return counter == NULL ? 0 : counter->value;
}

static bool same_scale(const struct wm_model_counter *a, const struct wm_model_counter *b)
{
    return strcmp(a->level, b->level) == 0 && strcmp(a->unit, b->unit) == 0;
}

// The largest of what is counted in the counter's unit at its level, in either run: what its change
// is measured against.
static uint64_t scale_of(const struct wm_comparison *it, const struct wm_model_counter *counter)
{
    const struct wm_model_counters *of[] = {&it->a->counters, &it->b->counters};
    uint64_t most = 1;
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < of[side]->count; i++)
            if (of[side]->items[i].value > most && same_scale(&of[side]->items[i], counter))
                most = of[side]->items[i].value;
    return most;
}

static void add_counter(struct wm_comparison *it, const struct wm_model_counter *a,
                        const struct wm_model_counter *b)
{
    uint64_t change = apart(value_of(a), value_of(b));
    if (change == 0)
        return;
    uint64_t scale = scale_of(it, a != NULL ? a : b);
    it->counters[it->counter_count] = (struct wm_counter_pair){
        .a = a, .b = b, .share = (double)change / (double)scale, .number = it->counter_count};
    it->counter_count++;
}

static int by_share(const void *left, const void *right)
{
    const struct wm_counter_pair *x = left, *y = right;
    if (x->share != y->share)
        return x->share > y->share ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static bool compare_counters(struct wm_comparison *it)
{
    const struct wm_model_counters *a = &it->a->counters, *b = &it->b->counters;
    it->counters =
        WM_ARENA_ARRAY(&it->arena, struct wm_counter_pair, (uint64_t)a->count + b->count);
    if (it->counters == NULL)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        add_counter(it, &a->items[i], wm_model_find(b, a->items[i].key));
    for (uint32_t i = 0; i < b->count; i++)
        if (wm_model_find(a, b->items[i].key) == NULL)
            add_counter(it, NULL, &b->items[i]);
    if (it->counter_count > 1)
        qsort(it->counters, it->counter_count, sizeof *it->counters, by_share);
    return true;
}

// --- Lines ---

static bool same_place(const struct wm_model_instruction *a, const struct wm_model_instruction *b)
{
    return a != NULL && b != NULL && a->file != NULL && b->file != NULL && a->line == b->line &&
           strcmp(a->file, b->file) == 0 && strcmp(a->opcode, b->opcode) == 0;
}

// The pair's line, if it has one already: by a's place where there is one.
static struct wm_line_pair *line_of(struct wm_comparison *it, uint32_t first,
                                    const struct wm_model_instruction *a,
                                    const struct wm_model_instruction *b)
{
    for (uint32_t i = first; i < it->line_count; i++) {
        struct wm_line_pair *line = &it->lines[i];
        if (a != NULL ? same_place(line->a, a) : line->a == NULL && same_place(line->b, b))
            return line;
    }
    return NULL;
}

static void add_causes(uint64_t *sums, const uint32_t *places, uint32_t count,
                       const struct wm_model_instruction *more)
{
    for (uint32_t i = 0; i < count; i++)
        sums[places[i]] += more->counters[i];
}

static bool add_pair(struct wm_comparison *it, const struct wm_kernel_pair *kernel, uint32_t first,
                     const struct wm_model_instruction *a, const struct wm_model_instruction *b)
{
    struct wm_line_pair *line = line_of(it, first, a, b);
    if (line == NULL) {
        line = &it->lines[it->line_count];
        *line =
            (struct wm_line_pair){.kernel = kernel,
                                  .number = it->line_count++,
                                  .causes_a = WM_ARENA_ARRAY(&it->arena, uint64_t, it->name_count),
                                  .causes_b = WM_ARENA_ARRAY(&it->arena, uint64_t, it->name_count)};
    }
    if (line->causes_a == NULL || line->causes_b == NULL)
        return false;
    if (a != NULL) {
        line->a = line->a != NULL ? line->a : a;
        line->count_a++;
        line->load_cycles_a += a->load_cycles;
        add_causes(line->causes_a, it->places_a, it->a->name_count, a);
    }
    if (b != NULL) {
        line->b = line->b != NULL ? line->b : b;
        line->count_b++;
        line->load_cycles_b += b->load_cycles;
        add_causes(line->causes_b, it->places_b, it->b->name_count, b);
    }
    return true;
}

static bool compare_lines_of(struct wm_comparison *it, const struct wm_kernel_pair *pair)
{
    static const struct wm_model_kernel none;
    const struct wm_model_kernel *a = pair->a != NULL ? pair->a : &none;
    const struct wm_model_kernel *b = pair->b != NULL ? pair->b : &none;
    uint32_t *like = malloc((a->instruction_count + UINT64_C(1)) * sizeof *like);
    bool *matched = calloc(b->instruction_count + (size_t)1, sizeof *matched);
    bool good = like != NULL && matched != NULL && wm_compare_match(a, b, like);
    uint32_t first = it->line_count;
    for (uint32_t i = 0; good && i < a->instruction_count; i++) {
        bool has = like[i] != UINT32_MAX;
        good =
            add_pair(it, pair, first, &a->instructions[i], has ? &b->instructions[like[i]] : NULL);
        if (has)
            matched[like[i]] = true;
    }
    for (uint32_t i = 0; good && i < b->instruction_count; i++)
        if (!matched[i])
            good = add_pair(it, pair, first, NULL, &b->instructions[i]);
    free(like);
    free(matched);
    return good;
}

// What lines are ordered by: bytes moved; then what moved none.
static void measure_line(const struct wm_comparison *it, const struct wm_line_pair *line,
                         uint64_t measures[WM_LINE_MEASURES])
{
    memset(measures, 0, WM_LINE_MEASURES * sizeof *measures);
    measures[1] = apart(line->load_cycles_a, line->load_cycles_b);
    for (uint32_t i = 0; i < it->name_count; i++) {
        uint64_t change = apart(line->causes_a[i], line->causes_b[i]);
        const char *name = it->names[i], *counter = strrchr(name, '.');
        if (counter != NULL && strcmp(counter, ".bytes") == 0)
            measures[0] += change;
        else if (strcmp(name, "sectors") == 0)
            measures[2] = change;
        else if (strcmp(name, "executions") == 0)
            measures[3] = change;
    }
}

static int by_line_change(const void *left, const void *right)
{
    const struct wm_line_pair *x = left, *y = right;
    if (x->differs != y->differs)
        return x->differs ? -1 : 1;
    for (int i = 0; i < WM_LINE_MEASURES; i++)
        if (x->changes[i] != y->changes[i])
            return x->changes[i] > y->changes[i] ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static uint32_t *join_names(struct wm_comparison *it, const struct wm_run_model *model)
{
    uint32_t *places = WM_ARENA_ARRAY(&it->arena, uint32_t, model->name_count);
    for (uint32_t i = 0; places != NULL && i < model->name_count; i++) {
        uint32_t at = 0;
        while (at < it->name_count && strcmp(it->names[at], model->names[i]) != 0)
            at++;
        if (at == it->name_count)
            it->names[it->name_count++] = model->names[i];
        places[i] = at;
    }
    return places;
}

static bool find_names(struct wm_comparison *it)
{
    it->names =
        WM_ARENA_ARRAY(&it->arena, const char *, (uint64_t)it->a->name_count + it->b->name_count);
    if (it->names == NULL)
        return false;
    it->places_a = join_names(it, it->a);
    it->places_b = join_names(it, it->b);
    return it->places_a != NULL && it->places_b != NULL;
}

static bool compare_lines(struct wm_comparison *it)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < it->kernel_count; i++)
        most += (it->kernels[i].a != NULL ? it->kernels[i].a->instruction_count : 0) +
                (uint64_t)(it->kernels[i].b != NULL ? it->kernels[i].b->instruction_count : 0);
    it->lines = WM_ARENA_ARRAY(&it->arena, struct wm_line_pair, most);
    if (it->lines == NULL || most > UINT32_MAX || !find_names(it))
        return false;
    for (uint32_t i = 0; i < it->kernel_count; i++)
        if (!compare_lines_of(it, &it->kernels[i]))
            return false;
    for (uint32_t i = 0; i < it->line_count; i++) {
        struct wm_line_pair *line = &it->lines[i];
        line->differs =
            line->count_a != line->count_b || line->load_cycles_a != line->load_cycles_b ||
            memcmp(line->causes_a, line->causes_b, it->name_count * sizeof *line->causes_a) != 0;
        it->differing_lines += line->differs;
        measure_line(it, line, line->changes);
    }
    return true;
}

// --- The whole ---

// Kernels are sorted when lines are paired: lines keep where a pair is.
static bool compare(struct wm_comparison *it)
{
    if (!compare_machines(it) || !pair_kernels(it) || !compare_counters(it))
        return false;
    if (it->kernel_count > 1)
        qsort(it->kernels, it->kernel_count, sizeof *it->kernels, by_kernel_change);
    if (!compare_lines(it))
        return false;
    for (uint32_t i = 0; i < it->line_count; i++)
        if (it->lines[i].differs)
            it->kernels[it->lines[i].kernel - it->kernels].differs = true;
    for (uint32_t i = 0; i < it->kernel_count; i++) {
        struct wm_kernel_pair *pair = &it->kernels[i];
        pair->differs = pair->differs || !same_kernel(pair->a, pair->b);
        it->differing_kernels += pair->differs;
    }
    if (it->line_count > 1)
        qsort(it->lines, it->line_count, sizeof *it->lines, by_line_change);
    bool energy = it->a->priced == it->b->priced && it->a->dynamic_pj != it->b->dynamic_pj;
    it->differs = it->differing_kernels != 0 || it->counter_count != 0 || energy;
    return true;
}

enum wm_status wm_compare(const struct wm_run_model *a, const struct wm_run_model *b,
                          struct wm_comparison *comparison, struct wm_error *error)
{
    *comparison = (struct wm_comparison){.a = a, .b = b};
    wm_arena_init(&comparison->arena);
    return compare(comparison) ? WM_OK : wm_fail_no_memory(error, "comparing the runs");
}

void wm_comparison_release(struct wm_comparison *comparison)
{
    wm_arena_release(&comparison->arena);
    *comparison = (struct wm_comparison){0};
}
