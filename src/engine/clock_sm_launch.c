// Making an SM of the clock engine, and beginning a launch on it: what its memory instructions are
// traced with. clock_sm.c runs it.
#include "engine/clock_parts.h"

#include "sm/bank_conflicts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

// --- What memory instructions touch ---

static void trace(void *context, const struct wm_warp_access *access)
{
    struct wm_clock_sm *sm = context;
    if (access->space == WM_SPACE_SHARED && access->active != 0)
        sm->traced_passes += wm_bank_use_of(access).passes;
    wm_walk_trace(&sm->tracer, access);
}

// Of the cache that the last traced access goes to.
static uint32_t traced_line_bytes(const struct wm_clock_sm *sm)
{
    const struct wm_request_head *head = &sm->batch.heads[sm->batch.head_count - 1];
    return head->item == WM_FEED_BESIDE ? sm->tracer.beside_line_bytes[head->beside]
                                        : sm->tracer.line_bytes;
}

// The same, and which bytes a store writes, for caches that keep byte masks, or any access touches,
// where misses are explained.
static void trace_bytes(void *context, const struct wm_warp_access *access)
{
    struct wm_clock_sm *sm = context;
    uint32_t before = sm->batch.line_count, row = sm->byte_row;
    trace(context, access);
    if (access->kind != WM_ACCESS_STORE && sm->explained == NULL)
        return;
    for (uint32_t i = before; i < sm->batch.line_count; i++) {
        uint32_t bytes[WM_MAX_LINE_SECTORS];
        wm_coalesced_bytes(access, &sm->batch.lines[i], traced_line_bytes(sm), bytes);
        memcpy(sm->traced_bytes + i * row, bytes, row * sizeof *bytes);
    }
}

// --- Building ---

// An instruction's requests fit its entry.
static void never_full(struct wm_walk_feed *feed)
{
    (void)feed;
    assert(!"a memory instruction goes to more places than there are");
}

enum wm_status wm_clock_sm_init(struct wm_clock *clock, struct wm_clock_sm *sm, uint32_t index,
                                struct wm_error *error)
{
    const struct wm_memory_spec *memory = &clock->machine->memory;
    struct wm_network_ends ends = wm_network_ends_of(memory);
    *sm = (struct wm_clock_sm){.clock = clock, .index = index};
    sm->issue_width = clock->machine->sm.issue_width;
    WM_TRY(wm_issue_core_init(&sm->core, &clock->machine->sm, error));
    WM_TRY(wm_timed_l1_init(&sm->l1, clock->memory, index, error));
    WM_TRY(wm_clock_throttle_init(sm, error));
    WM_TRY(wm_crossbar_output_init(&sm->output, ends.requests, ends.send,
                                   memory->interconnect.buffer, error));
    WM_TRY(wm_crossbar_input_init(&sm->input, index, ends.requests, ends.receive, false, error));
    WM_TRY(wm_clock_memory_init(sm, error));
    sm->places = calloc(clock->machine->sm.max_blocks, sizeof *sm->places);
    if (sm->places == NULL)
        return wm_fail(error, WM_NO_MEMORY, "no memory for an SM");
    if (clock->walk->options.explain) {
        sm->l1.blocks = sm->blocks = calloc(clock->machine->sm.max_warps, sizeof *sm->blocks);
        if (sm->blocks == NULL)
            return wm_fail(error, WM_NO_MEMORY, "no memory for an SM");
    }
    wm_walk_tracer_init(&sm->tracer, clock->machine, NULL);
    sm->feed = (struct wm_walk_feed){.batch = &sm->batch, .pass_on = never_full};
    sm->tracer.feed = &sm->feed;
    sm->tracer.sm = index;
    return WM_OK;
}

void wm_clock_sm_release(struct wm_clock_sm *sm)
{
    wm_issue_core_release(&sm->core);
    wm_clock_throttle_release(sm);
    wm_timed_l1_release(&sm->l1);
    wm_crossbar_output_release(&sm->output);
    wm_crossbar_input_release(&sm->input);
    wm_clock_memory_release(sm);
    free(sm->places);
    free(sm->spaces);
    free(sm->blocks);
}

// Where the SM counts why its accesses missed: a copy of its own of the record's.
static void find_explained(struct wm_clock_sm *sm, uint32_t instructions)
{
    struct wm_walk *walk = sm->clock->walk;
    if (sm->blocks == NULL)
        return;
    sm->explained = walk->tracer.explained + sm->index * (instructions + UINT64_C(1));
    sm->tracer.explained = sm->explained;
    sm->tracer.shared = &walk->sms[sm->index].shared;
}

enum wm_status wm_clock_sm_launch(struct wm_clock_sm *sm, struct wm_error *error)
{
    struct wm_clock *clock = sm->clock;
    sm->tracer.counters = &clock->walk->sms[sm->index].counters;
    sm->tracer.spaces = sm->spaces;
    sm->tracer.listed = clock->walk->tracer.listed;
    const struct wm_work *work = clock->run->work;
    find_explained(sm, work->instruction_count);
    bool bytes = sm->entry_bytes != NULL;
    sm->sink = (struct wm_access_sink){
        .access = bytes ? trace_bytes : trace,
        .context = sm,
        // Bank conflicts are told from addresses, and so are bytes.
        .takes_regular = !bytes && work->static_shared_bytes + work->dynamic_shared_bytes == 0,
    };
    sm->resident_warps = 0;
    sm->finished_blocks = 0;
    sm->waiting = 0;
    memset(sm->places, 0, clock->machine->sm.max_blocks * sizeof *sm->places);
    WM_TRY(wm_clock_throttle_launch(sm, error));
    return wm_issue_core_launch(&sm->core, &clock->table, sm->cycle, error);
}
