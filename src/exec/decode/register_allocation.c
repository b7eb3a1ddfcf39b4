// Liveness and linear scan (Poletto and Sarkar, "Linear scan register allocation", TOPLAS 1999,
// without spilling: a frame is as large as it must be). See register_allocation.h.
#include "exec/decode/register_allocation.h"

#include <assert.h>

// Position of instruction i's reads is 2i, of its writes 2i + 1: a register that is read for the
// last time gives its place to the one written.
struct interval {
    uint32_t first, last; // positions, both included; first > last: never used
};

struct liveness {
    const struct wm_ptx_control_flow *flow;
    uint32_t register_count, words;
    uint64_t *sets; // per block: live in, live out, read before written, written
    struct interval *intervals;
};

enum set_kind { LIVE_IN, LIVE_OUT, READ, WRITTEN, SET_KINDS };

enum wm_register_class wm_register_class_of(wm_ptx_type type)
{
    if (type == WM_PTX_pred)
        return WM_CLASS_PREDICATE;
    unsigned bytes = wm_ptx_type_bytes(type);
    if (bytes == 8)
        return WM_CLASS_8;
    if (bytes == 16)
        return WM_CLASS_16;
    return bytes && bytes <= 4 ? WM_CLASS_4 : WM_CLASS_NONE;
}

uint32_t wm_register_bytes(enum wm_register_class class, unsigned width)
{
    switch (class) {
    case WM_CLASS_4: return 4 * width;
    case WM_CLASS_8: return 8 * width;
    case WM_CLASS_16: return 16 * width;
    case WM_CLASS_PREDICATE: return 8;
    default: return 0;
    }
}

typedef void visitor(void *context, uint32_t reg, bool written);

static void visit_operand(const struct wm_ptx_operand *operand, bool written, visitor *visit,
                          void *context)
{
    switch (operand->kind) {
    case WM_PTX_OPERAND_REGISTER: visit(context, operand->index, written); break;
    case WM_PTX_OPERAND_ADDRESS:
        if (operand->base_register)
            visit(context, operand->index, false);
        break;
    case WM_PTX_OPERAND_VECTOR:
    case WM_PTX_OPERAND_LIST:
    case WM_PTX_OPERAND_PAIR:
    case WM_PTX_OPERAND_TEXTURE:
        for (unsigned i = 0; i < operand->list_count; i++)
            visit_operand(&operand->list[i], written, visit, context);
        break;
    default: break;
    }
}

// Reads or writes of one instruction.
static void visit_instruction(const struct wm_ptx_instruction *instruction, bool written,
                              visitor *visit, void *context)
{
    bool first_written = wm_ptx_writes_first(instruction);
    if (written) {
        if (first_written)
            visit_operand(&instruction->operands[0], true, visit, context);
        return;
    }
    if (instruction->guard != WM_PTX_NO_REGISTER)
        visit(context, (uint32_t)instruction->guard, false);
    for (unsigned i = first_written ? 1 : 0; i < instruction->operand_count; i++)
        visit_operand(&instruction->operands[i], false, visit, context);
}

static uint64_t *set_of(const struct liveness *liveness, uint32_t block, enum set_kind kind)
{
    return liveness->sets + ((size_t)block * SET_KINDS + kind) * liveness->words;
}

static bool test_bit(const uint64_t *set, uint32_t bit)
{
    return set[bit / 64] >> (bit % 64) & 1;
}

static void set_bit(uint64_t *set, uint32_t bit)
{
    set[bit / 64] |= UINT64_C(1) << (bit % 64);
}

static void clear_bit(uint64_t *set, uint32_t bit)
{
    set[bit / 64] &= ~(UINT64_C(1) << (bit % 64));
}

struct block_sets {
    uint64_t *read, *written;
    bool guarded;
};

static void note_access(void *context, uint32_t reg, bool written)
{
    struct block_sets *sets = context;
    if (!written) {
        if (!test_bit(sets->written, reg))
            set_bit(sets->read, reg);
    } else if (!sets->guarded) {
        // A guarded write may not happen, and leaves what was there.
        set_bit(sets->written, reg);
    } else if (!test_bit(sets->written, reg)) {
        set_bit(sets->read, reg);
    }
}

static void collect_block(const struct liveness *liveness, uint32_t b)
{
    const struct wm_ptx_block *block = &liveness->flow->blocks[b];
    struct block_sets sets = {.read = set_of(liveness, b, READ),
                              .written = set_of(liveness, b, WRITTEN)};
    for (uint32_t i = block->first; i < block->end; i++) {
        const struct wm_ptx_instruction *instruction = liveness->flow->instructions[i];
        sets.guarded = instruction->guard != WM_PTX_NO_REGISTER;
        visit_instruction(instruction, false, note_access, &sets);
        visit_instruction(instruction, true, note_access, &sets);
    }
}

static void join(const struct liveness *liveness, uint64_t *out, uint32_t successor)
{
    if (successor == WM_PTX_NO_BLOCK)
        return;
    const uint64_t *in = set_of(liveness, successor, LIVE_IN);
    for (uint32_t w = 0; w < liveness->words; w++)
        out[w] |= in[w];
}

static bool update_block(const struct liveness *liveness, uint32_t b)
{
    const struct wm_ptx_block *block = &liveness->flow->blocks[b];
    uint64_t *out = set_of(liveness, b, LIVE_OUT), *in = set_of(liveness, b, LIVE_IN);
    const uint64_t *read = set_of(liveness, b, READ), *written = set_of(liveness, b, WRITTEN);
    join(liveness, out, block->successors[0]);
    join(liveness, out, block->successors[1]);
    for (uint32_t s = 0; s < block->branch_successor_count; s++)
        join(liveness, out, block->branch_successors[s]);
    bool changed = false;
    for (uint32_t w = 0; w < liveness->words; w++) {
        uint64_t live = read[w] | (out[w] & ~written[w]);
        changed |= live != in[w];
        in[w] = live;
    }
    return changed;
}

static void solve(const struct liveness *liveness)
{
    uint32_t count = liveness->flow->block_count;
    for (uint32_t b = 0; b < count; b++)
        collect_block(liveness, b);
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t b = count; b-- > 0;)
            changed |= update_block(liveness, b);
    }
}

static void extend(struct liveness *liveness, uint32_t reg, uint32_t position)
{
    struct interval *interval = &liveness->intervals[reg];
    if (position < interval->first)
        interval->first = position;
    if (position > interval->last || interval->first > interval->last)
        interval->last = position;
}

struct extension {
    struct liveness *liveness;
    uint32_t position;
};

static void extend_to(void *context, uint32_t reg, bool written)
{
    (void)written;
    const struct extension *extension = context;
    extend(extension->liveness, reg, extension->position);
}

// Several results are written one after another, so none may take the place of a source.
static bool has_several_results(const struct wm_ptx_instruction *instruction)
{
    return instruction->operand_count > 0 &&
           (instruction->operands[0].kind == WM_PTX_OPERAND_PAIR ||
            instruction->operands[0].kind == WM_PTX_OPERAND_VECTOR);
}

static void measure_intervals(struct liveness *liveness)
{
    for (uint32_t r = 0; r < liveness->register_count; r++)
        liveness->intervals[r] = (struct interval){.first = UINT32_MAX, .last = 0};
    for (uint32_t b = 0; b < liveness->flow->block_count; b++) {
        const struct wm_ptx_block *block = &liveness->flow->blocks[b];
        if (block->first == block->end)
            continue;
        const uint64_t *in = set_of(liveness, b, LIVE_IN), *out = set_of(liveness, b, LIVE_OUT);
        for (uint32_t r = 0; r < liveness->register_count; r++) {
            if (test_bit(in, r))
                extend(liveness, r, 2 * block->first);
            if (test_bit(out, r))
                extend(liveness, r, 2 * (block->end - 1) + 1);
        }
        for (uint32_t i = block->first; i < block->end; i++) {
            const struct wm_ptx_instruction *instruction = liveness->flow->instructions[i];
            struct extension extension = {liveness, 2 * i};
            visit_instruction(instruction, false, extend_to, &extension);
            visit_instruction(
                instruction, true, extend_to,
                &(struct extension){liveness, 2 * i + !has_several_results(instruction)});
        }
    }
}

struct pressure {
    const struct wm_ptx_function *function;
    uint64_t *live;
    uint32_t units;
    bool guarded;
};

static uint32_t units_of(const struct wm_ptx_function *function, uint32_t reg)
{
    switch (wm_register_class_of(function->registers[reg].type)) {
    case WM_CLASS_4: return 1;
    case WM_CLASS_8: return 2;
    case WM_CLASS_16: return 4;
    default: return 0;
    }
}

static void step_back(void *context, uint32_t reg, bool written)
{
    struct pressure *pressure = context;
    bool live = test_bit(pressure->live, reg);
    if (written && live && !pressure->guarded) {
        clear_bit(pressure->live, reg);
        pressure->units -= units_of(pressure->function, reg);
    } else if (!written && !live) {
        set_bit(pressure->live, reg);
        pressure->units += units_of(pressure->function, reg);
    }
}

// The most units live at once: each block from its end to its beginning.
static uint32_t most_live(const struct liveness *liveness)
{
    uint32_t most = 0;
    struct pressure pressure = {.function = liveness->flow->function};
    for (uint32_t b = 0; b < liveness->flow->block_count; b++) {
        const struct wm_ptx_block *block = &liveness->flow->blocks[b];
        pressure.live = set_of(liveness, b, LIVE_OUT); // not needed any more
        pressure.units = 0;
        for (uint32_t r = 0; r < liveness->register_count; r++)
            if (test_bit(pressure.live, r))
                pressure.units += units_of(pressure.function, r);
        most = pressure.units > most ? pressure.units : most;
        for (uint32_t i = block->end; i-- > block->first;) {
            const struct wm_ptx_instruction *instruction = liveness->flow->instructions[i];
            pressure.guarded = instruction->guard != WM_PTX_NO_REGISTER;
            visit_instruction(instruction, true, step_back, &pressure);
            visit_instruction(instruction, false, step_back, &pressure);
            most = pressure.units > most ? pressure.units : most;
        }
    }
    return most;
}

// Registers by the position where they begin or end: linked lists.
struct events {
    uint32_t *first; // by position; UINT32_MAX: none
    uint32_t *next;  // by register
};

static bool init_events(struct events *events, struct wm_arena *arena, uint32_t positions,
                        uint32_t registers)
{
    events->first = WM_ARENA_ARRAY(arena, uint32_t, positions);
    events->next = WM_ARENA_ARRAY(arena, uint32_t, registers);
    if (!events->first || !events->next)
        return false;
    memset(events->first, 0xFF, positions * sizeof(uint32_t));
    return true;
}

static void add_event(struct events *events, uint32_t position, uint32_t reg)
{
    events->next[reg] = events->first[position];
    events->first[position] = reg;
}

// Gives each register a number within its class; counts[] becomes how many there are.
static bool number_registers(const struct liveness *liveness, bool share, struct wm_arena *arena,
                             uint32_t *numbers, uint32_t counts[WM_CLASSES])
{
    const struct wm_ptx_function *function = liveness->flow->function;
    uint32_t positions = 2 * liveness->flow->instruction_count + 2;
    struct events begins, ends;
    uint32_t *free_numbers[WM_CLASSES], free_counts[WM_CLASSES] = {0};
    if (!init_events(&begins, arena, positions, liveness->register_count) ||
        !init_events(&ends, arena, positions, liveness->register_count))
        return false;
    for (int c = 0; c < WM_CLASSES; c++)
        if (!(free_numbers[c] = WM_ARENA_ARRAY(arena, uint32_t, liveness->register_count)))
            return false;
    for (uint32_t r = liveness->register_count; r-- > 0;) {
        const struct interval *interval = &liveness->intervals[r];
        if (interval->first > interval->last)
            continue;
        add_event(&begins, interval->first, r);
        add_event(&ends, interval->last, r);
    }
    for (uint32_t p = 0; p < positions; p++) {
        for (uint32_t r = begins.first[p]; r != UINT32_MAX; r = begins.next[r]) {
            enum wm_register_class class = wm_register_class_of(function->registers[r].type);
            if (class == WM_CLASS_NONE)
                continue;
            numbers[r] =
                free_counts[class] ? free_numbers[class][--free_counts[class]] : counts[class]++;
        }
        for (uint32_t r = ends.first[p]; r != UINT32_MAX && share; r = ends.next[r]) {
            enum wm_register_class class = wm_register_class_of(function->registers[r].type);
            if (class != WM_CLASS_NONE)
                free_numbers[class][free_counts[class]++] = numbers[r];
        }
    }
    return true;
}

bool wm_registers_allocate(const struct wm_ptx_control_flow *flow, unsigned width, bool share,
                           struct wm_arena *arena, struct wm_register_allocation *places)
{
    const struct wm_ptx_function *function = flow->function;
    uint32_t count = function->register_count;
    struct liveness liveness = {
        .flow = flow, .register_count = count, .words = (count + 63) / 64 + 1};
    size_t set_words = (size_t)flow->block_count * SET_KINDS * liveness.words;
    uint32_t counts[WM_CLASSES] = {0};
    liveness.sets = calloc(set_words + 1, sizeof(uint64_t));
    liveness.intervals = WM_ARENA_ARRAY(arena, struct interval, count);
    places->offsets = WM_ARENA_ARRAY(arena, uint32_t, count);
    uint32_t *numbers = WM_ARENA_ARRAY(arena, uint32_t, count);
    bool good = liveness.sets && liveness.intervals && places->offsets && numbers;
    if (good) {
        solve(&liveness);
        measure_intervals(&liveness);
        places->live_units = most_live(&liveness);
        good = number_registers(&liveness, share, arena, numbers, counts);
    }
    free(liveness.sets);
    if (!good)
        return false;
    uint32_t bases[WM_CLASSES], end = 0;
    static const enum wm_register_class order[] = {WM_CLASS_16, WM_CLASS_8, WM_CLASS_4,
                                                   WM_CLASS_PREDICATE};
    for (int i = 0; i < WM_CLASSES; i++) {
        bases[order[i]] = end;
        end += counts[order[i]] * wm_register_bytes(order[i], width);
    }
    places->frame_bytes = (end + 63) & ~UINT32_C(63);
    for (uint32_t r = 0; r < count; r++) {
        enum wm_register_class class = wm_register_class_of(function->registers[r].type);
        if (class != WM_CLASS_NONE)
            places->offsets[r] = bases[class] + numbers[r] * wm_register_bytes(class, width);
    }
    return true;
}
