// The contract of every block dispatch, and round robin's own idea.
#include "base/numbers/random.h"
#include "sm/block_dispatch/block_dispatch.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

Test(block_dispatch, places_where_there_is_room_and_only_there)
{
    struct wm_random random;
    size_t count;
    const struct wm_block_dispatch_ops *const *table = wm_block_dispatch_table(&count);
    wm_random_init(&random, 4, "block dispatch");
    cr_assert_geq(count, 1);
    for (size_t which = 0; which < count; which++)
        for (uint32_t sms = 1; sms <= 17; sms++) {
            const struct wm_block_dispatch_ops *dispatch = table[which];
            void *state = malloc(dispatch->state_bytes(sms));
            dispatch->reset(state, sms);
            uint32_t room[17], total = 0;
            for (uint32_t sm = 0; sm < sms; sm++)
                total += room[sm] = (uint32_t)wm_random_below(&random, 4);
            for (; total > 0; total--) {
                int32_t sm = dispatch->place(state, room, sms);
                cr_assert(sm >= 0 && (uint32_t)sm < sms && room[sm] > 0, "%s", dispatch->name);
                room[sm]--;
            }
            cr_assert_eq(dispatch->place(state, room, sms), WM_NO_SM);
            free(state);
        }
}

Test(block_dispatch, round_robin_goes_on_from_the_last_sm)
{
    const struct wm_block_dispatch_ops *dispatch = &wm_block_dispatch_round_robin;
    void *state = malloc(dispatch->state_bytes(4));
    dispatch->reset(state, 4);
    uint32_t room[4] = {2, 1, 0, 2};
    const int32_t expected[] = {0, 1, 3, 0, 3, WM_NO_SM};
    for (int i = 0; i < 6; i++) {
        int32_t sm = dispatch->place(state, room, 4);
        cr_assert_eq(sm, expected[i]);
        if (sm != WM_NO_SM)
            room[sm]--;
    }
    room[0] = room[2] = 1;
    cr_assert_eq(dispatch->place(state, room, 4), 0, "after SM 3 comes SM 0");
    free(state);
}

// A launch begins as the first did, wherever the one before ended; and the state is as large as is
// said.
Test(block_dispatch, a_reset_makes_it_new)
{
    enum { SMS = 5, BLOCKS = 13, GUARD = 8 };
    size_t count;
    const struct wm_block_dispatch_ops *const *table = wm_block_dispatch_table(&count);
    for (size_t which = 0; which < count; which++) {
        size_t bytes = table[which]->state_bytes(SMS);
        unsigned char *state = malloc(bytes + GUARD);
        int32_t first[BLOCKS];
        memset(state, 0xa5, bytes + GUARD);
        for (int launch = 0; launch < 2; launch++) {
            uint32_t room[SMS] = {3, 3, 3, 3, 3};
            table[which]->reset(state, SMS);
            for (int block = 0; block < BLOCKS; block++) {
                int32_t sm = table[which]->place(state, room, SMS);
                if (launch == 0)
                    first[block] = sm;
                cr_expect_eq(sm, first[block], "%s, block %d", table[which]->name, block);
                room[sm]--;
            }
        }
        for (size_t i = 0; i < GUARD; i++)
            cr_assert_eq(state[bytes + i], 0xa5, "%s", table[which]->name);
        free(state);
    }
}
