// The shadows against obvious ones: flags in arrays, a clock, and a search for the oldest.
#include "base/numbers/random.h"
#include "mem/explain/cache_shadow.h"

#include <criterion/criterion.h>

enum { LINES = 40, SECTORS = 4, CAPACITY = 7 };

struct obvious_line {
    bool fetched[SECTORS], asked[SECTORS][32];
    bool given[SECTORS], endless[SECTORS], associative[SECTORS], listed;
    bool held[SECTORS], evicted[SECTORS];
    struct wm_shadow_requester evictor[SECTORS];
    uint64_t used;
};

static struct obvious_line model[LINES];
static uint64_t now;

static uint64_t fetched_bytes, unused_sector_bytes, unused_bytes;

static void obvious_settle(struct obvious_line *line, uint32_t sectors)
{
    for (int s = 0; s < SECTORS; s++) {
        if ((sectors >> s & 1) == 0 || !line->fetched[s])
            continue;
        uint64_t unused = 0;
        for (int byte = 0; byte < 32; byte++)
            unused += !line->asked[s][byte];
        unused_bytes += unused;
        unused_sector_bytes += unused == 32 ? 32 : 0;
        line->fetched[s] = false;
    }
}

static void obvious_use(struct obvious_line *line, const struct wm_shadow_access *access)
{
    for (int s = 0; s < SECTORS; s++) {
        uint32_t bytes = access->bytes != NULL ? access->bytes[s] : UINT32_MAX;
        if ((access->fetched >> s & 1) != 0) {
            fetched_bytes += 32;
            if (!access->allocate)
                for (int byte = 0; byte < 32; byte++)
                    unused_bytes += (bytes >> byte & 1) == 0;
            else
                obvious_settle(line, UINT32_C(1) << s);
            line->fetched[s] = line->fetched[s] || access->allocate;
            if (access->allocate)
                memset(line->asked[s], 0, sizeof line->asked[s]);
        }
        if ((access->sectors >> s & 1) != 0 && line->fetched[s])
            for (int byte = 0; byte < 32; byte++)
                line->asked[s][byte] = line->asked[s][byte] || (bytes >> byte & 1) != 0;
    }
}

static void obvious_make_room(void)
{
    int held = 0, oldest = -1;
    for (int i = 0; i < LINES; i++)
        if (model[i].listed) {
            held++;
            if (oldest < 0 || model[i].used < model[oldest].used)
                oldest = i;
        }
    if (held == CAPACITY)
        model[oldest].listed = false;
}

static void obvious_drop(struct obvious_line *line, uint32_t sectors)
{
    bool any = false;
    obvious_settle(line, sectors);
    for (int s = 0; s < SECTORS; s++) {
        if ((sectors >> s & 1) != 0)
            line->endless[s] = line->associative[s] = line->held[s] = false;
        any = any || line->associative[s];
    }
    line->listed = line->listed && any;
}

static void obvious_evict(struct obvious_line *line, struct wm_shadow_requester by)
{
    obvious_settle(line, 15);
    for (int s = 0; s < SECTORS; s++) {
        if (line->held[s])
            line->evictor[s] = by;
        line->evicted[s] = line->evicted[s] || line->held[s];
        line->held[s] = false;
    }
}

// The access's kind, in the order of the counters; 6: it found all.
static int obvious_kind(const struct obvious_line *line, const struct wm_shadow_access *access)
{
    enum { COLD, SAME, OTHER, REFUSED, DROPPED, UNALLOCATED, KINDS };
    static const int order[KINDS] = {OTHER, SAME, REFUSED, DROPPED, COLD, UNALLOCATED};
    bool is[KINDS] = {false};
    for (int s = 0; s < SECTORS; s++) {
        if ((access->missing >> s & 1) == 0)
            continue;
        if (!line->endless[s])
            is[!access->allocate ? UNALLOCATED : line->given[s] ? DROPPED : COLD] = true;
        else if (!line->evicted[s])
            is[REFUSED] = true;
        else if (line->evictor[s].block == access->requester.block &&
                 line->evictor[s].warp == access->requester.warp)
            is[SAME] = true;
        else
            is[OTHER] = true;
    }
    for (int i = 0; i < KINDS; i++)
        if (is[order[i]])
            return order[i];
    return KINDS;
}

static struct wm_miss_classes obvious_access(const struct wm_shadow_access *access)
{
    struct wm_miss_classes classes = {0};
    struct obvious_line *line = &model[access->line];
    now++;
    for (int s = 0; s < SECTORS; s++) {
        if ((access->missing >> s & 1) == 0)
            continue;
        if (line->endless[s] && line->listed && line->associative[s])
            classes.conflict++;
        else if (line->endless[s])
            classes.capacity++;
        else if (!access->allocate)
            classes.unallocated++;
        else if (line->given[s])
            classes.coherence++;
        else
            classes.cold++;
    }
    obvious_use(line, access);
    if (access->drops) {
        obvious_drop(line, 15);
        return classes;
    }
    if (access->allocate && !line->listed) {
        obvious_make_room();
        for (int s = 0; s < SECTORS; s++)
            line->associative[s] = false;
        line->listed = true;
    }
    line->used = now;
    for (int s = 0; s < SECTORS; s++)
        if (access->allocate && (access->units >> s & 1) != 0)
            line->held[s] = line->given[s] = line->endless[s] = line->associative[s] = true;
    return classes;
}

Test(cache_shadow, random_accesses_match_the_obvious_shadows)
{
    struct wm_cache_shadow shadow;
    struct wm_random random;
    wm_cache_shadow_init(&shadow, CAPACITY, SECTORS);
    wm_random_init(&random, 3, "shadow");
    uint64_t seen[5] = {0}, kinds[7] = {0};
    static struct wm_explained_cache charged[2];
    for (int i = 0; i < 200000; i++) {
        uint64_t what = wm_random_below(&random, 2000);
        uint64_t line = wm_random_below(&random, 1 + wm_random_below(&random, LINES));
        if (what == 0) {
            wm_cache_shadow_clear(&shadow);
            for (int other = 0; other < LINES; other++)
                obvious_settle(&model[other], 15);
            memset(model, 0, sizeof model);
        } else if (what == 1) {
            wm_cache_shadow_count_unused(&shadow);
            for (int other = 0; other < LINES; other++)
                obvious_settle(&model[other], 15);
        } else if (what < 20) {
            struct wm_shadow_requester by = {.block = what % 2, .warp = what / 2 % 2};
            wm_cache_shadow_evicted(&shadow, line, &by);
            obvious_evict(&model[line], by);
        } else if (what < 50) {
            uint32_t sectors = (uint32_t)wm_random_below(&random, 16);
            wm_cache_shadow_drop(&shadow, line, sectors);
            obvious_drop(&model[line], sectors);
        } else {
            uint32_t sectors = 1 + (uint32_t)wm_random_below(&random, 15);
            uint32_t bytes[SECTORS];
            for (int s = 0; s < SECTORS; s++)
                bytes[s] = UINT32_C(15) << wm_random_below(&random, 29);
            struct wm_shadow_access access = {
                .line = line,
                .sectors = sectors,
                .missing = sectors & (uint32_t)wm_random_u64(&random),
                .units = what % 2 == 0 ? sectors : 15,
                .allocate = what % 7 != 0,
                .drops = what % 61 == 0,
                .counted = true,
                .requester = {.block = what / 2 % 2, .warp = what / 4 % 2},
                .bytes = what % 3 == 0 ? NULL : bytes,
                .charge = (uint64_t *)&charged[what % 2],
            };
            access.fetched =
                (access.missing | (access.units & ~sectors)) & (uint32_t)wm_random_u64(&random);
            kinds[obvious_kind(&model[line], &access)]++;
            struct wm_miss_classes expected = obvious_access(&access);
            struct wm_miss_classes got = wm_cache_shadow_access(&shadow, &access);
            cr_assert_leq(got.same_warp + got.same_block + got.other_block,
                          got.capacity + got.conflict);
            got.same_warp = got.same_block = got.other_block = 0;
            cr_assert_eq(memcmp(&got, &expected, sizeof got), 0, "access %d", i);
            seen[0] += got.cold, seen[1] += got.coherence, seen[2] += got.capacity;
            seen[3] += got.conflict, seen[4] += got.unallocated;
        }
    }
    for (int i = 0; i < 5; i++)
        cr_expect_gt(seen[i], 1000, "class %d is hardly tested", i);
    for (int i = 0; i < 6; i++) {
        cr_expect_gt(kinds[i], 300, "kind %d is hardly tested", i);
        cr_expect_eq((&shadow.counters.accesses_cold)[i], kinds[i], "kind %d", i);
    }
    cr_expect_eq(shadow.counters.cold, seen[0]);
    cr_expect_eq(shadow.counters.coherence, seen[1]);
    cr_expect_eq(shadow.counters.capacity, seen[2]);
    cr_expect_eq(shadow.counters.conflict, seen[3]);
    cr_expect_eq(shadow.counters.unallocated, seen[4]);
    cr_expect_eq(shadow.counters.fetched_bytes, fetched_bytes);
    cr_expect_eq(shadow.counters.unused_sector_bytes, unused_sector_bytes);
    cr_expect_eq(shadow.counters.unused_bytes, unused_bytes);
    cr_expect_gt(unused_sector_bytes, 10000);
    cr_expect_gt(unused_bytes, 2 * unused_sector_bytes);
    // What is charged to instructions adds up to what the cache counts, counter by counter. (What
    // was given to the cache without a request, which random masks do, counts again for no
    // instruction.)
    cr_expect_leq(charged[0].again + charged[1].again, shadow.counters.again);
    charged[0].again = shadow.counters.again - charged[1].again;
    for (size_t i = 0; i < sizeof shadow.counters / sizeof(uint64_t); i++)
        cr_expect_eq(((uint64_t *)&charged[0])[i] + ((uint64_t *)&charged[1])[i],
                     ((uint64_t *)&shadow.counters)[i], "counter %zu", i);
    wm_cache_shadow_release(&shadow);
}

Test(cache_shadow, the_last_evictor_is_blamed)
{
    struct wm_cache_shadow shadow;
    wm_cache_shadow_init(&shadow, 1, SECTORS);
    struct wm_shadow_access access = {.line = 5,
                                      .sectors = 1,
                                      .missing = 1,
                                      .units = 1,
                                      .allocate = true,
                                      .counted = true,
                                      .requester = {.block = 8, .warp = 2}};
    wm_cache_shadow_access(&shadow, &access);
    const struct wm_shadow_requester evictors[] = {{8, 2}, {8, 3}, {9, 2}};
    for (int i = 0; i < 3; i++) {
        wm_cache_shadow_evicted(&shadow, 5, &evictors[i]);
        struct wm_miss_classes classes = wm_cache_shadow_access(&shadow, &access);
        cr_expect_eq(classes.conflict, 1);
        cr_expect_eq(classes.same_warp, i == 0);
        cr_expect_eq(classes.same_block, i == 1);
        cr_expect_eq(classes.other_block, i == 2);
    }
    wm_cache_shadow_release(&shadow);
}

// Sector 0 is displaced by block 8; then the line comes back with sector 1 alone, which block 9
// displaces: each sector remembers its own.
Test(cache_shadow, the_evictor_is_each_sectors_own)
{
    struct wm_cache_shadow shadow;
    wm_cache_shadow_init(&shadow, 1, SECTORS);
    struct wm_shadow_access access = {
        .line = 5, .allocate = true, .counted = true, .requester = {.block = 8, .warp = 2}};
    for (uint32_t s = 0; s < 2; s++) {
        access.sectors = access.missing = access.units = UINT32_C(1) << s;
        wm_cache_shadow_access(&shadow, &access);
        wm_cache_shadow_evicted(&shadow, 5,
                                &(struct wm_shadow_requester){.block = 8 + s, .warp = 2});
    }
    access.sectors = access.missing = access.units = 3;
    struct wm_miss_classes classes = wm_cache_shadow_access(&shadow, &access);
    cr_expect_eq(classes.same_warp, 1);
    cr_expect_eq(classes.other_block, 1);
    wm_cache_shadow_release(&shadow);
}

// One load brings a sector, another uses 8 bytes of it: the rest is charged to the first.
Test(cache_shadow, unused_bytes_are_charged_to_who_had_them_fetched)
{
    struct wm_cache_shadow shadow;
    struct wm_explained_cache first = {0}, second = {0};
    wm_cache_shadow_init(&shadow, 1, SECTORS);
    struct wm_shadow_access access = {.line = 5,
                                      .sectors = 1,
                                      .missing = 1,
                                      .units = 3,
                                      .fetched = 3,
                                      .allocate = true,
                                      .counted = true,
                                      .bytes = (uint32_t[SECTORS]){0xF},
                                      .charge = (uint64_t *)&first};
    wm_cache_shadow_access(&shadow, &access);
    access.missing = access.fetched = 0;
    access.bytes = (uint32_t[SECTORS]){0xFF0};
    access.charge = (uint64_t *)&second;
    wm_cache_shadow_access(&shadow, &access);
    cr_expect_eq(first.unused_bytes, 0, "it may still be used");
    wm_cache_shadow_evicted(&shadow, 5, &(struct wm_shadow_requester){0});
    cr_expect_eq(first.fetched_bytes, 64);
    cr_expect_eq(first.unused_sector_bytes, 32);
    cr_expect_eq(first.unused_bytes, 32 + 20);
    cr_expect_eq(second.fetched_bytes + second.unused_bytes, 0);
    wm_cache_shadow_count_unused(&shadow);
    cr_expect_eq(shadow.counters.unused_bytes, 52, "counted once");
    wm_cache_shadow_release(&shadow);
}
