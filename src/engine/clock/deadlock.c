// Nothing can happen any more and blocks are unfinished: warps that wait for each other, which the
// work can explain, or a queue that is never emptied, which is a mistake of the machine or of ours.
#include "base/containers/array.h"
#include "engine/clock/clock_state.h"

#include <inttypes.h>
#include <stdlib.h>

static void describe_sm(const struct wm_clock_sm *sm, struct wm_text *text)
{
    uint32_t memory = 0, barrier = 0;
    uint32_t out =
        wm_packet_queue_count(&sm->timed.out.packets) + wm_packet_queue_count(&sm->timed.refused);
    for (uint32_t slot = 0; slot < sm->core.slots; slot++) {
        memory += sm->core.warps[slot].wait == WM_WAIT_MEMORY;
        barrier += sm->core.warps[slot].wait == WM_WAIT_BARRIER;
    }
    if (memory + barrier + out + sm->entry_count + sm->input.held_count != 0)
        wm_text_format(
            text,
            "sm[%" PRIu32 "]: %" PRIu32 " warps wait for memory, %" PRIu32 " at barriers, %" PRIu32
            " instructions in the load/store unit (%s), %" PRIu32 " lines wait for L2, %" PRIu32
            " packets wait to leave, %" PRIu32 " replies on their way\n",
            sm->index, memory, barrier, sm->entry_count, wm_stall_names[sm->stall],
            sm->timed.l1 != NULL ? sm->timed.l1->timed.mshr.used : 0, out, sm->input.held_count);
}

static bool all_at_barriers(const struct wm_clock *clock)
{
    for (uint32_t i = 0; i < clock->sm_count; i++)
        for (uint32_t slot = 0; slot < clock->sms[i].core.slots; slot++) {
            uint8_t wait = clock->sms[i].core.warps[slot].wait;
            if (wait != WM_WAIT_BARRIER && wait != WM_WAIT_EMPTY)
                return false;
        }
    return true;
}

static enum wm_status ask_work(struct wm_clock *clock, const struct wm_launch_state *run,
                               struct wm_error *error)
{
    uint32_t count = 0, most = clock->unit_count * clock->place_count;
    struct wm_block **blocks;
    WM_TRY(WM_ARRAY_NEW(blocks, most, error, "the blocks that wait"));
    for (uint32_t i = 0; i < clock->unit_count; i++)
        for (uint32_t place = 0; place < clock->place_count; place++)
            if (clock->sms[i].places[place].run == run)
                blocks[count++] = clock->sms[i].places[place].block;
    enum wm_status status = run->work->ops->deadlock(run->work, blocks, count, error);
    free(blocks);
    return status;
}

enum wm_status wm_clock_report_deadlock(struct wm_clock *clock,
                                        const struct wm_clock_launch *running,
                                        struct wm_error *error)
{
    const struct wm_launch_state *run = running->run;
    if (all_at_barriers(clock))
        return ask_work(clock, run, error);
    struct wm_text text;
    wm_text_init(&text);
    for (uint32_t i = 0; i < clock->sm_count; i++)
        describe_sm(&clock->sms[i], &text);
    wm_clock_describe_group_nodes(clock, &text);
    wm_clock_network_describe(clock, &text);
    wm_clock_coherent_describe(clock, &text);
    for (uint32_t i = 0; i < clock->partition_count; i++)
        wm_partition_describe(clock->partitions[i], &text);
    wm_fail(error, WM_DEADLOCK,
            "nothing can happen any more at cycle %" PRIu64 " of the interconnect, and %" PRIu64
            " of %" PRIu64 " blocks have finished\n%s",
            clock->now, run->finished_blocks, run->block_count, text.data != NULL ? text.data : "");
    wm_text_release(&text);
    return WM_DEADLOCK;
}
