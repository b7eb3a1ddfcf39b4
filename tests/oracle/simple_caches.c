#include "simple_caches.h"

#include <stdlib.h>

static void init(struct simple_cache *cache, uint64_t line_bytes, uint64_t sets, uint64_t ways)
{
    *cache = (struct simple_cache){.sets = sets, .ways = ways, .line_bytes = line_bytes};
    cache->lines = calloc(sets * ways, sizeof *cache->lines);
}

void simple_caches_init(struct simple_caches *caches, uint64_t line_bytes, uint64_t l1_sets,
                        uint64_t l1_ways, uint64_t l2_sets, uint64_t l2_ways, bool demand_first)
{
    *caches = (struct simple_caches){.demand_first = demand_first};
    init(&caches->l1, line_bytes, l1_sets, l1_ways);
    init(&caches->l2, line_bytes, l2_sets, l2_ways);
}

void simple_caches_release(struct simple_caches *caches)
{
    free(caches->l1.lines);
    free(caches->l2.lines);
    free(caches->instruction.lines);
}

// Looks for the line and takes it in when it is not there; true when it was. `*victim`: a dirty
// line that had to go, its number plus 1; else 0.
static bool touch(struct simple_cache *cache, uint64_t number, bool store, uint64_t *victim)
{
    struct simple_line *set = &cache->lines[number % cache->sets * cache->ways], *oldest = set;
    *victim = 0;
    cache->accesses++;
    cache->clock++;
    for (uint64_t way = 0; way < cache->ways; way++) {
        if (set[way].number == number + 1) {
            set[way].used_at = cache->clock;
            set[way].dirty |= store;
            return true;
        }
        if (set[way].used_at < oldest->used_at)
            oldest = &set[way];
    }
    cache->misses++;
    if (oldest->dirty) {
        cache->write_backs++;
        *victim = oldest->number;
    }
    *oldest = (struct simple_line){.number = number + 1, .used_at = cache->clock, .dirty = store};
    return false;
}

static void fetch(struct simple_caches *caches, uint64_t number)
{
    uint64_t victim;
    caches->l2_demand_misses += !touch(&caches->l2, number, false, &victim);
}

static void write_back(struct simple_caches *caches, uint64_t victim)
{
    uint64_t below;
    if (victim != 0)
        caches->l2_arrival_misses += !touch(&caches->l2, victim - 1, true, &below);
}

void simple_caches_access(struct simple_caches *caches, uint64_t address, bool store)
{
    uint64_t number = address / caches->l1.line_bytes, victim;
    caches->stores += store;
    if (touch(&caches->l1, number, store, &victim))
        return;
    caches->store_misses += store;
    if (!caches->demand_first)
        write_back(caches, victim);
    fetch(caches, number);
    if (caches->demand_first)
        write_back(caches, victim);
}

void simple_caches_add_instruction(struct simple_caches *caches, uint64_t sets, uint64_t ways)
{
    init(&caches->instruction, caches->l1.line_bytes, sets, ways);
}

void simple_caches_fetch(struct simple_caches *caches, uint64_t address)
{
    uint64_t number = address / caches->l1.line_bytes, victim;
    if (!touch(&caches->instruction, number, false, &victim))
        fetch(caches, number);
}
