// L1s side by side (mem/lru_lanes/) in each vector width of this processor, against a list of lines
// by use for each set of each lane: random loads by some lanes, lines dropped, a lane copied.
#include "../../rounds.h"
#include "base/numbers/random.h"
#include "mem/cache/cache.h"
#include "mem/lru_lanes/lru_lanes.h"
#include "mem/replacement/entries.h"
#include "mem/system/memory_state.h"
#include "small_memory.h"

#include <criterion/criterion.h>
#include <string.h>

enum { CACHES = 2, SETS = 4, WAYS = 3, LANES = 12, BLOCKS = 2, LINE = 128 };

// Lines by use, the last one first; a count of those that are there.
struct list {
    uint64_t lines[WAYS];
    uint32_t count;
};

struct drawn {
    struct wm_random random;
    struct wm_lru_lanes lanes;
    struct wm_lane_share shares[BLOCKS];
    struct list lists[LANES][CACHES * SETS];
    uint64_t hits[LANES], fetched[LANES];
};

static struct list *list_of(struct drawn *drawn, uint32_t lane, uint32_t sm, uint64_t line)
{
    return &drawn->lists[lane][sm * SETS + line % SETS];
}

static bool take_out(struct list *list, uint64_t line)
{
    uint32_t i = 0;
    while (i < list->count && list->lines[i] != line)
        i++;
    if (i == list->count)
        return false;
    list->count--;
    memmove(&list->lines[i], &list->lines[i + 1], (list->count - i) * sizeof line);
    return true;
}

static void put_first(struct list *list, uint64_t line)
{
    list->count -= list->count == WAYS;
    memmove(&list->lines[1], &list->lines[0], list->count * sizeof line);
    list->lines[0] = line;
    list->count++;
}

static void expect_load(struct drawn *drawn, uint32_t lane, uint32_t sm,
                        const struct wm_line_request *request, bool allocate)
{
    uint64_t line = request->line_address / LINE;
    uint32_t sectors = (uint32_t)__builtin_popcount(request->sectors);
    struct list *list = list_of(drawn, lane, sm, line);
    bool hit = take_out(list, line);
    drawn->hits[lane] += hit ? sectors : 0;
    drawn->fetched[lane] += hit ? 0 : allocate ? LINE : sectors * WM_SECTOR_BYTES;
    if (hit || allocate)
        put_first(list, line);
}

static uint32_t draw_lines(struct drawn *drawn, struct wm_line_request *lines)
{
    uint32_t count = 1 + (uint32_t)wm_random_below(&drawn->random, 3);
    uint64_t line = wm_random_below(&drawn->random, 30);
    for (uint32_t i = 0; i < count; i++, line += 1 + wm_random_below(&drawn->random, 5))
        lines[i] =
            (struct wm_line_request){.line_address = line * LINE,
                                     .sectors = 1 + (uint32_t)wm_random_below(&drawn->random, 15)};
    return count;
}

static void load(struct drawn *drawn, uint32_t sm)
{
    struct wm_line_request lines[3];
    uint32_t count = draw_lines(drawn, lines);
    bool allocate = wm_random_below(&drawn->random, 8) != 0;
    for (uint32_t block = 0; block < BLOCKS; block++)
        drawn->shares[block].lanes =
            (uint8_t)wm_random_below(&drawn->random, block == 0 ? 256 : 1 << (LANES - 8));
    wm_lru_lanes_load(&drawn->lanes, sm, lines, count, allocate, drawn->shares, BLOCKS);
    for (uint32_t lane = 0; lane < LANES; lane++)
        for (uint32_t i = 0; i < count; i++)
            if ((drawn->shares[lane / WM_LRU_LANES].lanes >> lane % WM_LRU_LANES & 1) != 0)
                expect_load(drawn, lane, sm, &lines[i], allocate);
}

static void drop(struct drawn *drawn, uint32_t sm)
{
    struct wm_line_request lines[3];
    uint32_t count = draw_lines(drawn, lines);
    wm_lru_lanes_drop(&drawn->lanes, sm, lines, count);
    for (uint32_t lane = 0; lane < LANES; lane++)
        for (uint32_t i = 0; i < count; i++) {
            uint64_t line = lines[i].line_address / LINE;
            take_out(list_of(drawn, lane, sm, line), line);
        }
}

static void copy(struct drawn *drawn)
{
    uint32_t from = (uint32_t)wm_random_below(&drawn->random, LANES),
             to = (uint32_t)wm_random_below(&drawn->random, LANES);
    wm_lru_lanes_copy(&drawn->lanes, from, to);
    memcpy(drawn->lists[to], drawn->lists[from], sizeof drawn->lists[to]);
}

static struct wm_memory_spec plain_spec(void)
{
    struct wm_cache_spec l1 = small_cache(SETS, WAYS, LINE, LINE);
    l1.write_policy = WM_WRITE_THROUGH_EVICT;
    l1.write_allocate = false;
    return small_memory(CACHES, l1, small_cache(64, 4, LINE, 32), 1);
}

static void run(const struct wm_memory_paths *paths)
{
    static struct drawn drawn;
    const struct wm_memory_spec spec = plain_spec();
    drawn = (struct drawn){.shares = {{.block = 0}, {.block = 1}}};
    wm_random_init(&drawn.random, 1, "lru lanes");
    cr_assert_eq(wm_lru_lanes_init(&drawn.lanes, &spec, NULL), WM_OK);
    drawn.lanes.paths = paths;
    cr_assert_eq(wm_lru_lanes_make(&drawn.lanes, LANES, NULL), WM_OK);
    for (uint32_t step = 0; step < TEST_ROUNDS(20000); step++) {
        uint32_t what = (uint32_t)wm_random_below(&drawn.random, 100);
        uint32_t sm = (uint32_t)wm_random_below(&drawn.random, CACHES);
        if (what < 85)
            load(&drawn, sm);
        else if (what < 98)
            drop(&drawn, sm);
        else
            copy(&drawn);
    }
    for (uint32_t lane = 0; lane < LANES; lane++) {
        const struct wm_lane_share *share = &drawn.shares[lane / WM_LRU_LANES];
        cr_expect_gt(drawn.hits[lane], 0);
        cr_expect_eq(share->hits[lane % WM_LRU_LANES], drawn.hits[lane], "lane %u", lane);
        cr_expect_eq(share->fetched[lane % WM_LRU_LANES], drawn.fetched[lane], "lane %u", lane);
    }
    wm_lru_lanes_release(&drawn.lanes);
}

Test(lru_lanes, each_lane_is_a_cache_of_its_own)
{
    size_t count;
    const struct wm_memory_paths *const *paths = wm_memory_paths_available(&count);
    for (size_t i = 0; i < count; i++)
        run(paths[i]);
}

// Lanes that are made anew are empty, with other ways too.
Test(lru_lanes, a_restart_empties_all)
{
    const struct wm_memory_spec spec = plain_spec();
    struct wm_lru_lanes lanes;
    const struct wm_line_request line = {.line_address = 5 * LINE, .sectors = 1};
    cr_assert_eq(wm_lru_lanes_init(&lanes, &spec, NULL), WM_OK);
    for (uint32_t ways = WAYS; ways < WAYS + 3; ways += 2) {
        for (uint32_t again = 0; again < 2; again++) {
            struct wm_lane_share share = {.lanes = 1};
            wm_lru_lanes_restart(&lanes, ways);
            cr_assert_eq(wm_lru_lanes_make(&lanes, 1, NULL), WM_OK);
            wm_lru_lanes_load(&lanes, 1, &line, 1, true, &share, 1);
            cr_expect(share.hits[0] == 0 && share.fetched[0] == LINE);
            wm_lru_lanes_load(&lanes, 1, &line, 1, true, &share, 1);
            cr_expect(share.hits[0] == 1 && share.fetched[0] == LINE);
        }
    }
    wm_lru_lanes_release(&lanes);
}

// Anything by which an L1 keeps other lines than LRU does, or finds them otherwise.
Test(lru_lanes, only_the_plain_kind_is_one)
{
    const struct wm_memory_spec plain = plain_spec();
    cr_expect(wm_lru_lanes_can_be(&plain));
#define EXPECT_NOT(field, other)                           \
    do {                                                   \
        struct wm_memory_spec spec = plain;                \
        spec.field = other;                                \
        cr_expect_not(wm_lru_lanes_can_be(&spec), #field); \
    } while (0)
    EXPECT_NOT(levels[WM_LEVEL_L1].cache.present, false);
    EXPECT_NOT(levels[WM_LEVEL_L1].cache.replacement, &wm_replacement_fifo);
    EXPECT_NOT(levels[WM_LEVEL_L1].cache.sector_bytes, 32);
    EXPECT_NOT(levels[WM_LEVEL_L1].cache.write_policy, WM_WRITE_BACK);
    EXPECT_NOT(levels[WM_LEVEL_L1].cache.write_policy, WM_WRITE_THROUGH_UPDATE);
    EXPECT_NOT(levels[WM_LEVEL_L1].cache.write_allocate, true);
    EXPECT_NOT(levels[WM_LEVEL_L1].cache.ways, WM_CACHE_VECTOR_WAYS + 1); // an index of lines
    EXPECT_NOT(levels[WM_LEVEL_L1].allocation, WM_ALLOCATE_STREAMING);
    EXPECT_NOT(levels[WM_LEVEL_L1].victim_lines, 8);
    EXPECT_NOT(levels[WM_LEVEL_L1].divergence.insertion, WM_INSERT_FRONT + 1);
    EXPECT_NOT(levels[WM_LEVEL_L1].divergence.promotion, 1);
    EXPECT_NOT(levels[WM_LEVEL_L1].divergence.region, WM_REGION_DYNAMIC);
    EXPECT_NOT(levels[WM_LEVEL_L1].divergence.full, WM_FULL_ANY + 1);
#undef EXPECT_NOT
}
