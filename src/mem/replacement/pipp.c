// Promotion/insertion pseudo-partitioning: Y. Xie and G. H. Loh, "PIPP: promotion/insertion
// pseudo-partitioning of multi-core shared caches", ISCA 2009. Each core i has a target of pi_i
// ways. Its incoming lines enter at priority position pi_i counted from the LRU end; a hit promotes
// a line by a single position, and only with probability p_prom = 3/4; the victim is the line in
// the LRU position, whoever owns it. Cores with large targets insert high, and the priorities share
// the ways out without walls. Targets come from utility monitors and the lookahead algorithm of
// M. K. Qureshi and Y. N. Patt, "Utility-based cache partitioning", MICRO 2006, as in the paper:
// sampled sets keep each core's own LRU stack of tags and count hits by stack position.
//
// Ours: the cores are the SMs, SM n being party n mod 8, so this is an entry for caches that SMs
// share; with one SM it inserts in front and promotes singly. Targets are set anew every 32768
// accesses to the array, not by cycles, and counts are halved then; before the first time everybody
// inserts in front. A party without an access since then gets 1. Above 32 ways the monitors see one
// line in ways / 32, and targets come in such steps. The detection of streaming cores, the paper's
// extension of the above, is not done: such a core has no utility and gets 1 anyway.
#include "base/hash.h"
#include "base/random.h"
#include "mem/divider.h"
#include "mem/replacement/replacement.h"

enum {
    PARTIES = 8,
    MONITORED_SETS = 16, // at most, and at most one in 32
    MONITORED_WAYS = 32,
    INTERVAL = 32768, // accesses
};

struct pipp {
    struct wm_random random;
    uint64_t chances;         // drawn bits not used yet, two a promotion, above them a one
    struct wm_divider stride; // sets from one that is monitored to the next
    uint32_t monitored_sets;
    uint32_t unit;  // ways that one position of a monitor's stack stands for
    uint32_t depth; // positions of a monitor's stack
    uint32_t accesses;
    uint32_t targets[PARTIES];                              // in ways
    uint32_t active[PARTIES];                               // accesses since the last partition
    uint32_t hits[PARTIES][MONITORED_WAYS];                 // by stack position
    uint32_t tags[PARTIES][MONITORED_SETS][MONITORED_WAYS]; // hashed, 0 empty, by stack position
};

static void reset(void *array, const struct wm_replacement_geometry *geometry)
{
    struct pipp *pipp = array;
    wm_random_init(&pipp->random, geometry->seed, "pipp");
    uint32_t sample = geometry->sets / 32 > 0 ? geometry->sets / 32 : 1;
    pipp->monitored_sets = sample < MONITORED_SETS ? sample : MONITORED_SETS;
    pipp->stride = wm_divider_of(geometry->sets / pipp->monitored_sets);
    pipp->unit = (geometry->ways + MONITORED_WAYS - 1) / MONITORED_WAYS;
    pipp->depth = geometry->ways / pipp->unit;
    for (uint32_t party = 0; party < PARTIES; party++)
        pipp->targets[party] = geometry->ways;
}

// The lookahead algorithm: again and again, the party whose next ways bring most hits a way gets
// them. `given` holds what each has.
static void look_ahead(const struct pipp *pipp, uint32_t *given, uint32_t left)
{
    while (left > 0) {
        uint64_t best_gain = 0, best_ways = 1;
        uint32_t best = 0;
        for (uint32_t party = 0; party < PARTIES; party++) {
            uint64_t gain = 0;
            for (uint32_t ways = 1; given[party] != 0 && ways <= left; ways++) {
                gain += pipp->hits[party][given[party] + ways - 1];
                if (gain * best_ways > best_gain * ways) {
                    best_gain = gain;
                    best_ways = ways;
                    best = party;
                }
            }
        }
        if (best_gain == 0)
            break;
        given[best] += (uint32_t)best_ways;
        left -= (uint32_t)best_ways;
    }
    // What brings nobody anything is shared evenly.
    for (uint32_t party = 0; left > 0; party = (party + 1) % PARTIES) {
        left -= given[party] != 0;
        given[party] += given[party] != 0;
    }
}

static void partition(struct pipp *pipp, uint32_t ways)
{
    uint32_t given[PARTIES] = {0}, left = pipp->depth;
    for (uint32_t party = 0; party < PARTIES && left > 0; party++) {
        given[party] = pipp->active[party] != 0;
        left -= given[party];
    }
    look_ahead(pipp, given, left);
    for (uint32_t party = 0; party < PARTIES; party++) {
        bool alone = given[party] == pipp->depth;
        pipp->targets[party] = alone ? ways : given[party] != 0 ? given[party] * pipp->unit : 1;
        pipp->active[party] = 0;
        for (uint32_t position = 0; position < pipp->depth; position++)
            pipp->hits[party][position] /= 2;
    }
}

// One access to the party's own LRU stack of a monitored set.
static void monitor(struct pipp *pipp, uint32_t party, uint32_t sample, uint32_t tag)
{
    uint32_t *tags = pipp->tags[party][sample], position = 0;
    while (position < pipp->depth - 1 && tags[position] != tag)
        position++;
    pipp->hits[party][position] += tags[position] == tag;
    for (; position > 0; position--)
        tags[position] = tags[position - 1];
    tags[0] = tag;
}

static void listen(const struct wm_replacement_set *set, uint32_t way,
                   const struct wm_replacement_event *event)
{
    (void)way;
    if (event->write_back)
        return;
    struct pipp *pipp = set->array;
    uint32_t party = event->sm % PARTIES;
    pipp->active[party]++;
    uint64_t within, sample = wm_divide(&pipp->stride, set->index, &within);
    if (within == 0 && sample < pipp->monitored_sets) {
        uint64_t hash = wm_hash_u64(event->line);
        if (pipp->unit == 1 || (hash >> 32) % pipp->unit == 0)
            monitor(pipp, party, (uint32_t)sample, (uint32_t)hash | 1);
    }
    if (++pipp->accesses == INTERVAL) {
        pipp->accesses = 0;
        partition(pipp, set->ways);
    }
}

static uint32_t insert_at(const struct wm_replacement_set *set,
                          const struct wm_replacement_event *event)
{
    const struct pipp *pipp = set->array;
    return set->ways - pipp->targets[event->sm % PARTIES];
}

static uint32_t promote_by(const struct wm_replacement_set *set, uint32_t way,
                           const struct wm_replacement_event *event)
{
    (void)way;
    (void)event;
    struct pipp *pipp = set->array;
    if (pipp->chances <= 1)
        pipp->chances = wm_random_u64(&pipp->random) >> 2 | UINT64_C(1) << 62;
    bool promote = (pipp->chances & 3) != 0; // three times in four
    pipp->chances >>= 2;
    return promote;
}

const struct wm_replacement_ops wm_replacement_pipp = {
    .name = "pipp",
    .title = "promotion/insertion pseudo-partitioning",
    .source = "Xie and Loh, ISCA 2009; targets by Qureshi and Patt, MICRO 2006",
    .sentence = "inserts an SM's lines the higher, the more hits more ways would bring it",
    .details =
        "Made for caches that SMs share; SM n is party n mod 8. Targets are set anew every 32768 "
        "accesses. The paper's detection of streaming cores is not done.",
    .array_state_bytes = sizeof(struct pipp),
    .uses_chain = true,
    .ignores_ways = true,
    .chain_insert = insert_at,
    .chain_promote = promote_by,
    .reset = reset,
    .hit = listen,
    .insert = listen,
};
