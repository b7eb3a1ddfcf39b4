// Reuse distances against a list that is searched, and sharing against a table of who read what.
#include "base/random.h"
#include "mem/explain/line_sharing.h"
#include "mem/explain/reuse_distance.h"

#include <criterion/criterion.h>
#include <string.h>

enum { LINES = 700, SMS = 130 };

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

Test(line_sharing, random_readers_match_a_table)
{
    static bool read[LINES][SMS];
    static const uint32_t most[] = {1, 2, 4, 8, 16, 32, 64, UINT32_MAX};
    struct wm_line_sharing sharing;
    struct wm_random random;
    uint64_t expected[8] = {0};
    wm_line_sharing_init(&sharing, SMS);
    wm_random_init(&random, 5, "sharing");
    for (int launch = 0; launch < 2; launch++) {
        memset(read, 0, sizeof read);
        wm_line_sharing_clear(&sharing);
        for (int i = 0; i < 300000; i++) {
            // Some lines are read by few SMs, others by all.
            uint32_t line = (uint32_t)wm_random_below(&random, LINES);
            uint32_t sm = (uint32_t)wm_random_below(&random, 1 + line * SMS / LINES);
            read[line][sm] = true;
            wm_line_sharing_read(&sharing, line + 5000, sm);
        }
        for (uint32_t line = 0; line < LINES; line++) {
            uint32_t readers = 0, bucket = 0;
            for (uint32_t sm = 0; sm < SMS; sm++)
                readers += read[line][sm];
            while (readers > most[bucket])
                bucket++;
            expected[bucket] += readers > 0;
        }
        for (int bucket = 0; bucket < 8; bucket++)
            cr_assert_eq(((const uint64_t *)&sharing.counters)[bucket], expected[bucket],
                         "bucket %d", bucket);
    }
    cr_expect_gt(expected[7], 100);
    cr_expect_gt(expected[0], 5);
    wm_line_sharing_release(&sharing);
}
