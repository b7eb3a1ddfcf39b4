// Reuse distances against a list that is searched.
#include "base/numbers/random.h"
#include "mem/explain/reuse_distance.h"

#include <criterion/criterion.h>
#include <string.h>

enum { LINES = 700 };

Test(reuse_distance, random_streams_match_a_searched_list)
{
    static uint64_t list[LINES]; // most recent first
    struct wm_reuse reuse = {0};
    struct wm_random random;
    wm_random_init(&random, 11, "reuse");
    uint32_t count = 0;
    for (int i = 0; i < 60000; i++) {
        if (i == 20000) {
            wm_reuse_clear(&reuse);
            count = 0;
        }
        uint64_t line = wm_random_below(&random, 1 + wm_random_below(&random, LINES)) << 40;
        uint32_t at = 0;
        while (at < count && list[at] != line)
            at++;
        cr_assert_eq(wm_reuse_use(&reuse, line), at < count ? at : WM_REUSE_FIRST, "use %d", i);
        count += at == count;
        memmove(list + 1, list, at * sizeof *list);
        list[0] = line;
    }
    wm_reuse_release(&reuse);
}

Test(reuse_distance, a_cyclic_sweep_has_one_distance)
{
    struct wm_reuse reuse = {0};
    for (int round = 0; round < 4; round++)
        for (uint64_t line = 0; line < 5000; line++)
            cr_assert_eq(wm_reuse_use(&reuse, line), round == 0 ? WM_REUSE_FIRST : 4999);
    cr_expect_eq(wm_reuse_use(&reuse, 4999), 0);
    wm_reuse_release(&reuse);
}
