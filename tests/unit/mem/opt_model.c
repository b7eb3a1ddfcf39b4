#include "opt_model.h"

#include <criterion/criterion.h>
#include <stdlib.h>

struct place {
    bool present;
    uint64_t line;
    size_t next; // access
    uint32_t valid, dirty;
};

struct opt_model {
    struct place *places; // sets times ways
    uint32_t ways;
    enum wm_write_policy policy;
    struct opt_model_result result;
};

bool opt_step_passes(const struct opt_step *step, enum wm_write_policy policy)
{
    return step->action == OPT_WRITE && !step->allocate && policy != WM_WRITE_BACK;
}

// The next access to the line of each step that still finds what the step left there.
static size_t *next_accesses(const struct opt_step *steps, size_t count,
                             enum wm_write_policy policy)
{
    size_t *next = calloc(count + 1, sizeof *next), ahead[OPT_MODEL_LINES];
    for (size_t line = 0; line < OPT_MODEL_LINES; line++)
        ahead[line] = SIZE_MAX;
    for (size_t i = count; i-- > 0;) {
        cr_assert_lt(steps[i].line, OPT_MODEL_LINES);
        next[i] = ahead[steps[i].line];
        bool passes = opt_step_passes(&steps[i], policy);
        if ((steps[i].action == OPT_DROP && steps[i].sectors == UINT32_MAX) ||
            (passes && policy == WM_WRITE_THROUGH_EVICT))
            ahead[steps[i].line] = SIZE_MAX;
        else if (passes)
            continue;
        else if (steps[i].action == OPT_READ || steps[i].action == OPT_WRITE)
            ahead[steps[i].line] = i;
    }
    return next;
}

static void write_back(struct opt_model *model, struct place *place, uint32_t sectors)
{
    uint32_t dirty = place->dirty & sectors;
    model->result.lines_written_back += dirty != 0;
    model->result.sectors_written_back += (uint64_t)__builtin_popcount(dirty);
    place->dirty &= ~sectors;
}

static struct place *make_room(struct opt_model *model, struct place *set)
{
    struct place *victim = set;
    for (struct place *place = set; place < set + model->ways; place++) {
        if (!place->present)
            return place;
        if (place->next > victim->next)
            victim = place;
    }
    write_back(model, victim, UINT32_MAX);
    return victim;
}

static uint32_t access_set(struct opt_model *model, struct place *set, struct place *held,
                           const struct opt_step *step, size_t next)
{
    bool write = step->action == OPT_WRITE, found = held != NULL;
    uint32_t missing = step->sectors & ~(found ? held->valid : 0);
    model->result.misses += (uint64_t)__builtin_popcount(missing);
    model->result.hits += (uint64_t)__builtin_popcount(step->sectors & ~missing);
    model->result.sector_misses += found ? (uint64_t)__builtin_popcount(missing) : 0;
    model->result.line_misses += !found;
    if (found && write && model->policy == WM_WRITE_THROUGH_EVICT) {
        held->present = false;
        return missing;
    }
    if (!found && step->allocate) {
        held = make_room(model, set);
        *held = (struct place){.present = true, .line = step->line};
        model->result.allocations++;
    }
    if (held == NULL)
        return missing;
    if (!opt_step_passes(step, model->policy))
        held->next = next;
    if (step->allocate) {
        held->valid |= missing;
        model->result.fills += (uint64_t)__builtin_popcount(missing);
    }
    if (write && model->policy == WM_WRITE_BACK)
        held->dirty |= step->sectors & held->valid;
    return missing;
}

static void drop(struct opt_model *model, struct place *held, const struct opt_step *step)
{
    (void)model;
    held->valid &= ~step->sectors;
    held->dirty &= ~step->sectors;
    held->present = held->valid != 0;
}

struct opt_model_result opt_model_run(const struct opt_step *steps, size_t count, uint32_t sets,
                                      uint32_t ways, const struct wm_set_index_ops *set_index,
                                      uint32_t line_bytes, enum wm_write_policy policy,
                                      uint32_t *missing)
{
    struct opt_model model = {.ways = ways, .policy = policy};
    size_t *next = next_accesses(steps, count, policy);
    model.places = calloc((size_t)sets * ways, sizeof *model.places);
    for (size_t i = 0; i < count; i++) {
        const struct opt_step *step = &steps[i];
        uint32_t at = set_index->index(step->line, line_bytes, sets), absent = 0;
        struct place *set = model.places + (size_t)at * ways, *held = NULL;
        for (struct place *place = set; place < set + ways; place++)
            if (place->present && place->line == step->line)
                held = place;
        if (step->action == OPT_READ || step->action == OPT_WRITE)
            absent = access_set(&model, set, held, step, next[i]);
        else if (held != NULL && step->action == OPT_DROP)
            drop(&model, held, step);
        else if (held != NULL)
            write_back(&model, held, step->sectors);
        if (missing != NULL)
            missing[i] = absent;
    }
    for (size_t i = 0; i < (size_t)sets * ways; i++)
        if (model.places[i].present)
            write_back(&model, &model.places[i], UINT32_MAX);
    free(model.places);
    free(next);
    return model.result;
}
