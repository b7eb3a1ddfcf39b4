// Blocks that wait for what they launched (cudaDeviceSynchronize in kernels). Such a block leaves
// what it has of its SM to others, as GPUs save its state to memory (CUDA C++ Programming Guide,
// "CUDA Dynamic Parallelism", configuration options, synchronisation depth), and comes back to the
// same SM when it may go on and there is room: before blocks that have not begun. So what it waits
// for finds room, however many wait. It keeps its place among its own launch's blocks: of these an
// SM has no more than if none waited.
#include "engine/walk_parts.h"

#include <stdlib.h>

enum wm_status wm_walk_waits_begin(const struct wm_walk *walk, struct wm_walk_run *run,
                                   struct wm_error *error)
{
    size_t most = (size_t)walk->machine.sm.count * run->blocks_per_sm;
    run->begun = calloc(walk->machine.sm.count, sizeof *run->begun);
    if (walk->clock != NULL)
        run->away = calloc(most, sizeof *run->away);
    if (run->begun != NULL && (walk->clock == NULL || run->away != NULL))
        return WM_OK;
    wm_walk_waits_end(run);
    return wm_fail(error, WM_NO_MEMORY, "out of memory");
}

void wm_walk_waits_end(struct wm_walk_run *run)
{
    free(run->begun);
    free(run->away);
    run->begun = NULL;
    run->away = NULL;
    run->away_count = 0;
}

void wm_walk_waits_leave(const struct wm_walk *walk, struct wm_walk_run *run)
{
    for (uint32_t sm = 0; run->begun != NULL && sm < walk->machine.sm.count; sm++)
        for (uint32_t i = 0; run->begun[sm] != 0 && i < run->blocks_per_sm; i++) {
            struct wm_walk_place *place = &run->seating->seats[sm].places[i];
            if (place->block == NULL || place->away || !wm_walk_must_wait(place->block))
                continue;
            place->away = true;
            run->away_count++;
            wm_walk_leave_room(walk, run, sm);
        }
}

static bool has_room(const struct wm_walk *walk, const struct wm_walk_run *run, uint32_t sm)
{
    return wm_occupancy_room(&walk->machine.sm, &run->needs, walk->shared_bytes, &run->use[sm]) !=
           0;
}

// Threads of blocks that have stayed may have become ready, too.
void wm_walk_waits_return(const struct wm_walk *walk, struct wm_walk_run *run)
{
    for (uint32_t sm = 0; run->begun != NULL && sm < walk->machine.sm.count; sm++)
        for (uint32_t i = 0; run->begun[sm] != 0 && i < run->blocks_per_sm; i++) {
            struct wm_walk_place *place = &run->seating->seats[sm].places[i];
            if (place->block == NULL)
                continue;
            if (place->away && place->block->ready != 0 && has_room(walk, run, sm)) {
                place->away = false;
                run->away_count--;
                wm_walk_take_room(walk, run, sm);
            }
            if (!place->away)
                wm_walk_note_ready(run, &run->seating->seats[sm], i);
        }
}
