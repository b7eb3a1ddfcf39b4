// Every listed form in which lanes of a warp take part together, with all lanes there, against PTX
// ISA 9.7.9.6 (shfl), 9.7.13 (vote, match, redux, elect, activemask, bar.red).
#include "coverage.h"
#include "float_values.h"
#include "form_state.h"
#include "forms.h"

#include <math.h>
#include <stdlib.h>

static struct form_state before[FORM_THREADS], expected[FORM_THREADS], got[FORM_THREADS];

static bool has(const struct wm_ptx_instruction *instruction, enum wm_ptx_modifier modifier)
{
    return wm_ptx_has(instruction, modifier);
}

// The value that a source has in each lane.
static void gather(const struct wm_ptx_operand *operand, uint64_t values[FORM_THREADS])
{
    for (unsigned t = 0; t < FORM_THREADS; t++)
        values[t] = form_source(&before[t], operand);
}

static uint32_t ballot(const uint64_t values[FORM_THREADS])
{
    uint32_t mask = 0;
    for (unsigned t = 0; t < FORM_THREADS; t++)
        mask |= (values[t] ? 1u : 0u) << t;
    return mask;
}

static void write_first(const struct wm_ptx_instruction *instruction, unsigned t, uint64_t value)
{
    const struct wm_ptx_operand *d = &instruction->operands[0];
    form_write(&expected[t], d->kind == WM_PTX_OPERAND_PAIR ? &d->list[0] : d, value);
}

static void write_second(const struct wm_ptx_instruction *instruction, unsigned t, bool value)
{
    const struct wm_ptx_operand *d = &instruction->operands[0];
    if (d->kind == WM_PTX_OPERAND_PAIR)
        form_write(&expected[t], &d->list[1], value);
}

// vote, and bar.red, whose predicate stands last.
static void vote(const struct wm_ptx_instruction *instruction, unsigned source)
{
    uint64_t values[FORM_THREADS];
    gather(&instruction->operands[source], values);
    uint32_t mask = ballot(values);
    for (unsigned t = 0; t < FORM_THREADS; t++)
        write_first(instruction, t,
                    has(instruction, WM_PTX_ballot) ? mask
                    : has(instruction, WM_PTX_popc) ? (uint32_t)__builtin_popcount(mask)
                    : has(instruction, WM_PTX_all) || has(instruction, WM_PTX_and)
                        ? mask == UINT32_MAX
                    : has(instruction, WM_PTX_any) || has(instruction, WM_PTX_or)
                        ? mask != 0
                        : mask == 0 || mask == UINT32_MAX);
}

static void match(const struct wm_ptx_instruction *instruction)
{
    uint64_t values[FORM_THREADS];
    gather(&instruction->operands[1], values);
    for (unsigned t = 0; t < FORM_THREADS; t++) {
        uint32_t same = 0;
        for (unsigned other = 0; other < FORM_THREADS; other++)
            same |= (values[other] == values[t] ? 1u : 0u) << other;
        bool all = same == UINT32_MAX;
        write_first(instruction, t, has(instruction, WM_PTX_any) || all ? same : 0);
        write_second(instruction, t, all);
    }
}

static uint32_t float_extreme(const struct wm_ptx_instruction *instruction, uint32_t a, uint32_t b)
{
    long double x = value_of_bits(WM_PTX_f32, a), y = value_of_bits(WM_PTX_f32, b);
    if (isnan(x) || isnan(y))
        return has(instruction, WM_PTX_NaN) || (isnan(x) && isnan(y)) ? 0x7FFFFFFF
               : isnan(x)                                             ? b
                                                                      : a;
    bool less = x < y || (x == y && signbit(x) && !signbit(y));
    return less == has(instruction, WM_PTX_min) ? a : b;
}

static uint32_t reduce(const struct wm_ptx_instruction *instruction, uint32_t a, uint32_t b)
{
    bool less =
        instruction->type == WM_PTX_s32 ? (int32_t)a < (int32_t)b : (uint32_t)a < (uint32_t)b;
    if (instruction->type == WM_PTX_f32)
        return float_extreme(instruction, a, b);
    if (has(instruction, WM_PTX_add))
        return a + b;
    if (has(instruction, WM_PTX_and))
        return a & b;
    if (has(instruction, WM_PTX_or))
        return a | b;
    if (has(instruction, WM_PTX_xor))
        return a ^ b;
    return less == has(instruction, WM_PTX_min) ? a : b;
}

static void redux(const struct wm_ptx_instruction *instruction)
{
    uint64_t values[FORM_THREADS];
    uint32_t mask = has(instruction, WM_PTX_abs) ? 0x7FFFFFFF : UINT32_MAX, result = 0;
    gather(&instruction->operands[1], values);
    for (unsigned t = 0; t < FORM_THREADS; t++) {
        uint32_t value = (uint32_t)values[t] & mask;
        result = t ? reduce(instruction, result, value) : value;
    }
    for (unsigned t = 0; t < FORM_THREADS; t++)
        write_first(instruction, t, result);
}

// With segments of 32 lanes (c is 31).
static void shuffle(const struct wm_ptx_instruction *instruction)
{
    uint64_t values[FORM_THREADS], places[FORM_THREADS];
    gather(&instruction->operands[1], values);
    gather(&instruction->operands[2], places);
    for (int t = 0; t < FORM_THREADS; t++) {
        int by = (int)(places[t] & 31);
        int from = has(instruction, WM_PTX_up)     ? t - by
                   : has(instruction, WM_PTX_down) ? t + by
                   : has(instruction, WM_PTX_bfly) ? t ^ by
                                                   : by;
        // For .up the bound is a lowest lane.
        bool within = from >= (has(instruction, WM_PTX_up) ? 31 : 0) && from < FORM_THREADS;
        write_first(instruction, (unsigned)t, values[within ? from : t]);
        write_second(instruction, (unsigned)t, within);
    }
}

static void leave_all(const struct wm_ptx_instruction *instruction)
{
    for (unsigned t = 0; t < FORM_THREADS; t++) {
        write_first(instruction, t, instruction->opcode == WM_PTX_OP_activemask ? UINT32_MAX : 0);
        write_second(instruction, t, t == 0);
    }
}

static bool apply(const struct wm_ptx_instruction *instruction)
{
    switch (instruction->opcode) {
    case WM_PTX_OP_vote: vote(instruction, 1); return true;
    case WM_PTX_OP_bar:
    case WM_PTX_OP_barrier:
        if (has(instruction, WM_PTX_red))
            vote(instruction, instruction->operand_count - 1u);
        return has(instruction, WM_PTX_red);
    case WM_PTX_OP_match: match(instruction); return true;
    case WM_PTX_OP_redux: redux(instruction); return true;
    case WM_PTX_OP_shfl: shuffle(instruction); return true;
    case WM_PTX_OP_activemask:
    case WM_PTX_OP_elect: leave_all(instruction); return true;
    default: return false;
    }
}

// All lanes are members; values repeat; the predicates are the round's: any, all or none.
static void draw(const struct wm_ptx_instruction *instruction, const char *form, unsigned round)
{
    struct wm_random random;
    wm_random_init(&random, round, form);
    form_draw(before, &random);
    const struct wm_ptx_operand *last = &instruction->operands[instruction->operand_count - 1];
    for (unsigned t = 0; t < FORM_THREADS; t++) {
        before[t].p = round == 0 ? before[t].p : round == 1 ? 0xFFu : 0u;
        if (round)
            before[t].r[1] = before[0].r[1], before[t].d[1] = before[0].d[1];
        if (last->kind == WM_PTX_OPERAND_REGISTER && strstr(form, ".sync") &&
            instruction->opcode != WM_PTX_OP_barrier && instruction->opcode != WM_PTX_OP_bar)
            form_write(&before[t], last, UINT32_MAX);
        before[t].r[2] = strncmp(form, "shfl", 4) ? before[t].r[2] : t * 7 % 32;
    }
}

static void check(void *context, const char *form)
{
    const struct wm_ptx_instruction *instruction = form_parse(form);
    unsigned *count = context;
    // Barriers of 64 threads wait for others in vain here: half of them in their place.
    char own[FORMS_LONGEST];
    snprintf(own, sizeof(own), "%s", form);
    if (strstr(own, ", 64,"))
        memcpy(strstr(own, ", 64,"), ", 32,", 5);
    instruction = form_parse(own);
    if (!form_is_wanted(instruction))
        return;
    bool changes = false;
    for (unsigned round = 0; round < 3; round++) {
        draw(instruction, form, round);
        memcpy(expected, before, sizeof(expected));
        memcpy(got, before, sizeof(got));
        if (!apply(instruction))
            return;
        form_run("", own, FORM_NO_SPACE, wm_host_best_isa(), got);
        form_expect(form, FORM_NO_SPACE, NULL, expected, got);
        changes |= memcmp(before, expected, sizeof(before)) != 0;
    }
    cr_assert(changes, "%s changes nothing: no test of it", form);
    ++*count;
}

Test(form_warp, agrees_with_the_isa)
{
    unsigned count = 0;
    for (unsigned i = 0; i < 2; i++)
        cr_assert(forms_each(i ? "measured.txt" : "isa.txt", check, &count));
    cr_assert(count >= 60 || getenv("PTX_WITHOUT"), "only %u forms", count);
    form_release();
}
