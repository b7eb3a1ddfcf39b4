#include "one_core.h"

#include "base/numbers/clock_domain.h"

#include <criterion/criterion.h>

// A completion that is to come.
struct coming {
    uint64_t cycle;
    uint32_t tag;
};

struct bench {
    struct wm_core core;
    const struct program *program;
    const struct memory *memory;
    struct sent_list *sent;
    uint32_t next;
    uint64_t given; // of the instructions before it
    uint64_t cycle;
    struct coming coming[256];
    uint32_t coming_count;
    uint64_t loads, load_cycles; // that were reported
};

void add(struct program *program, enum wm_core_kind kind, uint64_t address, uint32_t bytes,
         uint64_t instructions)
{
    cr_assert_lt(program->count, WM_TEST_OPERATIONS);
    program->ops[program->count++] = (struct wm_core_operation){
        .kind = kind, .address = address, .bytes = bytes, .instructions = instructions};
}

static enum wm_core_supply next_of(void *context, struct wm_core_operation *op)
{
    struct bench *bench = context;
    const struct program *program = bench->program;
    if (bench->next == program->count) {
        op->instructions = program->last_instructions;
        return WM_CORE_ENDED;
    }
    if (bench->memory->is_there != NULL && !bench->memory->is_there(bench->next, bench->cycle)) {
        bool splits = bench->memory->splits && bench->given == 0;
        op->instructions = splits ? program->ops[bench->next].instructions - 1 : 0;
        bench->given += op->instructions;
        return WM_CORE_WAITS;
    }
    *op = program->ops[bench->next++];
    op->instructions -= bench->given;
    bench->given = 0;
    return WM_CORE_NEXT;
}

static enum wm_core_sent send_to(void *context, const struct wm_core_request *access,
                                 uint64_t cycle, struct wm_core_answer *result)
{
    struct bench *bench = context;
    uint64_t *done = &result->done;
    cr_assert_eq(cycle, bench->cycle);
    enum wm_core_sent answer = bench->memory->answer(access, cycle, done);
    if (answer != WM_CORE_SENT)
        return answer;
    cr_assert_gt(*done, cycle);
    bench->sent->sent[bench->sent->count++] =
        (struct sent){access->kind, access->address, access->bytes, cycle};
    if (bench->memory->completes) {
        cr_assert_lt(bench->coming_count, 256);
        bench->coming[bench->coming_count++] = (struct coming){*done, access->tag};
        result->completions = 1;
    }
    return WM_CORE_SENT;
}

static void note_loaded(void *context, const struct wm_core_load *load)
{
    struct bench *bench = context;
    cr_assert_lt(load->tag, bench->core.mask + 1);
    bench->loads++;
    bench->load_cycles += load->cycles;
}

static void complete_due(struct bench *bench)
{
    for (uint32_t i = 0; i < bench->coming_count;) {
        if (bench->coming[i].cycle > bench->cycle) {
            i++;
            continue;
        }
        wm_core_complete(&bench->core, bench->coming[i].tag, bench->cycle);
        bench->coming[i] = bench->coming[--bench->coming_count];
    }
}

uint64_t run_core(const struct wm_core_spec *spec, const struct program *program,
                  const struct memory *memory, struct sent_list *sent,
                  struct wm_core_counters *counters, uint64_t *done)
{
    struct bench bench = {.program = program, .memory = memory, .sent = sent};
    const struct wm_core_port port = {.send = send_to, .loaded = note_loaded, .context = &bench};
    const struct wm_core_source source = {.next = next_of, .context = &bench};
    uint64_t operations = 0;
    struct wm_error error;
    sent->count = 0;
    cr_assert_eq(wm_core_init(&bench.core, spec, WM_TEST_LINE, &port, &error), WM_OK);
    wm_core_begin(&bench.core, &source, 0);
    for (; !wm_core_has_finished(&bench.core); bench.cycle++) {
        cr_assert_lt(bench.cycle, 10000000);
        complete_due(&bench);
        uint64_t leaving;
        if (memory->leaves != NULL && memory->leaves(bench.cycle, &leaving))
            wm_core_line_left(&bench.core, leaving, bench.cycle);
        wm_core_unblock(&bench.core, bench.cycle);
        if (memory->is_there != NULL && memory->is_there(bench.next, bench.cycle))
            wm_core_wake(&bench.core, bench.cycle);
        cr_assert_geq(wm_core_next(&bench.core), bench.cycle);
        cr_assert(wm_core_next(&bench.core) != WM_NEVER || memory->is_there != NULL ||
                  bench.coming_count != 0);
        if (wm_core_next(&bench.core) == bench.cycle)
            wm_core_run_cycle(&bench.core, bench.cycle);
        for (; done != NULL && operations < wm_core_operations_done(&bench.core); operations++)
            done[operations] = bench.cycle;
    }
    *counters = bench.core.counters;
    // Each load and locked operation is reported as it retires.
    cr_assert_eq(bench.loads, counters->loads + counters->locked);
    cr_assert_eq(bench.load_cycles, counters->load_cycles + counters->locked_cycles);
    wm_core_release(&bench.core);
    return bench.cycle - 1;
}
