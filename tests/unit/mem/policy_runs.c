#include "policy_runs.h"
#include "small_memory.h"

#include <criterion/criterion.h>

struct wm_cache_spec policy_spec(const struct wm_replacement_ops *ops, uint32_t sets, uint32_t ways)
{
    struct wm_cache_spec spec = small_cache(sets, ways, 64, 64);
    spec.replacement = ops;
    return spec;
}

void policy_cache_init(struct wm_cache *cache, const struct wm_replacement_ops *ops, uint32_t sets,
                       uint32_t ways)
{
    struct wm_cache_spec spec = policy_spec(ops, sets, ways);
    struct wm_error error;
    cr_assert_eq(wm_cache_init(cache, &spec, POLICY_COMPONENT, &error), WM_OK);
}

bool policy_refer(struct wm_cache *cache, const struct policy_reference *reference)
{
    struct wm_requester requester = {.sm = reference->sm, .pc = reference->pc};
    uint64_t line = reference->line;
    struct wm_cache_result result =
        reference->write_back
            ? wm_cache_write(cache, WM_CACHE_WRITEBACK, line, line, 3, 3, true, &requester)
            : wm_cache_read(cache, line, line, 3, true, &requester);
    return result.missing == 0;
}

bool policy_read(struct wm_cache *cache, uint64_t line)
{
    struct policy_reference reference = {.line = line};
    return policy_refer(cache, &reference);
}

uint64_t policy_cycle(struct wm_cache *cache, uint64_t first, uint64_t lines, uint64_t rounds)
{
    uint64_t hits = 0;
    for (uint64_t round = 0; round < rounds; round++)
        for (uint64_t line = first; line < first + lines; line++)
            for (uint64_t set = 0; set < cache->sets; set++)
                hits += policy_read(cache, line * cache->sets + set);
    return hits;
}

uint64_t policy_use_twice(struct wm_cache *cache, uint64_t lines, uint64_t distance)
{
    uint64_t hits = 0;
    for (uint64_t line = 0; line < lines; line++)
        for (uint64_t set = 0; set < cache->sets; set++) {
            hits += policy_read(cache, line * cache->sets + set);
            if (line >= distance)
                hits += policy_read(cache, (line - distance) * cache->sets + set);
        }
    return hits;
}

static uint64_t twice_hits(const struct wm_replacement_ops *ops)
{
    struct wm_cache cache;
    policy_cache_init(&cache, ops, POLICY_DUEL_SETS, POLICY_DUEL_WAYS);
    uint64_t hits = policy_use_twice(&cache, 600, 3);
    wm_cache_release(&cache);
    return hits;
}

uint64_t policy_thrash_hits(const struct wm_replacement_ops *ops)
{
    struct wm_cache cache;
    policy_cache_init(&cache, ops, POLICY_DUEL_SETS, POLICY_DUEL_WAYS);
    uint64_t hits = policy_cycle(&cache, 0, POLICY_DUEL_WAYS + 4, POLICY_DUEL_ROUNDS);
    wm_cache_release(&cache);
    return hits;
}

bool policy_follows_the_better(const struct wm_replacement_ops *ops,
                               const struct wm_replacement_ops *of_reuse,
                               const struct wm_replacement_ops *of_thrashing)
{
    double twice = (double)twice_hits(of_reuse), thrash = (double)policy_thrash_hits(of_thrashing);
    return (double)twice_hits(ops) > 0.85 * twice &&
           (double)policy_thrash_hits(ops) > 0.85 * thrash;
}
