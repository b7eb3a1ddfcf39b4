// The contract of every block dispatch (sm/block_dispatch/block_dispatch.h).
#include "base/numbers/random.h"
#include "sm/block_dispatch/block_dispatch.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SMS = 33, MAX_BLOCKS = 400 };

// Behind a state lie bytes that are not the entry's.
enum { GUARD = 64, FILL = 0xa5 };

// A GPU whose blocks finish as chance has it.
struct gpu {
    const struct wm_block_dispatch_ops *dispatch;
    unsigned char *state;
    uint32_t sms, blocks, given, room[MAX_SMS], running[MAX_SMS];
    struct wm_random random;
    // In order: the blocks that were given, and their SMs.
    uint16_t block[MAX_BLOCKS], sm[MAX_BLOCKS];
};

static void begin(struct gpu *gpu, uint32_t blocks, uint32_t most_room)
{
    gpu->dispatch->reset(gpu->state, gpu->sms, blocks);
    gpu->blocks = blocks;
    gpu->given = 0;
    for (uint32_t sm = 0; sm < gpu->sms; sm++) {
        gpu->room[sm] = most_room;
        gpu->running[sm] = 0;
    }
}

static struct gpu new_gpu(const struct wm_block_dispatch_ops *dispatch, uint32_t sms,
                          const char *stream)
{
    size_t bytes = dispatch->state_bytes(sms);
    struct gpu gpu = {.dispatch = dispatch, .state = malloc(bytes + GUARD), .sms = sms};
    memset(gpu.state, FILL, bytes + GUARD);
    wm_random_init(&gpu.random, sms, stream);
    return gpu;
}

static void release(const struct gpu *gpu)
{
    size_t bytes = gpu->dispatch->state_bytes(gpu->sms);
    for (size_t i = 0; i < GUARD; i++)
        cr_assert_eq(gpu->state[bytes + i], FILL, "%s: a state has more bytes than it asked for",
                     gpu->dispatch->name);
    free(gpu->state);
}

static bool has_room(const struct gpu *gpu)
{
    for (uint32_t sm = 0; sm < gpu->sms; sm++)
        if (gpu->room[sm] > 0)
            return true;
    return false;
}

// As an engine does: until no SM has room, or no block is left. One of `refuses` choices, by
// chance, is of an SM that has no place for the block after all; 0: none is.
static void give_blocks(struct gpu *gpu, uint32_t refuses)
{
    const char *name = gpu->dispatch->name;
    uint32_t taken_off[MAX_SMS] = {0};
    while (gpu->given < gpu->blocks) {
        int32_t sm = gpu->dispatch->place(gpu->state, gpu->room, gpu->sms);
        cr_assert_eq(sm == WM_NO_SM, !has_room(gpu), "%s", name);
        if (sm == WM_NO_SM)
            break;
        cr_assert(sm >= 0 && (uint32_t)sm < gpu->sms && gpu->room[sm] > 0, "%s: SM %d", name, sm);
        if (refuses != 0 && wm_random_below(&gpu->random, refuses) == 0) {
            taken_off[sm] += gpu->room[sm];
            gpu->room[sm] = 0;
            continue;
        }
        uint64_t block = gpu->dispatch->take(gpu->state, (uint32_t)sm);
        cr_assert_lt(block, gpu->blocks, "%s: of %u blocks on %u SMs", name, gpu->blocks, gpu->sms);
        gpu->block[gpu->given] = (uint16_t)block;
        gpu->sm[gpu->given++] = (uint16_t)sm;
        gpu->room[sm]--;
        gpu->running[sm]++;
    }
    for (uint32_t sm = 0; sm < gpu->sms; sm++)
        gpu->room[sm] += taken_off[sm];
}

static void finish_some(struct gpu *gpu)
{
    for (uint32_t sm = 0; sm < gpu->sms; sm++)
        while (gpu->running[sm] > 0 && wm_random_below(&gpu->random, 4) == 0) {
            gpu->running[sm]--;
            gpu->room[sm]++;
        }
}

static void run(struct gpu *gpu, uint32_t blocks, uint32_t most_room, uint32_t refuses)
{
    begin(gpu, blocks, most_room);
    while (gpu->given < gpu->blocks) {
        give_blocks(gpu, refuses);
        finish_some(gpu);
    }
}

static void check_once_each(const struct gpu *gpu)
{
    bool seen[MAX_BLOCKS] = {false};
    for (uint32_t i = 0; i < gpu->given; i++) {
        cr_assert(!seen[gpu->block[i]], "%s: block %u of %u again, on %u SMs", gpu->dispatch->name,
                  gpu->block[i], gpu->blocks, gpu->sms);
        seen[gpu->block[i]] = true;
    }
}

static bool same_run(const struct gpu *one, const struct gpu *other)
{
    return one->given == other->given &&
           memcmp(one->block, other->block, one->given * sizeof *one->block) == 0 &&
           memcmp(one->sm, other->sm, one->given * sizeof *one->sm) == 0;
}

Test(block_dispatch_contract, entries_are_whole)
{
    size_t count;
    const struct wm_block_dispatch_ops *const *table = wm_block_dispatch_table(&count);
    cr_assert_geq(count, 1);
    for (size_t i = 0; i < count; i++) {
        const struct wm_block_dispatch_ops *dispatch = table[i];
        cr_assert(dispatch->name && dispatch->title && dispatch->source && dispatch->sentence);
        cr_assert(dispatch->state_bytes && dispatch->reset && dispatch->place && dispatch->take,
                  "%s", dispatch->name);
    }
}

// Grids of all sizes, from one block up, smaller and larger than the GPU; SMs that hold few blocks
// or many; blocks that finish in any order; SMs that are chosen and cannot take a block.
Test(block_dispatch_contract, each_block_is_placed_once)
{
    size_t count;
    const struct wm_block_dispatch_ops *const *table = wm_block_dispatch_table(&count);
    for (size_t i = 0; i < count; i++)
        for (uint32_t sms = 1; sms <= MAX_SMS; sms++) {
            struct gpu gpu = new_gpu(table[i], sms, "each block once");
            for (uint32_t launch = 0; launch < 12; launch++) {
                uint32_t most = launch % 2 == 0 ? 2 * sms : MAX_BLOCKS;
                uint32_t blocks = 1 + (uint32_t)wm_random_below(&gpu.random, most);
                uint32_t room = 1 + (uint32_t)wm_random_below(&gpu.random, 5);
                run(&gpu, blocks, room, launch % 3 == 2 ? 4 : 0);
                check_once_each(&gpu);
            }
            run(&gpu, 1, 1, 0);
            check_once_each(&gpu);
            release(&gpu);
        }
}

Test(block_dispatch_contract, without_room_nothing_is_placed)
{
    size_t count;
    const struct wm_block_dispatch_ops *const *table = wm_block_dispatch_table(&count);
    for (size_t i = 0; i < count; i++) {
        struct gpu gpu = new_gpu(table[i], 5, "no room");
        begin(&gpu, 7, 0);
        for (int call = 0; call < 3; call++)
            cr_assert_eq(table[i]->place(gpu.state, gpu.room, 5), WM_NO_SM, "%s", table[i]->name);
        gpu.room[3] = 7;
        give_blocks(&gpu, 0);
        cr_assert_eq(gpu.given, 7, "%s: an SM got room", table[i]->name);
        check_once_each(&gpu);
        release(&gpu);
    }
}

// The same calls, the same answers, though another GPU's blocks are placed in between: nothing is
// kept but in the state.
Test(block_dispatch_contract, the_same_calls_give_the_same_answers)
{
    size_t count;
    const struct wm_block_dispatch_ops *const *table = wm_block_dispatch_table(&count);
    for (size_t i = 0; i < count; i++)
        for (uint32_t sms = 1; sms <= MAX_SMS; sms += 4) {
            struct gpu one = new_gpu(table[i], sms, "same"), twin = new_gpu(table[i], sms, "same"),
                       noise = new_gpu(table[i], sms, "noise");
            begin(&one, MAX_BLOCKS, 3);
            begin(&twin, MAX_BLOCKS, 3);
            begin(&noise, MAX_BLOCKS - 9, 2);
            while (one.given < one.blocks) {
                give_blocks(&one, 5);
                give_blocks(&noise, 0);
                give_blocks(&twin, 5);
                finish_some(&one);
                finish_some(&noise);
                finish_some(&twin);
                cr_assert(same_run(&one, &twin), "%s", table[i]->name);
            }
            release(&one);
            release(&twin);
            release(&noise);
        }
}

// A launch begins as on a new GPU, wherever the one before it ended.
Test(block_dispatch_contract, a_reset_makes_it_new)
{
    size_t count;
    const struct wm_block_dispatch_ops *const *table = wm_block_dispatch_table(&count);
    for (size_t i = 0; i < count; i++)
        for (uint32_t before = 1; before < 30; before++) {
            struct gpu fresh = new_gpu(table[i], 7, "reset"), again = new_gpu(table[i], 7, "old");
            run(&again, before, 1 + before % 3, 0);
            wm_random_init(&again.random, 7, "reset");
            run(&fresh, 60, 2, 0);
            run(&again, 60, 2, 0);
            cr_assert(same_run(&fresh, &again), "%s, after %u blocks", table[i]->name, before);
            release(&fresh);
            release(&again);
        }
}

// Who says that blocks leave in order has them leave so, and no other.
Test(block_dispatch_contract, blocks_are_in_order_where_that_is_said)
{
    size_t count;
    const struct wm_block_dispatch_ops *const *table = wm_block_dispatch_table(&count);
    for (size_t i = 0; i < count; i++) {
        struct gpu gpu = new_gpu(table[i], 6, "order");
        uint32_t others = 0;
        run(&gpu, 90, 2, 0);
        for (uint32_t at = 0; at < gpu.given; at++)
            others += gpu.block[at] != at;
        cr_assert_eq(others == 0, table[i]->in_order, "%s: %u not in order", table[i]->name,
                     others);
        release(&gpu);
    }
}

Test(block_dispatch_contract, no_two_entries_are_the_same)
{
    size_t count;
    const struct wm_block_dispatch_ops *const *table = wm_block_dispatch_table(&count);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++) {
            struct gpu one = new_gpu(table[i], 9, "differ"), other = new_gpu(table[j], 9, "differ");
            run(&one, MAX_BLOCKS, 3, 0);
            run(&other, MAX_BLOCKS, 3, 0);
            cr_assert(!same_run(&one, &other), "%s is %s", table[i]->name, table[j]->name);
            release(&one);
            release(&other);
        }
}
