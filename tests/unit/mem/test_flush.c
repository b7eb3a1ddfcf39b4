// What survives when a cache is emptied, and what does not when it is built anew.
#include "base/numbers/random.h"
#include "mem/replacement/entries.h"
#include "mem/set_index/entries.h"
#include "mem/system/memory.h"
#include "mem/system/memory_state.h"
#include "policy_runs.h"
#include "small_memory.h"

#include <criterion/criterion.h>
#include <string.h>

// --- An entry that keeps a book ---

enum { SETS = 4, WAYS = 3, MOST_LINES = 64 };

struct book {
    uint64_t resets, inserted, gone[MOST_LINES];
};

static void reset(void *array, const struct wm_replacement_geometry *geometry)
{
    (void)geometry;
    struct book *book = array;
    cr_assert_eq(book->inserted, 0, "zeroed before");
    book->resets++;
}

static void hit(const struct wm_replacement_set *set, uint32_t way,
                const struct wm_replacement_event *event)
{
    (void)event;
    ++*(uint32_t *)set->set;
    ++((uint32_t *)set->lines)[way];
}

static void insert(const struct wm_replacement_set *set, uint32_t way,
                   const struct wm_replacement_event *event)
{
    hit(set, way, event);
    ((struct book *)set->array)->inserted++;
}

static void evict(const struct wm_replacement_set *set, uint32_t way,
                  const struct wm_replacement_event *event)
{
    cr_assert_neq(((uint32_t *)set->lines)[way], 0, "its state is still there");
    ((struct book *)set->array)->gone[event->line]++;
}

static int32_t victim(const struct wm_replacement_set *set,
                      const struct wm_replacement_event *event, const uint64_t *allowed)
{
    (void)set;
    (void)event;
    (void)allowed;
    return 0;
}

static const struct wm_replacement_ops book_keeper = {
    .name = "book-keeper",
    .title = "book-keeper",
    .source = "this test",
    .sentence = "keeps a book",
    .array_state_bytes = sizeof(struct book),
    .set_state_bytes = sizeof(uint32_t),
    .line_state_bytes = sizeof(uint32_t),
    .reset = reset,
    .hit = hit,
    .insert = insert,
    .evict = evict,
    .victim = victim,
};

static bool is_zero(const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (((const unsigned char *)bytes)[i] != 0)
            return false;
    return true;
}

Test(flush, tells_of_every_line_and_keeps_what_was_learned)
{
    struct wm_cache cache;
    policy_cache_init(&cache, &book_keeper, SETS, WAYS);
    const struct book *book = cache.array_state;
    for (int round = 0; round < 3; round++)
        for (uint64_t line = 0; line < 9; line++)
            policy_read(&cache, line);
    wm_cache_flush(&cache);
    cr_assert_eq(cache.counters.invalidations, 9);
    for (uint64_t line = 0; line < 9; line++)
        cr_assert_eq(book->gone[line], 1, "line %lu", line);
    cr_assert_eq(book->resets, 1, "when it was built");
    cr_assert_eq(book->inserted, 9);
    cr_assert(is_zero(cache.set_states, SETS * sizeof(uint32_t)));
    cr_assert(is_zero(cache.line_states, (size_t)SETS * WAYS * sizeof(uint32_t)));
    wm_cache_flush(&cache);
    cr_assert_eq(book->gone[0], 1, "there was nothing left");
    cr_assert_not(policy_read(&cache, 0));
    wm_cache_reset(&cache);
    cr_assert_eq(book->inserted, 0, "a reset keeps nothing");
    cr_assert_eq(book->resets, 1, "counted anew");
    wm_cache_release(&cache);
}

// --- The entries that learn ---

// Lines that are used twice and never again teach a duel the policy that does not resist thrashing.
// A cycle that does not fit would be served better by the other: an entry that forgets at the flush
// hits more of it than one that does not.
static void check_duel(const struct wm_replacement_ops *ops)
{
    struct wm_cache cache;
    policy_cache_init(&cache, ops, 64, 4);
    uint64_t fresh = policy_cycle(&cache, 0, 6, 3);
    wm_cache_reset(&cache);
    policy_use_twice(&cache, 400, 1);
    wm_cache_flush(&cache);
    uint64_t learned = policy_cycle(&cache, 0, 6, 3);
    cr_assert_lt(learned * 5, fresh * 4, "%s: %lu hits after a flush, %lu at first", ops->name,
                 learned, fresh);
    wm_cache_reset(&cache);
    cr_assert_eq(policy_cycle(&cache, 0, 6, 3), fresh, "%s", ops->name);
    wm_cache_release(&cache);
}

Test(flush, leaves_duels_decided)
{
    check_duel(&wm_replacement_dip);
    check_duel(&wm_replacement_drrip);
}

// A working set that just fits, and a stream by another instruction in between: ship has learned
// that the stream's lines are never used again.
static uint64_t hits_beside_stream(struct wm_cache *cache, uint64_t *stream, uint64_t rounds)
{
    uint64_t hits = 0;
    for (uint64_t round = 0; round < rounds; round++) {
        for (uint64_t line = 0; line < 4; line++)
            hits += policy_refer(cache, &(struct policy_reference){.line = line, .pc = 1});
        for (int i = 0; i < 6; i++)
            policy_refer(cache, &(struct policy_reference){.line = ++*stream, .pc = 2});
    }
    return hits;
}

Test(flush, leaves_predictions_made)
{
    struct wm_cache cache;
    policy_cache_init(&cache, &wm_replacement_ship, 1, 5);
    uint64_t stream = 1000, fresh = hits_beside_stream(&cache, &stream, 3);
    hits_beside_stream(&cache, &stream, 50);
    wm_cache_flush(&cache);
    uint64_t learned = hits_beside_stream(&cache, &stream, 3);
    cr_assert_gt(learned, fresh, "%lu hits after a flush, %lu at first", learned, fresh);
    wm_cache_release(&cache);
}

// Chance continues: after a flush other ways are drawn than at the beginning.
Test(flush, does_not_repeat_chance)
{
    struct wm_cache cache;
    policy_cache_init(&cache, &wm_replacement_random, 1, 16);
    struct wm_random random;
    wm_random_init(&random, 1, "flush");
    uint64_t lines[2000], differ = 0;
    bool first[2000];
    for (size_t i = 0; i < 2000; i++) {
        lines[i] = wm_random_below(&random, 32);
        first[i] = policy_read(&cache, lines[i]);
    }
    wm_cache_flush(&cache);
    for (size_t i = 0; i < 2000; i++)
        differ += policy_read(&cache, lines[i]) != first[i];
    cr_assert_gt(differ, 100);
    wm_cache_release(&cache);
}

// --- An L1 of another size ---

struct bypass_book {
    uint32_t sets, ways, asked;
    uint64_t parameter;
};

static void bypass_reset(void *state, const struct wm_bypass_geometry *geometry)
{
    struct bypass_book *book = state;
    cr_assert_eq(book->asked, 0, "zeroed before");
    *book = (struct bypass_book){
        .sets = geometry->sets, .ways = geometry->ways, .parameter = geometry->parameters[0]};
}

static enum wm_bypass_decision decide(void *state, const struct wm_bypass_event *event)
{
    (void)event;
    ((struct bypass_book *)state)->asked++;
    return WM_BYPASS_NO;
}

static const struct wm_parameter bypass_parameters[] = {{"much", "how much", 0, 9, 4}};
static const struct wm_bypass_ops bypass_book = {
    .name = "book",
    .title = "book",
    .source = "this test",
    .sentence = "keeps a book",
    .parameters = bypass_parameters,
    .parameter_count = 1,
    .state_bytes = sizeof(struct bypass_book),
    .decide = decide,
    .reset = bypass_reset,
};

static struct wm_memory *new_memory(void)
{
    struct wm_memory_spec spec = {
        .sm_count = 2,
        .levels[WM_LEVEL_L1].cache = {.present = true,
                                      .size_bytes = 4096,
                                      .ways = 4,
                                      .line_bytes = 128,
                                      .sector_bytes = 32,
                                      .write_policy = WM_WRITE_THROUGH_UPDATE,
                                      .replacement = &book_keeper,
                                      .set_index = &wm_set_index_modulo},
        .dram = {.channels = 1, .channel_interleave_bytes = 256, .access_bytes = 32},
        .levels[WM_LEVEL_L1].bypass = &bypass_book,
        .levels[WM_LEVEL_L1].bypass_values = {.values = {7}, .given = 1},
        .levels[WM_LEVEL_L1].flush_at_kernel = true,
    };
    return small_memory_new(&spec);
}

static void load(struct wm_memory *memory, uint32_t sm)
{
    struct wm_request request = {.sectors = 1, .kind = WM_ACCESS_LOAD, .sm = sm};
    wm_memory_access(memory, &request);
}

static const struct bypass_book *bypass_of(const struct wm_memory *memory, uint32_t sm)
{
    return wm_memory_bypass_state(memory, &memory->levels[WM_LEVEL_L1].caches[sm]);
}

Test(flush, at_a_kernel_keeps_and_another_size_starts_anew)
{
    struct wm_memory *memory = new_memory();
    for (int i = 0; i < 5; i++)
        load(memory, 1);
    wm_memory_kernel_begin(memory);
    load(memory, 1);
    cr_assert_eq(((const struct book *)memory->levels[WM_LEVEL_L1].caches[1].array_state)->inserted,
                 2);
    cr_assert_eq(bypass_of(memory, 1)->asked, 6, "a kernel is no reason to forget");
    cr_assert_eq(bypass_of(memory, 1)->ways, 4);
    struct wm_error error;
    cr_assert_eq(wm_memory_resize_l1(memory, 6144, 6, &error), WM_OK);
    cr_assert_eq(((const struct book *)memory->levels[WM_LEVEL_L1].caches[1].array_state)->inserted,
                 0);
    for (uint32_t sm = 0; sm < 2; sm++) {
        cr_assert_eq(bypass_of(memory, sm)->asked, 0);
        cr_assert_eq(bypass_of(memory, sm)->ways, 6);
        cr_assert_eq(bypass_of(memory, sm)->sets, 8);
        cr_assert_eq(bypass_of(memory, sm)->parameter, 7);
    }
    load(memory, 1);
    cr_assert_eq(bypass_of(memory, 1)->asked, 1);
    cr_assert_eq(wm_memory_resize_l1(memory, 6144, 6, &error), WM_OK, "what it is");
    cr_assert_eq(bypass_of(memory, 1)->asked, 1);
    wm_memory_free(memory);
}
