// Whatever numbers the library is called with: an answer, and counters that can be read.
#include "library_fixture.h"

#include <criterion/criterion.h>

// A field that is most often legal, else anything.
static uint64_t wild(struct wm_random *random, uint64_t bound)
{
    switch (wm_random_below(random, 12)) {
    case 0: return wm_random_u64(random);
    case 1: return UINT64_C(1) << wm_random_below(random, 64);
    case 2: return 0;
    default: return wm_random_below(random, bound);
    }
}

Test(library_numbers, wild_numbers_have_an_answer)
{
    enum { ROUNDS = 8000 };
    static const char *const names[] = {"v100", "gtx680", "hd7970"};
    for (int m = 0; m < 6; m++) {
        struct warpmem_memory *memory = library_memory(names[m / 2], m % 2);
        struct wm_random random;
        uint64_t addresses[64], served = 0, refused = 0, value;
        uint32_t bytes[32];
        wm_random_init(&random, 31, names[m / 2]);
        for (int i = 0; i < ROUNDS; i++) {
            for (int lane = 0; lane < 64; lane++)
                addresses[lane] = wild(&random, 4096) * 4;
            for (int sector = 0; sector < 32; sector++)
                bytes[sector] = (uint32_t)wild(&random, UINT32_MAX);
            const struct warpmem_access line = {
                .address = wild(&random, 512) * 64,
                .sectors = (uint32_t)wild(&random, 16),
                .full_sectors = (uint32_t)wild(&random, 2),
                .bytes = i % 3 ? bytes : NULL,
                .kind = (enum wm_access_kind)wild(&random, 4),
                .space = (enum warpmem_space)wild(&random, 7),
                .hint = (enum wm_cache_hint)wild(&random, 7),
                .sm = (uint32_t)wild(&random, 8),
                .warp = (uint32_t)wild(&random, 64),
                .pc = (uint32_t)wild(&random, 64),
                .block = wild(&random, 100),
            };
            const struct warpmem_warp_access warp = {
                .kind = line.kind,
                .space = line.space,
                .hint = line.hint,
                .sm = line.sm,
                .warp = line.warp,
                .pc = line.pc,
                .block = line.block,
                .bytes_per_lane = (uint32_t)wild(&random, 5),
                .active = wild(&random, UINT32_MAX),
                .addresses = i % 7 ? addresses : NULL,
            };
            enum warpmem_status statuses[] = {
                warpmem_memory_access(memory, &line, NULL),
                warpmem_memory_warp_access(memory, &warp, NULL),
                warpmem_memory_stream(memory, line.sm, addresses, wild(&random, 64) % 65, NULL),
                i % 50 ? WARPMEM_OK
                       : warpmem_memory_host_write(memory, wild(&random, 8192), wild(&random, 512),
                                                   NULL),
                i % 50 ? WARPMEM_OK
                       : warpmem_memory_host_read(memory, wild(&random, 8192), wild(&random, 512),
                                                  NULL),
            };
            for (size_t s = 0; s < sizeof statuses / sizeof statuses[0]; s++) {
                served += statuses[s] == WARPMEM_OK;
                refused += statuses[s] == WARPMEM_INVALID || statuses[s] == WARPMEM_UNSUPPORTED;
            }
        }
        cr_expect_eq(served + refused, ROUNDS * 5);
        cr_expect_gt(served, ROUNDS);
        cr_expect_gt(refused, ROUNDS);
        cr_expect_eq(warpmem_memory_drain(memory, NULL), WARPMEM_OK);
        cr_expect_eq(warpmem_memory_value(memory, "l1", "accesses", &value, NULL), WARPMEM_OK);
        warpmem_memory_free(memory);
    }
}
