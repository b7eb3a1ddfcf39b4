#include "obvious_core.h"

#include "base/numbers/clock_domain.h"

#include <criterion/criterion.h>
#include <stdlib.h>

// One instruction, or access of an instruction that makes several, or fence.
struct step {
    enum wm_core_kind kind;
    const struct wm_core_operation *op; // NULL: it makes no access
    uint32_t operation;                 // its number in the program
    uint64_t dispatched, ready, written;
    uint32_t parts_sent;
    uint64_t part_ready[2];
    bool is_old;                      // its line has left L1 since a part of it was read
    bool counts, in, out, sent, left; // dispatched, retired, all sent, has left the store buffer
    bool forwarded;
};

struct obvious {
    const struct wm_core_spec *spec;
    const struct memory *memory;
    struct step *steps;
    uint32_t count;
    struct sent_list *log;
    struct wm_core_counters counters;
    uint64_t cycle;
    uint32_t given; // operations that the source has given
};

static void lay_out(struct obvious *core, const struct program *program)
{
    uint64_t all = program->last_instructions + program->count;
    for (uint32_t i = 0; i < program->count; i++)
        all += program->ops[i].instructions;
    core->steps = calloc(all + 1, sizeof *core->steps);
    for (uint32_t i = 0; i < program->count; i++) {
        const struct wm_core_operation *op = &program->ops[i];
        uint64_t before = op->instructions;
        before -= before != 0 && !op->continues;
        for (; before != 0; before--)
            core->steps[core->count++] =
                (struct step){.kind = WM_CPU_PLAIN, .operation = i, .counts = true};
        core->steps[core->count++] =
            (struct step){.kind = op->kind, .op = op, .operation = i, .counts = !op->continues};
    }
    for (uint64_t i = 0; i < program->last_instructions; i++)
        core->steps[core->count++] =
            (struct step){.kind = WM_CPU_PLAIN, .operation = program->count, .counts = true};
}

static uint32_t parts(const struct wm_core_operation *op)
{
    return op->address % WM_TEST_LINE + op->bytes > WM_TEST_LINE ? 2 : 1;
}

// False: it has to come again.
static bool send(struct obvious *core, struct step *step, uint64_t *ready)
{
    for (; step->parts_sent < parts(step->op); step->parts_sent++) {
        uint32_t first = WM_TEST_LINE - (uint32_t)(step->op->address % WM_TEST_LINE);
        struct wm_core_request access = {.kind = step->kind};
        access.address = step->op->address + (step->parts_sent != 0 ? first : 0);
        access.bytes = parts(step->op) == 1    ? step->op->bytes
                       : step->parts_sent == 0 ? first
                                               : step->op->bytes - first;
        uint64_t when = 0;
        if (core->memory->answer(&access, core->cycle, &when) != WM_CORE_SENT)
            return false;
        *ready = when > *ready ? when : *ready;
        step->part_ready[step->parts_sent] = when;
        core->log->sent[core->log->count++] =
            (struct sent){access.kind, access.address, access.bytes, core->cycle};
    }
    step->sent = true;
    return true;
}

static bool is_unwritten(const struct step *step)
{
    return step->kind == WM_CPU_STORE && step->in && !step->left;
}

static bool stores_before_are_written(const struct obvious *core, const struct step *step)
{
    for (const struct step *at = core->steps; at < step; at++)
        if (is_unwritten(at))
            return false;
    return true;
}

static void write_stores(struct obvious *core)
{
    for (uint32_t i = 0; i < core->count; i++) {
        struct step *step = &core->steps[i];
        if (!is_unwritten(step))
            continue;
        if (!step->sent || step->written > core->cycle)
            return;
        step->left = true;
    }
}

// When it was sent, or, of memory that completes accesses, when its data came.
static bool has_been_read(const struct obvious *core, const struct step *step, uint32_t part)
{
    return part < step->parts_sent &&
           (!core->memory->completes || step->part_ready[part] <= core->cycle);
}

// A line leaves: loads that have read it are old, but for the oldest instruction.
static void leave(struct obvious *core, uint64_t line)
{
    bool is_oldest = true;
    for (uint32_t i = 0; i < core->count && core->steps[i].in; i++) {
        struct step *step = &core->steps[i];
        if (step->out)
            continue;
        if (!is_oldest && step->kind == WM_CPU_LOAD &&
            (has_been_read(core, step, 0) || has_been_read(core, step, 1)) &&
            (step->op->address / WM_TEST_LINE == line ||
             (step->op->address + step->op->bytes - 1) / WM_TEST_LINE == line))
            step->is_old = true;
        is_oldest = false;
    }
}

static void make_again(struct obvious *core)
{
    for (uint32_t i = 0; i < core->count; i++) {
        struct step *step = &core->steps[i];
        if (!step->is_old || !has_been_read(core, step, parts(step->op) - 1) ||
            !has_been_read(core, step, 0))
            continue;
        step->is_old = step->sent = false;
        step->parts_sent = 0;
        core->counters.loads_made_again++;
    }
}

static bool may_retire(struct obvious *core, struct step *step)
{
    if (step->kind == WM_CPU_FENCE && !stores_before_are_written(core, step))
        return false;
    if (step->kind == WM_CPU_LOCKED && !step->sent &&
        (!stores_before_are_written(core, step) || !send(core, step, &step->ready)))
        return false;
    if ((step->kind == WM_CPU_LOAD) && !step->sent)
        return false;
    return step->ready <= core->cycle;
}

static void retire(struct obvious *core)
{
    uint32_t retired = 0;
    for (uint32_t i = 0; i < core->count && core->steps[i].in; i++) {
        struct step *step = &core->steps[i];
        if (step->out)
            continue;
        if (retired == core->spec->width || !may_retire(core, step))
            return;
        step->out = true;
        retired++;
        core->counters.instructions += step->counts;
        core->counters.loads += step->kind == WM_CPU_LOAD;
        core->counters.stores += step->kind == WM_CPU_STORE;
        core->counters.locked += step->kind == WM_CPU_LOCKED;
        core->counters.fences += step->kind == WM_CPU_FENCE;
        core->counters.forwarded += step->forwarded;
        if (step->kind == WM_CPU_LOAD)
            core->counters.load_cycles += step->ready - step->dispatched;
        if (step->kind == WM_CPU_LOCKED)
            core->counters.locked_cycles += step->ready - step->dispatched;
    }
}

static void send_stores(struct obvious *core)
{
    uint32_t in_flight = 0;
    for (uint32_t i = 0; i < core->count; i++) {
        struct step *step = &core->steps[i];
        if (!is_unwritten(step) || !step->out)
            continue;
        if (!step->sent &&
            (in_flight == core->spec->stores_in_flight || !send(core, step, &step->written)))
            return;
        in_flight++;
    }
}

static uint32_t count_in(const struct obvious *core, enum wm_core_kind kind, bool any)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < core->count; i++)
        count += core->steps[i].in && !core->steps[i].out && (any || core->steps[i].kind == kind);
    return count;
}

static uint32_t count_unwritten(const struct obvious *core)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < core->count; i++)
        count += is_unwritten(&core->steps[i]);
    return count;
}

// What the instruction lacks to be dispatched, or NULL.
static uint64_t *lack(struct obvious *core, const struct step *step)
{
    struct wm_core_counters *counters = &core->counters;
    const struct step *oldest = core->steps;
    uint64_t *lacks = NULL;
    if (count_in(core, WM_CPU_PLAIN, true) == core->spec->window)
        lacks = &counters->stalled_window;
    else if (step->kind == WM_CPU_LOAD &&
             count_in(core, WM_CPU_LOAD, false) == core->spec->load_queue)
        lacks = &counters->stalled_load_queue;
    else if (step->kind == WM_CPU_STORE && count_unwritten(core) == core->spec->store_buffer)
        lacks = &counters->stalled_store_buffer;
    while (oldest < step && oldest->out)
        oldest++;
    if (lacks != NULL && oldest < step && oldest->kind == WM_CPU_FENCE)
        return &counters->stalled_fence;
    if (lacks != NULL && oldest < step && oldest->kind == WM_CPU_LOCKED)
        return &counters->stalled_locked;
    return lacks;
}

static void dispatch(struct obvious *core, const struct program *program)
{
    uint32_t dispatched = 0;
    uint64_t *lacks = NULL;
    for (uint32_t i = 0; i < core->count && dispatched < core->spec->width; i++) {
        struct step *step = &core->steps[i];
        if (step->in)
            continue;
        // The source says of the instructions before an operation with it.
        bool there = core->memory->is_there == NULL || step->operation == program->count ||
                     step->operation < core->given ||
                     core->memory->is_there(step->operation, core->cycle);
        if (there && step->operation == core->given)
            core->given++;
        lacks = there ? lack(core, step) : &core->counters.stalled_order;
        if (lacks != NULL)
            break;
        step->in = true;
        step->dispatched = core->cycle;
        step->ready = core->cycle + 1;
        dispatched++;
    }
    if (dispatched == 0 && lacks != NULL)
        ++*lacks;
}

// The youngest older store in the store buffer with some of its bytes.
static const struct step *store_before(const struct obvious *core, const struct step *load)
{
    for (const struct step *at = load; at-- > core->steps;)
        if (is_unwritten(at) && at->op->address < load->op->address + load->op->bytes &&
            load->op->address < at->op->address + at->op->bytes)
            return at;
    return NULL;
}

static void send_loads(struct obvious *core)
{
    for (uint32_t i = 0; i < core->count && core->steps[i].in; i++) {
        struct step *step = &core->steps[i];
        if (step->out)
            continue;
        if (step->kind == WM_CPU_FENCE || step->kind == WM_CPU_LOCKED)
            return;
        if (step->kind != WM_CPU_LOAD || step->sent)
            continue;
        const struct step *store = step->parts_sent == 0 ? store_before(core, step) : NULL;
        if (store != NULL) {
            if (store->op->address > step->op->address ||
                store->op->address + store->op->bytes < step->op->address + step->op->bytes)
                return;
            step->sent = step->forwarded = true;
            step->ready = core->cycle + core->spec->forward_latency;
        } else if (!send(core, step, &step->ready)) {
            return;
        }
    }
}

// Operations that are done, in order.
static void note_done(const struct obvious *core, uint64_t *done)
{
    uint32_t number = 0;
    for (uint32_t i = 0; i < core->count; i++) {
        const struct step *step = &core->steps[i];
        if (step->kind == WM_CPU_PLAIN || step->kind == WM_CPU_FENCE)
            continue;
        if (!step->out || is_unwritten(step))
            return;
        if (done[number] == 0)
            done[number] = core->cycle;
        number++;
    }
}

uint64_t run_obvious_core(const struct wm_core_spec *spec, const struct program *program,
                          const struct memory *memory, struct sent_list *sent,
                          struct wm_core_counters *counters, uint64_t *done)
{
    struct obvious core = {.spec = spec, .memory = memory, .log = sent};
    sent->count = 0;
    lay_out(&core, program);
    for (;; core.cycle++) {
        uint64_t leaving;
        if (memory->leaves != NULL && memory->leaves(core.cycle, &leaving))
            leave(&core, leaving / WM_TEST_LINE);
        write_stores(&core);
        make_again(&core);
        retire(&core);
        send_stores(&core);
        dispatch(&core, program);
        send_loads(&core);
        note_done(&core, done);
        uint32_t left = 0;
        for (uint32_t i = 0; i < core.count; i++)
            left += !core.steps[i].out || is_unwritten(&core.steps[i]);
        if (left == 0)
            break;
        cr_assert_lt(core.cycle, 1000000);
    }
    core.counters.cycles = core.cycle;
    *counters = core.counters;
    free(core.steps);
    return core.cycle;
}
