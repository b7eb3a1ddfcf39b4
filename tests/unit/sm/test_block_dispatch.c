// Each block dispatch's own idea, in small cases worked out by hand; what all promise is in
// tests/contract/. And clustered against the listings of its paper.
#include "base/numbers/random.h"
#include "sm/block_dispatch/block_dispatch.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SMS = 32, MOST_BLOCKS = 200, NONE = -1 };

struct placed {
    int32_t sm;
    int32_t block; // NONE: where no SM had room
};

static void *begin(const struct wm_block_dispatch_ops *dispatch, uint32_t sms, uint64_t blocks)
{
    void *state = malloc(dispatch->state_bytes(sms));
    dispatch->reset(state, sms, blocks);
    return state;
}

// The next block, if there is room for one: takes one off the room.
static struct placed give(const struct wm_block_dispatch_ops *dispatch, void *state, uint32_t *room,
                          uint32_t sms)
{
    struct placed placed = {dispatch->place(state, room, sms), NONE};
    if (placed.sm != WM_NO_SM) {
        room[placed.sm]--;
        placed.block = (int32_t)dispatch->take(state, (uint32_t)placed.sm);
    }
    return placed;
}

static void expect(struct placed is, int32_t sm, int32_t block)
{
    cr_assert(is.sm == sm && is.block == block, "block %d on SM %d, not %d on %d", is.block, is.sm,
              block, sm);
}

// As many blocks as are listed, with their SMs.
static void expect_all(const struct wm_block_dispatch_ops *dispatch, void *state, uint32_t *room,
                       uint32_t sms, const struct placed *expected, size_t count)
{
    for (size_t i = 0; i < count; i++)
        expect(give(dispatch, state, room, sms), expected[i].sm, expected[i].block);
}
#define EXPECT_ALL(dispatch, state, room, sms, ...)                      \
    expect_all(dispatch, state, room, sms, (struct placed[])__VA_ARGS__, \
               sizeof((struct placed[])__VA_ARGS__) / sizeof(struct placed))

Test(block_dispatch, round_robin_goes_on_from_the_last_sm)
{
    const struct wm_block_dispatch_ops *dispatch = &wm_block_dispatch_round_robin;
    void *state = begin(dispatch, 4, 9);
    uint32_t room[4] = {2, 1, 0, 2};
    EXPECT_ALL(dispatch, state, room, 4, {{0, 0}, {1, 1}, {3, 2}, {0, 3}, {3, 4}, {-1, NONE}});
    room[0] = room[2] = 1;
    expect(give(dispatch, state, room, 4), 0, 5); // after SM 3 comes SM 0
    free(state);
}

// A grid begins as round robin has it. Then SMs come in the order in which they got room.
Test(block_dispatch, first_available_follows_those_that_finish)
{
    const struct wm_block_dispatch_ops *dispatch = &wm_block_dispatch_first_available;
    void *state = begin(dispatch, 3, 20);
    uint32_t room[3] = {2, 2, 2};
    EXPECT_ALL(dispatch, state, room, 3,
               {{0, 0}, {1, 1}, {2, 2}, {0, 3}, {1, 4}, {2, 5}, {-1, NONE}});
    room[1] = 2; // queue: 1
    EXPECT_ALL(dispatch, state, room, 3, {{1, 6}});
    room[0] = 1; // queue: 1 0, where round robin goes to 0
    EXPECT_ALL(dispatch, state, room, 3, {{1, 7}, {0, 8}, {-1, NONE}});
    room[2] = room[0] = 1; // both since the last call: in order of their numbers
    EXPECT_ALL(dispatch, state, room, 3, {{0, 9}});
    room[0] = 1; // queue: 2 0
    EXPECT_ALL(dispatch, state, room, 3, {{2, 10}, {0, 11}, {-1, NONE}});
    free(state);
}

// An SM that has lost its room loses its place in the queue, and one that cannot take what it was
// chosen for, too.
Test(block_dispatch, first_available_has_no_place_for_the_full)
{
    const struct wm_block_dispatch_ops *dispatch = &wm_block_dispatch_first_available;
    void *state = begin(dispatch, 3, 20);
    uint32_t room[3] = {2, 2, 2};
    EXPECT_ALL(dispatch, state, room, 3, {{0, 0}}); // queue: 1 2 0
    room[1] = 0;
    EXPECT_ALL(dispatch, state, room, 3, {{2, 1}}); // queue: 0 2
    room[1] = 2;                                    // queue: 0 2 1
    cr_assert_eq(dispatch->place(state, room, 3), 0);
    room[0] = 0;                                                    // it takes none: 2 1
    EXPECT_ALL(dispatch, state, room, 3, {{2, 2}, {1, 3}, {1, 4}}); // SM 2 is full then
    free(state);
}

// Of 33 blocks on 32 SMs, SMs 0 to 15 have two each, SM 16 the last one, and the others none.
// ceil(33/32) = 2, and without a cut SM 16 would have block 33 too.
Test(block_dispatch, clustered_33_blocks_on_32_sms)
{
    const struct wm_block_dispatch_ops *dispatch = &wm_block_dispatch_clustered;
    void *state = begin(dispatch, 32, 33);
    uint32_t room[32];
    for (int sm = 0; sm < 32; sm++)
        room[sm] = 1;
    for (int sm = 0; sm <= 16; sm++)
        expect(give(dispatch, state, room, 32), sm, 2 * sm);
    for (int sm = 17; sm < 32; sm++) // each borrows the second block of SM 0, 1, ...
        expect(give(dispatch, state, room, 32), sm, 2 * (sm - 17) + 1);
    expect(give(dispatch, state, room, 32), WM_NO_SM, NONE);
    room[20] = 1; // what is left is SM 15's second block
    expect(give(dispatch, state, room, 32), 20, 31);
    free(state);
}

// 40 blocks: 20 SMs have two, and twelve borrow one each. Eight are left, of SMs 12 to 19.
Test(block_dispatch, clustered_40_blocks_on_32_sms)
{
    const struct wm_block_dispatch_ops *dispatch = &wm_block_dispatch_clustered;
    void *state = begin(dispatch, 32, 40);
    uint32_t room[32];
    for (int sm = 0; sm < 32; sm++)
        room[sm] = 1;
    for (int sm = 0; sm < 20; sm++)
        expect(give(dispatch, state, room, 32), sm, 2 * sm);
    for (int sm = 20; sm < 32; sm++)
        expect(give(dispatch, state, room, 32), sm, 2 * (sm - 20) + 1);
    room[19] = 1; // its own
    expect(give(dispatch, state, room, 32), 19, 39);
    room[0] = 1; // the next SM behind that has any is SM 12
    expect(give(dispatch, state, room, 32), 0, 25);
    room[14] = room[13] = 1; // SM 13 comes before SM 14
    EXPECT_ALL(dispatch, state, room, 32, {{13, 27}, {14, 29}});
    free(state);
}

// One block an SM a pass, and passes begin with SM 0.
Test(block_dispatch, clustered_gives_one_block_a_pass)
{
    const struct wm_block_dispatch_ops *dispatch = &wm_block_dispatch_clustered;
    void *state = begin(dispatch, 3, 18);
    uint32_t room[3] = {3, 1, 2};
    // Queues: 0-5, 6-11, 12-17.
    EXPECT_ALL(dispatch, state, room, 3,
               {{0, 0}, {1, 6}, {2, 12}, {0, 1}, {2, 13}, {0, 2}, {-1, NONE}});
    room[2] = room[1] = 1;
    EXPECT_ALL(dispatch, state, room, 3, {{1, 7}, {2, 14}, {-1, NONE}});
    room[2] = 1;
    EXPECT_ALL(dispatch, state, room, 3, {{2, 15}, {-1, NONE}});
    room[0] = room[2] = 1;
    EXPECT_ALL(dispatch, state, room, 3, {{0, 3}, {2, 16}, {-1, NONE}});
    room[0] = 1;
    EXPECT_ALL(dispatch, state, room, 3, {{0, 4}, {-1, NONE}});
    room[0] = room[1] = 1; // where round robin would go on with SM 1
    EXPECT_ALL(dispatch, state, room, 3, {{0, 5}, {1, 8}, {-1, NONE}});
    free(state);
}

// Halves are rounded up, and a queue of one goes whole.
Test(block_dispatch, clustered_borrows_the_first_half)
{
    const struct wm_block_dispatch_ops *dispatch = &wm_block_dispatch_clustered;
    void *state = begin(dispatch, 2, 10);
    uint32_t room[2] = {5, 0};
    EXPECT_ALL(dispatch, state, room, 2, {{0, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 4}, {-1, NONE}});
    // SM 0: none, SM 1: 5-9. It takes 5-7.
    room[0] = 1;
    EXPECT_ALL(dispatch, state, room, 2, {{0, 5}});
    // SM 0: 6-7, SM 1: 8-9.
    room[1] = 1;
    EXPECT_ALL(dispatch, state, room, 2, {{1, 8}});
    room[0] = 2;
    EXPECT_ALL(dispatch, state, room, 2, {{0, 6}, {0, 7}});
    // SM 0: none, SM 1: 9.
    room[0] = 1;
    EXPECT_ALL(dispatch, state, room, 2, {{0, 9}});
    free(state);
}

// It borrows of the next SM behind it, round the end, and of one alone.
Test(block_dispatch, clustered_borrows_of_the_next_that_has_any)
{
    const struct wm_block_dispatch_ops *dispatch = &wm_block_dispatch_clustered;
    void *state = begin(dispatch, 4, 16);
    uint32_t room[4] = {0, 0, 4, 0};
    EXPECT_ALL(dispatch, state, room, 4, {{2, 8}, {2, 9}, {2, 10}, {2, 11}, {-1, NONE}});
    // 0-3, 4-7, none, 12-15.
    room[2] = 1;
    EXPECT_ALL(dispatch, state, room, 4, {{2, 12}, {-1, NONE}});
    // 0-3, 4-7, 13, 14-15.
    room[3] = 3;
    EXPECT_ALL(dispatch, state, room, 4, {{3, 14}, {3, 15}, {3, 0}, {-1, NONE}});
    // 2-3, 4-7, 13, 1.
    room[0] = room[1] = room[2] = room[3] = 1;
    EXPECT_ALL(dispatch, state, room, 4, {{0, 2}, {1, 4}, {2, 13}, {3, 1}, {-1, NONE}});
    // 3, 5-7, none, none.
    room[2] = room[3] = 1;
    EXPECT_ALL(dispatch, state, room, 4, {{2, 3}, {3, 5}, {-1, NONE}});
    // none, 7, none, 6.
    room[0] = room[2] = 1;
    EXPECT_ALL(dispatch, state, room, 4, {{0, 7}, {2, 6}});
    free(state);
}

Test(block_dispatch, clustered_with_fewer_blocks_than_sms)
{
    const struct wm_block_dispatch_ops *dispatch = &wm_block_dispatch_clustered;
    void *state = begin(dispatch, 8, 3);
    uint32_t room[8] = {0, 4, 4, 4, 4, 4, 4, 4};
    // SM 1 has its own block 1, and the others borrow: SM 2 has its own, SM 3 that of SM 0.
    EXPECT_ALL(dispatch, state, room, 8, {{1, 1}, {2, 2}, {3, 0}});
    dispatch->reset(state, 8, 1);
    EXPECT_ALL(dispatch, state, room, 8, {{1, 0}});
    free(state);
}

// --- The paper's listings ---

// initialAssignment and activateWorkgroup of Choo et al., "Clustered workgroup scheduling", line by
// line; what they lack can be added.
struct listing {
    bool cuts;   // no queue ends behind the grid
    bool breaks; // an SM borrows of one other
    int sms, head[MOST_SMS], tail[MOST_SMS];
};

static void assign(struct listing *it, int blocks)
{
    int each = (blocks + it->sms - 1) / it->sms;
    for (int i = 0; i < it->sms; i++) {
        it->head[i] = i * each;
        it->tail[i] = i == it->sms - 1 ? blocks - 1 : (i + 1) * each - 1;
        if (it->cuts && it->tail[i] > blocks - 1)
            it->tail[i] = blocks - 1;
    }
}

// One pass. Returns how many blocks it activated.
static int activate(struct listing *it, uint32_t *room, struct placed *placed)
{
    int count = 0;
    for (int i = 0; i < it->sms; i++) {
        if (room[i] == 0)
            continue;
        bool empty = it->head[i] > it->tail[i];
        for (int j = (i + 1) % it->sms; empty && j != i; j = (j + 1) % it->sms) {
            if (it->head[j] > it->tail[j])
                continue;
            it->head[i] = it->head[j];
            it->tail[i] = (it->head[j] + it->tail[j]) / 2;
            it->head[j] = it->tail[i] + 1;
            if (it->breaks)
                break;
        }
        if (it->head[i] > it->tail[i])
            continue;
        placed[count++] = (struct placed){i, it->head[i]++};
        room[i]--;
    }
    return count;
}

// 12 blocks on 4 SMs, of which SM 0 alone has room: when its three are gone it borrows 3 and 4 of
// SM 1, then, without a break, 6 and 7 of SM 2 in place of these, and 9 and 10 of SM 3 in place of
// these. When those are gone, 5, 8 and 11 likewise. So six of the twelve never run.
Test(block_dispatch, the_listing_without_a_break_loses_blocks)
{
    struct listing listing = {.cuts = true, .sms = 4};
    struct placed placed[4];
    bool ran[12] = {false};
    assign(&listing, 12);
    for (;;) {
        uint32_t room[4] = {1, 0, 0, 0};
        if (activate(&listing, room, placed) == 0)
            break;
        cr_assert_not(ran[placed[0].block]);
        ran[placed[0].block] = true;
    }
    static const bool expected[12] = {
        [0] = true, [1] = true, [2] = true, [9] = true, [10] = true, [11] = true};
    cr_assert_arr_eq(ran, expected, sizeof ran);
    const struct wm_block_dispatch_ops *dispatch = &wm_block_dispatch_clustered;
    void *state = begin(dispatch, 4, 12);
    for (int32_t block = 0; block < 12; block++) {
        uint32_t room[4] = {1, 0, 0, 0};
        expect(give(dispatch, state, room, 4), 0, block);
    }
    free(state);
}

// Without a cut the listing has SM 16 activate block 33 of 33, when block 32 has run.
Test(block_dispatch, the_listing_without_a_cut_has_a_block_too_many)
{
    struct listing listing = {.breaks = true, .sms = 32};
    struct placed placed[32];
    uint32_t room[32] = {[16] = 1};
    assign(&listing, 33);
    cr_assert_eq(activate(&listing, room, placed), 1);
    cr_assert_eq(placed[0].block, 32);
    room[16] = 1;
    cr_assert_eq(activate(&listing, room, placed), 1);
    cr_assert_eq(placed[0].block, 33);
}

// With both, block by block as the entry has it, whatever finishes when.
Test(block_dispatch, clustered_is_the_listing_with_both)
{
    const struct wm_block_dispatch_ops *dispatch = &wm_block_dispatch_clustered;
    struct wm_random random;
    wm_random_init(&random, 1, "listing");
    for (int launch = 0; launch < 2000; launch++) {
        uint32_t sms = 1 + (uint32_t)wm_random_below(&random, MOST_SMS);
        int blocks = 1 + (int)wm_random_below(&random, MOST_BLOCKS), given = 0, passed;
        struct listing listing = {.cuts = true, .breaks = true, .sms = (int)sms};
        void *state = begin(dispatch, sms, (uint64_t)blocks);
        assign(&listing, blocks);
        while (given < blocks) {
            uint32_t room[MOST_SMS], listed_room[MOST_SMS];
            struct placed placed[MOST_SMS];
            for (uint32_t sm = 0; sm < sms; sm++)
                room[sm] = listed_room[sm] = (uint32_t)wm_random_below(&random, 3);
            while ((passed = activate(&listing, listed_room, placed)) != 0) {
                for (int i = 0; i < passed; i++)
                    expect(give(dispatch, state, room, sms), placed[i].sm, placed[i].block);
                given += passed;
            }
            if (given < blocks)
                expect(give(dispatch, state, room, sms), WM_NO_SM, NONE);
        }
        cr_assert_eq(given, blocks);
        free(state);
    }
}
