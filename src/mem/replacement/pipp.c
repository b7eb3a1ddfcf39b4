// Promotion/insertion pseudo-partitioning: Y. Xie and G. H. Loh, "PIPP: promotion/insertion
// pseudo-partitioning of multi-core shared caches", ISCA 2009. Each core i has a target of pi_i
// ways. Its incoming lines enter at priority position pi_i counted from the LRU end; a hit promotes
// a line by a single position, and only with probability p_prom = 3/4; the victim is the line in
// the LRU position, whichever core owns it. Cores with large targets insert high, and the
// priorities share the ways out without walls. Targets come from utility monitors and the lookahead
// algorithm of M. K. Qureshi and Y. N. Patt, "Utility-based cache partitioning", MICRO 2006, as in
// the paper: sampled sets keep each core's own LRU stack of tags and count hits by stack position.
//
// Streaming cores, the paper's extension: a core with more than theta_m = 4095 misses and a miss
// rate above theta_mr = 1/8 brings in much that is not used again. Each of them is worth one way;
// all of them insert at pi_stream, as many positions from the LRU end as there are such cores, and
// their hits promote with p_stream = 1/128 only, so that what they happen to use again soon does
// not climb. The other cores share what is left.
//
// Ours: the cores are the SMs, SM n being group n mod 8, so this is an entry for caches that SMs
// share; with one SM it inserts in front and promotes singly. Targets are set anew every 32768
// accesses to the array, not by cycles, and counts are halved then; before the first time all
// insert in front. A group without an access since then gets 1. Above 32 ways the monitors see one
// line in ways / 32, and targets come in such steps. Misses are those that the monitors expect of
// the group with the whole cache to itself: what a group misses because it was found streaming is
// then no reason to find it streaming again.
#include "base/numbers/hash.h"
#include "base/numbers/random.h"
#include "mem/cache/divider.h"
#include "mem/replacement/entries.h"

enum {
    GROUPS = 8,
    MONITORED_SETS = 16, // at most, and at most one in 32
    MONITORED_WAYS = 32,
    CHANCE_BITS = 10, // chances are given in 1024
    WORD_CHANCES = 6, // to a random word
};

struct pipp {
    struct wm_random random;
    uint64_t chances; // drawn and not used: `ready` numbers of CHANCE_BITS
    uint32_t ready;
    struct wm_divider stride; // sets from one that is monitored to the next
    uint32_t monitored_sets;
    uint32_t ways;
    uint32_t unit;  // ways that one position of a monitor's stack stands for
    uint32_t depth; // positions of a monitor's stack
    uint32_t accesses, interval;
    uint32_t promotion, stream_promotion; // chances
    bool detects_streams;
    uint32_t stream_misses, stream_miss_rate; // the latter in 1024
    uint32_t targets[GROUPS];                 // in ways
    uint32_t promotes[GROUPS];                // chance in 1024 that a hit promotes
    // Since the last partition: accesses; those that the monitors saw, and found.
    uint32_t active[GROUPS], watched[GROUPS], found[GROUPS];
    uint32_t hits[GROUPS][MONITORED_WAYS]; // by stack position, the past halved
    // Hashed, 0 empty, by stack position.
    uint32_t tags[GROUPS][MONITORED_SETS][MONITORED_WAYS];
};

static uint32_t group_of(uint32_t sm)
{
    return sm % GROUPS;
}

enum {
    PROMOTION,
    INTERVAL,
    DETECT_STREAMS,
    STREAM_MISSES,
    STREAM_MISS_RATE,
    STREAM_PROMOTION,
};

static const struct wm_parameter parameters[] = {
    [PROMOTION] = {"promotion", "chance in 1024 that a hit promotes its line", 0, 1024, 768},
    [INTERVAL] = {"interval", "accesses to the cache from one partition to the next", 1024,
                  UINT64_C(1) << 30, 32768},
    [DETECT_STREAMS] = {"detect_streams", "1: SMs that stream get one way each, 0: they are as all",
                        0, 1, 1},
    [STREAM_MISSES] = {"stream_misses", "an SM with more misses than this an interval may stream",
                       0, UINT64_C(1) << 30, 4095},
    [STREAM_MISS_RATE] = {"stream_miss_rate", "and must miss more than so many of 1024 accesses", 0,
                          1024, 128},
    [STREAM_PROMOTION] = {"stream_promotion", "promotion, for hits of SMs that stream", 0, 1024, 8},
};

static void reset(void *array, const struct wm_replacement_geometry *geometry)
{
    struct pipp *pipp = array;
    const uint64_t *values = geometry->parameters;
    wm_random_init(&pipp->random, geometry->seed, "pipp");
    uint32_t sample = geometry->sets / 32 > 0 ? geometry->sets / 32 : 1;
    pipp->monitored_sets = sample < MONITORED_SETS ? sample : MONITORED_SETS;
    pipp->stride = wm_divider_of(geometry->sets / pipp->monitored_sets);
    pipp->ways = geometry->ways;
    pipp->unit = (geometry->ways + MONITORED_WAYS - 1) / MONITORED_WAYS;
    pipp->depth = geometry->ways / pipp->unit;
    pipp->interval = (uint32_t)values[INTERVAL];
    pipp->promotion = (uint32_t)values[PROMOTION];
    pipp->stream_promotion = (uint32_t)values[STREAM_PROMOTION];
    pipp->detects_streams = values[DETECT_STREAMS] != 0;
    pipp->stream_misses = (uint32_t)values[STREAM_MISSES];
    pipp->stream_miss_rate = (uint32_t)values[STREAM_MISS_RATE];
    for (uint32_t group = 0; group < GROUPS; group++) {
        pipp->targets[group] = geometry->ways;
        pipp->promotes[group] = pipp->promotion;
    }
}

// The lookahead algorithm: again and again, the group whose next ways bring most hits a way gets
// them. `given` holds what each has; who has none takes no part.
static void look_ahead(const struct pipp *pipp, uint32_t *given, uint32_t left)
{
    while (left > 0) {
        uint64_t best_gain = 0, best_ways = 1;
        uint32_t best = 0;
        for (uint32_t group = 0; group < GROUPS; group++) {
            uint64_t gain = 0;
            for (uint32_t ways = 1; given[group] != 0 && ways <= left; ways++) {
                gain += pipp->hits[group][given[group] + ways - 1];
                if (gain * best_ways > best_gain * ways) {
                    best_gain = gain;
                    best_ways = ways;
                    best = group;
                }
            }
        }
        if (best_gain == 0)
            break;
        given[best] += (uint32_t)best_ways;
        left -= (uint32_t)best_ways;
    }
    // Ways from which no group gains are shared evenly.
    uint32_t sharers = 0;
    for (uint32_t group = 0; group < GROUPS; group++)
        sharers += given[group] != 0;
    for (uint32_t group = 0; sharers > 0 && left > 0; group = (group + 1) % GROUPS) {
        left -= given[group] != 0;
        given[group] += given[group] != 0;
    }
}

static bool streams(const struct pipp *pipp, uint32_t group)
{
    uint64_t watched = pipp->watched[group], missed = watched - pipp->found[group];
    return pipp->detects_streams && watched != 0 &&
           missed * pipp->active[group] > watched * pipp->stream_misses &&
           missed * 1024 > watched * pipp->stream_miss_rate;
}

static void partition(struct pipp *pipp)
{
    uint32_t given[GROUPS] = {0}, streaming = 0;
    bool is_stream[GROUPS];
    for (uint32_t group = 0; group < GROUPS; group++) {
        is_stream[group] = streams(pipp, group);
        streaming += is_stream[group];
    }
    uint32_t reserved = (streaming + pipp->unit - 1) / pipp->unit;
    uint32_t left = reserved < pipp->depth ? pipp->depth - reserved : 0;
    for (uint32_t group = 0; group < GROUPS && left > 0; group++) {
        given[group] = pipp->active[group] != 0 && !is_stream[group];
        left -= given[group];
    }
    look_ahead(pipp, given, left);
    uint32_t stream_target = streaming < pipp->ways ? streaming : pipp->ways;
    for (uint32_t group = 0; group < GROUPS; group++) {
        bool alone = given[group] == pipp->depth;
        uint32_t share = alone ? pipp->ways : given[group] * pipp->unit;
        pipp->targets[group] = is_stream[group] ? stream_target : share != 0 ? share : 1;
        pipp->promotes[group] = is_stream[group] ? pipp->stream_promotion : pipp->promotion;
        pipp->active[group] = pipp->watched[group] = pipp->found[group] = 0;
        for (uint32_t position = 0; position < pipp->depth; position++)
            pipp->hits[group][position] /= 2;
    }
    pipp->accesses = 0;
}

// An access to the group's own LRU stack of a monitored set.
static void monitor(struct pipp *pipp, uint32_t group, uint32_t sample, uint64_t line)
{
    uint64_t hash = wm_hash_u64(line);
    if (pipp->unit != 1 && (hash >> 32) % pipp->unit != 0)
        return;
    uint32_t *tags = pipp->tags[group][sample], tag = (uint32_t)hash | 1, position = 0;
    while (position < pipp->depth - 1 && tags[position] != tag)
        position++;
    bool found = tags[position] == tag;
    pipp->hits[group][position] += found;
    pipp->watched[group]++;
    pipp->found[group] += found;
    for (; position > 0; position--)
        tags[position] = tags[position - 1];
    tags[0] = tag;
}

static void note_access(const struct wm_replacement_set *set, uint32_t way,
                        const struct wm_replacement_event *event)
{
    (void)way;
    struct pipp *pipp = set->array;
    uint32_t group = group_of(event->sm);
    if (event->write_back)
        return;
    pipp->active[group]++;
    pipp->accesses++;
    uint64_t within, sample = wm_divide(&pipp->stride, set->index, &within);
    if (within == 0 && sample < pipp->monitored_sets)
        monitor(pipp, group, (uint32_t)sample, event->line);
    if (pipp->accesses == pipp->interval)
        partition(pipp);
}

static uint32_t insert_at(const struct wm_replacement_set *set,
                          const struct wm_replacement_event *event)
{
    const struct pipp *pipp = set->array;
    return set->ways - pipp->targets[group_of(event->sm)];
}

static uint32_t draw_chance(struct pipp *pipp)
{
    if (pipp->ready == 0) {
        pipp->chances = wm_random_u64(&pipp->random) >> (64 - WORD_CHANCES * CHANCE_BITS);
        pipp->ready = WORD_CHANCES;
    }
    uint32_t chance = pipp->chances & ((1 << CHANCE_BITS) - 1);
    pipp->chances >>= CHANCE_BITS;
    pipp->ready--;
    return chance;
}

static uint32_t promote_by(const struct wm_replacement_set *set, uint32_t way,
                           const struct wm_replacement_event *event)
{
    (void)way;
    struct pipp *pipp = set->array;
    return draw_chance(pipp) < pipp->promotes[group_of(event->sm)];
}

const struct wm_replacement_ops wm_replacement_pipp = {
    .name = "pipp",
    .title = "promotion/insertion pseudo-partitioning",
    .source = "Xie and Loh, ISCA 2009; targets by Qureshi and Patt, MICRO 2006",
    .sentence = "inserts an SM's lines the higher, the more hits more ways would bring it",
    .details = "Made for caches that SMs share: the paper's cores are the SMs, SM n being group n "
               "mod 8. Before the first partition all lines enter in front.",
    .parameters = parameters,
    .parameter_count = sizeof parameters / sizeof parameters[0],
    .array_state_bytes = sizeof(struct pipp),
    .uses_chain = true,
    .ignores_ways = true,
    .chain_insert = insert_at,
    .chain_promote = promote_by,
    .reset = reset,
    .hit = note_access,
    .insert = note_access,
};
