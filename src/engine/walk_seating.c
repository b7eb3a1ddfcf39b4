// Places for a launch's blocks on the SMs, and where the next may go: as many on an SM as it holds,
// alone or beside other launches' blocks.
#include "engine/walk_parts.h"

bool wm_walk_seating_init(const struct wm_walk *walk, struct wm_arena *arena,
                          struct wm_walk_seating *seating)
{
    const struct wm_sm_spec *spec = &walk->machine.sm;
    size_t words = spec->max_warps / 64 + 2; // a block's bits may reach into one word more
    seating->seats = WM_ARENA_ARRAY(arena, struct wm_walk_seats, spec->count);
    seating->room = WM_ARENA_ARRAY(arena, uint32_t, spec->count);
    seating->roomiest = WM_ARENA_ARRAY(arena, uint32_t, spec->count);
    seating->dispatch_state =
        wm_arena_alloc(arena, walk->block_dispatch->state_bytes(spec->count), 8);
    if (seating->seats == NULL || seating->room == NULL || seating->roomiest == NULL ||
        seating->dispatch_state == NULL)
        return false;
    for (uint32_t i = 0; i < spec->count; i++) {
        struct wm_walk_seats *seats = &seating->seats[i];
        seats->order_state =
            wm_arena_alloc(arena, walk->warp_order->state_bytes(spec->max_warps), 8);
        seats->ready = WM_ARENA_ARRAY(arena, uint64_t, words);
        seats->places = WM_ARENA_ARRAY(arena, struct wm_walk_place, spec->max_blocks);
        if (seats->order_state == NULL || seats->ready == NULL || seats->places == NULL)
            return false;
        if (!walk->machine.memory.beside[WM_BESIDE_INSTRUCTION].cache.present)
            continue;
        seats->code_lines = WM_ARENA_ARRAY(arena, uint64_t, spec->max_warps);
        if (seats->code_lines == NULL)
            return false;
    }
    return true;
}

void wm_walk_run_begin(const struct wm_walk *walk, const struct wm_walk_seating *seating,
                       struct wm_work *work, const struct wm_occupancy *occupancy,
                       struct wm_walk_run *run)
{
    uint32_t warps = work->warps_per_block;
    *run = (struct wm_walk_run){
        .work = work,
        .seating = seating,
        .block_count = wm_work_blocks(work),
        .warps_per_block = warps,
        .blocks_per_sm = occupancy->blocks,
        .slots = occupancy->blocks * warps,
        .all_warps = warps == 64 ? ~UINT64_C(0) : (UINT64_C(1) << warps) - 1,
    };
    const struct wm_sm_spec *spec = &walk->machine.sm;
    walk->block_dispatch->reset(seating->dispatch_state, spec->count);
    for (uint32_t i = 0; i < spec->count; i++) {
        struct wm_walk_seats *seats = &seating->seats[i];
        wm_warp_order_reset(spec, spec->schedulers, seats->order_state, run->slots);
        memset(seats->ready, 0, (spec->max_warps / 64 + 2) * sizeof *seats->ready);
        memset(seats->places, 0, spec->max_blocks * sizeof *seats->places);
        seating->room[i] = occupancy->blocks;
    }
}

void wm_walk_find_room(const struct wm_walk *walk, struct wm_walk_run *run)
{
    uint64_t blocks = 0; // of all launches; its own are those that have begun and are there
    for (uint32_t i = 0; i < walk->machine.sm.count; i++) {
        uint32_t room =
            wm_occupancy_room(&walk->machine.sm, &run->needs, walk->shared_bytes, &run->use[i]);
        uint32_t places = run->begun != NULL ? run->blocks_per_sm - run->begun[i] : room;
        run->seating->room[i] = room < places ? room : places;
        blocks += run->use[i].blocks;
    }
    run->beside = blocks != run->next_block - run->finished_blocks - run->away_count;
}

// Beside others an SM with the most room for the launch's blocks (Gilman et al., "Demystifying the
// placement policies of the NVIDIA GPU thread block scheduler for concurrent kernels", Performance
// Evaluation Review 48, 2020): idle SMs come first. Of several it is the one that the machine's
// block dispatch chooses among them. Of a launch by itself its block dispatch says everything.
int32_t wm_walk_place_block(const struct wm_walk *walk, const struct wm_walk_run *run)
{
    const struct wm_walk_seating *seating = run->seating;
    uint32_t sms = walk->machine.sm.count, most = 0;
    if (!run->beside)
        return walk->block_dispatch->place(seating->dispatch_state, seating->room, sms);
    for (uint32_t i = 0; i < sms; i++)
        most = seating->room[i] > most ? seating->room[i] : most;
    for (uint32_t i = 0; i < sms; i++)
        seating->roomiest[i] = seating->room[i] == most ? most : 0;
    return walk->block_dispatch->place(seating->dispatch_state, seating->roomiest, sms);
}

void wm_walk_take_room(const struct wm_walk *walk, const struct wm_walk_run *run, uint32_t sm)
{
    run->seating->room[sm]--;
    if (run->use != NULL)
        wm_occupancy_take(&walk->machine.sm, &run->needs, &run->use[sm]);
}

void wm_walk_leave_room(const struct wm_walk *walk, const struct wm_walk_run *run, uint32_t sm)
{
    run->seating->room[sm]++;
    if (run->use != NULL)
        wm_occupancy_leave(&walk->machine.sm, &run->needs, &run->use[sm]);
}
