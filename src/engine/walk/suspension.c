// Blocks that wait for what they launched (cudaDeviceSynchronize in kernels). Such a block leaves
// what it has of its SM to others, as GPUs save its state to memory (CUDA C++ Programming Guide,
// "CUDA Dynamic Parallelism", configuration options, synchronisation depth), and comes back to the
// same SM when it may continue and there is room: before blocks that have not begun. So what it
// waits for finds room, however many wait. It keeps its place among its own launch's blocks: of
// these an SM has no more than if none waited.
#include "engine/session/session_state.h"

#include <stdlib.h>

enum wm_status wm_suspension_begin(const struct wm_session *session, struct wm_launch_state *run,
                                   struct wm_error *error)
{
    size_t most = (size_t)session->machine.sm.count * run->blocks_per_sm;
    run->begun = calloc(session->machine.sm.count, sizeof *run->begun);
    if (session->clock != NULL)
        run->suspended = calloc(most, sizeof *run->suspended);
    if (run->begun != NULL && (session->clock == NULL || run->suspended != NULL))
        return WM_OK;
    wm_suspension_end(run);
    return wm_fail_no_memory(error, "launches that are suspended");
}

void wm_suspension_end(struct wm_launch_state *run)
{
    free(run->begun);
    free(run->suspended);
    run->begun = NULL;
    run->suspended = NULL;
    run->suspended_count = 0;
}

void wm_walk_suspend_blocks(const struct wm_session *session, struct wm_launch_state *run)
{
    for (uint32_t sm = 0; run->begun != NULL && sm < session->machine.sm.count; sm++)
        for (uint32_t i = 0; run->begun[sm] != 0 && i < run->blocks_per_sm; i++) {
            struct wm_block_slot *place = &run->residency->sm_residency[sm].places[i];
            if (place->block == NULL || place->suspended || !wm_block_awaits_children(place->block))
                continue;
            place->suspended = true;
            run->suspended_count++;
            wm_session_remove_block(run, sm);
        }
}

static bool has_room(const struct wm_session *session, const struct wm_launch_state *run,
                     uint32_t sm)
{
    return wm_occupancy_free_blocks(&session->machine.sm, &run->needs,
                                    session->divided[run->work->gpu].shared_bytes,
                                    &run->use[sm]) != 0;
}

// Threads of blocks that have stayed may have become ready, too.
void wm_walk_resume_blocks(const struct wm_session *session, struct wm_launch_state *run)
{
    for (uint32_t sm = 0; run->begun != NULL && sm < session->machine.sm.count; sm++)
        for (uint32_t i = 0; run->begun[sm] != 0 && i < run->blocks_per_sm; i++) {
            struct wm_block_slot *place = &run->residency->sm_residency[sm].places[i];
            if (place->block == NULL)
                continue;
            if (place->suspended && place->block->ready != 0 && has_room(session, run, sm)) {
                place->suspended = false;
                run->suspended_count--;
                wm_session_add_block(run, sm);
            }
            if (!place->suspended)
                wm_walk_note_ready(run, &run->residency->sm_residency[sm], i);
        }
}
