// What a level of caches may say of itself: one table for all levels. Which of the levels with a
// number of their own have a key, and where theirs has another default or means something more
// particular, stands beside it.
#include "machine/kinds.h"
#include "machine/schema_parts.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const struct wm_key_choice write_policies[] = {
    {"back", WM_WRITE_BACK, "a store marks the line dirty; the next level sees it on eviction"},
    {"through-update", WM_WRITE_THROUGH_UPDATE,
     "a store goes on to the next level, and updates the line when it is present"},
    {"through-evict", WM_WRITE_THROUGH_EVICT,
     "a store goes on to the next level, and drops the line when it is present"},
    {0},
};

static const struct wm_key_choice write_fetches[] = {
    {"partial", WM_FETCH_PARTIAL, "what a store takes and does not cover whole"},
    {"always", WM_FETCH_ALWAYS, "all that a store takes, covered or not: fetch on write"},
    {"never", WM_FETCH_NEVER, "nothing: the cache keeps a mask of the bytes that were written"},
    {0},
};

static const struct wm_key_choice bypass_means[] = {
    {"no-lookup", WM_BYPASS_MEANS_NO_LOOKUP, "the access goes around the cache"},
    {"no-allocation", WM_BYPASS_MEANS_NO_ALLOCATION,
     "the access is looked for, and takes no line when it is not there"},
    {0},
};

static const struct wm_key_choice allocations[] = {
    {"on-miss", WM_ALLOCATE_ON_MISS,
     "at once: each request of a warp's load may displace what the next wanted"},
    {"streaming", WM_ALLOCATE_STREAMING,
     "with the fill: those requests of a warp's load that find their line go first"},
    {0},
};

static const struct wm_key_choice insertions[] = {
    {"front", WM_INSERT_FRONT, "in front, where those used last are"},
    {"gauged", WM_INSERT_GAUGED,
     "a warp's divergent loads the further back the more warps of its scheduler are older"},
    {0},
};

static const struct wm_key_choice coherent_insertions[] = {
    {"detected", WM_COHERENT_DETECTED,
     "in front, unless the oldest warp was seen not to come back to the load's lines"},
    {"front", WM_COHERENT_FRONT, "in front"},
    {"gauged", WM_COHERENT_GAUGED, "as those of divergent loads"},
    {0},
};

static const struct wm_key_choice regions[] = {
    {"none", WM_REGION_NONE, "no warps"},
    {"static", WM_REGION_STATIC, "gpu.l1.region_warps of each scheduler"},
    {"dynamic", WM_REGION_DYNAMIC, "as many as find all lines of their divergent loads"},
    {0},
};

static const struct wm_key_choice fulls[] = {
    {"displace", WM_FULL_ANY,
     "any line may be displaced: the region is where lines enter, no more"},
    {"stall", WM_FULL_STALLS, "lines of the region stay, and the access comes again"},
    {"bypass", WM_FULL_BYPASSES, "lines of the region stay, and the access takes no line"},
    {0},
};

static const struct wm_key_choice inclusions[] = {
    {"non-inclusive", WM_NON_INCLUSIVE, "nothing"},
    {"inclusive", WM_INCLUSIVE, "a line that leaves it leaves the caches above too"},
    {"exclusive", WM_EXCLUSIVE, "a sector is above or in it, and changes places"},
    {0},
};

static const struct wm_key_choice coherences[] = {
    {"none", WM_LEVEL_INCOHERENT, "they need not"},
    {"mesi", WM_LEVEL_MESI, "by MESI with a directory at each home, one level below"},
    {"scoped", WM_LEVEL_SCOPED,
     "SMs' first level: it writes through, and an acquire beyond the block's scope drops its "
     "lines"},
    {0},
};

static const struct wm_key_choice load_allocations[] = {
    {"all", WM_L2_TAKES_ALL, "all loads"},
    {"uncached", WM_L2_TAKES_UNCACHED, "those that take no line above"},
    {0},
};

static const struct wm_key_choice sharings[] = {
    {"given", WM_SHARING_GIVEN, "the keys describe the cache as it is"},
    {"sets", WM_SHARING_SETS,
     "they are of one SM: it has the sets, ports and MSHRs of all that share it"},
    {"ways", WM_SHARING_WAYS, "the same, but the ways instead of the sets"},
    {0},
};

static const struct wm_key_choice coalescings[] = {
    {"none", WM_COALESCES_NOTHING, "each is looked up"},
    {"in-flight", WM_COALESCES_IN_FLIGHT,
     "those to a line that one before them is in flight for, of any SM that shares the cache"},
    {0},
};

static const struct wm_key_choice locked_lines[] = {
    {"merge", WM_LOCKED_MERGES, "it waits with those before it, up to mshr_merges"},
    {"refuse", WM_LOCKED_REFUSES,
     "it is refused, and sent again: attempts and refusals are counted"},
    {0},
};

enum {
    L1 = 1 << WM_LEVEL_L1,
    CONSTANT = 1 << (WM_LEVEL_SIDE + WM_SIDE_CACHE_CONSTANT),
    TEXTURE = 1 << (WM_LEVEL_SIDE + WM_SIDE_CACHE_TEXTURE),
    SCALAR = 1 << (WM_LEVEL_SIDE + WM_SIDE_CACHE_SCALAR),
    INSTRUCTION = 1 << (WM_LEVEL_SIDE + WM_SIDE_CACHE_INSTRUCTION),
    SIDES = CONSTANT | TEXTURE | SCALAR | INSTRUCTION,
    L2 = 1 << WM_LEVEL_L2,
    OWN = 1 << WM_LEVELS_NAMED, // with a name of the description's own
    ALL = L1 | SIDES | L2 | OWN,
};

// In one of the machine's levels; wm_level_key adds where that is.
#define FIELD(member)                                 \
    .offset = offsetof(struct wm_level_spec, member), \
    .bytes = sizeof(((struct wm_level_spec *)NULL)->member)
#define SWITCH(otherwise) .type = WM_KEY_SWITCH, .fallback = (otherwise)
#define CHOICE(list, otherwise) .type = WM_KEY_CHOICE, .choices = (list), .fallback = (otherwise)
#define ENTRY(of_kind, otherwise) \
    .type = WM_KEY_ENTRY, .kind = &wm_key_kind_##of_kind, .fallback = (otherwise)

// clang-format off
static const struct row {
    unsigned levels; // that have it
    struct wm_machine_key key;
    bool older; // another name for what a row says
} rows[] = {
    {ALL, {"present", "false: what comes goes on to what is below", SWITCH("true"),
           FIELD(cache.present)}},
    {ALL, {"per", "who has one: each SM or core, each 8 consecutive ones (8 sm), or all together",
           .type = WM_KEY_PER, .minimum = 1, .maximum = 1024, .fallback = "sm", FIELD(units_each)}},
    {L1 | SIDES, {"sms_each", "consecutive SMs that share one", WM_KEY_COUNT(1, 1024),
                  FIELD(units_each)}, .older = true},
    {L1, {"sharing", "what the other keys describe, where several SMs share one",
          CHOICE(sharings, "given"), FIELD(sharing)}},
    {L1, {"sharing_latency",
          "clock: cycles more of latency with each doubling of the SMs that share one",
          WM_KEY_COUNT(0, 65536), .fallback = "0", FIELD(sharing_latency)}},
    {ALL, {"below", "where its misses go: a level here or, /NAME, outside all groups; memory",
           .type = WM_KEY_BELOW, .fallback = "l2", FIELD(below)}},
    {ALL, {"serves", "which of a unit's own accesses begin at it", .type = WM_KEY_SERVES,
           .fallback = "[]", FIELD(serves)}},
    {ALL, {"size", "bytes of data in one, all slices together", WM_KEY_SIZE(32, 4 * WM_GIB),
           FIELD(cache.size_bytes)}},
    {ALL, {"ways", "lines of one set", WM_KEY_COUNT(1, 1024), FIELD(cache.ways)}},
    {ALL, {"line", "bytes of one line", WM_KEY_SIZE(32, WM_KIB), .power_of_two = true,
           .fallback = "128B", FIELD(cache.line_bytes)}},
    {L1 | L2 | OWN, {"sector", "bytes fetched on a miss: the line's when it is not sectored",
                     WM_KEY_SIZE(32, WM_KIB), .power_of_two = true, .fallback = "32B",
                     FIELD(cache.sector_bytes)}},
    {L2 | OWN, {"slices", "slices of each, of which an address chooses one; 0: it has none",
                WM_KEY_COUNT(0, 1024), .fallback = "0", FIELD(slices)}},
    {L2 | OWN, {"interleave", "consecutive bytes on one slice", WM_KEY_SIZE(32, WM_MIB),
                .power_of_two = true, .fallback = "256B", FIELD(interleave_bytes)}},
    {L2 | OWN, {"interleave_hash", "how these blocks choose it",
                CHOICE(wm_interleave_hashes, "none"), FIELD(interleave_hash)}},
    {L2, {"partitions", "halves of its slices, each near half of the SMs, with copies of the other's",
          WM_KEY_COUNT(1, 2), .fallback = "1", FIELD(partitions)}},
    {L1 | L2 | OWN, {"write", "what a store does", CHOICE(write_policies, NULL),
                     FIELD(cache.write_policy)}},
    {L1 | L2 | OWN, {"write_allocate", "whether a store that misses takes a line", SWITCH(NULL),
                     FIELD(cache.write_allocate)}},
    {L1 | L2 | OWN, {"write_fetch", "what a store has fetched that it does not write",
                     CHOICE(write_fetches, "partial"), FIELD(cache.write_fetch)}},
    {L2 | OWN, {"dirty_limit", "bytes that may be dirty, each set its part; 0B: any number",
                WM_KEY_SIZE(0, 4 * WM_GIB), .fallback = "0B", FIELD(cache.dirty_limit_bytes)}},
    {ALL, {"replacement", "which line of a full set makes room", ENTRY(replacement, "lru"),
           FIELD(cache.replacement),
           .values_offset = offsetof(struct wm_level_spec, cache.replacement_values)}},
    {ALL, {"set_index", "how an address chooses its set", ENTRY(set_index, "modulo"),
           FIELD(cache.set_index)}},
    {L2 | OWN, {"inclusion", "what it and the caches above know of each other",
                CHOICE(inclusions, "non-inclusive"), FIELD(inclusion)}},
    {L1 | L2 | OWN, {"coherence", "how its lines agree with copies of them in other caches",
                     CHOICE(coherences, "none"), FIELD(coherence)}},
    {L2 | OWN, {"load_allocation", "which loads take lines in it", CHOICE(load_allocations, "all"),
                FIELD(load_allocation)}},
    {L1, {"allocation", "when a load that misses takes its line", CHOICE(allocations, "on-miss"),
          FIELD(allocation)}},
    {L1 | OWN, {"flush_at_kernel", "whether its contents are dropped when a kernel starts",
                SWITCH("false"), FIELD(flush_at_kernel)}},
    {L2, {"host_write_allocate", "whether what is copied to the device, or filled there, takes lines, clean",
          SWITCH("false"), FIELD(host_write_allocate)}},
    {L1, {"insertion", "clock: where a load's lines enter the chain of a set",
          CHOICE(insertions, "front"), FIELD(divergence.insertion)}},
    {L1, {"coherent_insertion", "clock: and, gauged, those of loads of at most two lines",
          CHOICE(coherent_insertions, "detected"), FIELD(divergence.coherent)}},
    {L1, {"promotion", "clock: positions that a hit moves its line up; 0: to the front",
          WM_KEY_COUNT(0, 1024), .fallback = "0", FIELD(divergence.promotion)}},
    {L1, {"region", "clock: the oldest warps, for whose lines the front of a set is",
          CHOICE(regions, "none"), FIELD(divergence.region)}},
    {L1, {"region_warps", "clock: of each scheduler, always or, dynamic, at first",
          WM_KEY_COUNT(0, WM_REGION_MOST_WARPS), .fallback = "2", FIELD(divergence.region_warps)}},
    {L1, {"region_full", "clock: what a miss does that finds no line outside the region to displace",
          CHOICE(fulls, "displace"), FIELD(divergence.full)}},
    {L1, {"bypass", "which loads and stores go past it", ENTRY(bypass, "cache-operator"),
          FIELD(bypass), .values_offset = offsetof(struct wm_level_spec, bypass_values)}},
    {L1, {"bypass_means", "what it is to bypass, where the entry does not say which",
          CHOICE(bypass_means, "no-lookup"), FIELD(bypass_means)}},
    {L1 | L2 | OWN, {"prefetch", "which lines it requests before they are looked for",
                     ENTRY(prefetch, "none"), FIELD(prefetch),
                     .values_offset = offsetof(struct wm_level_spec, prefetch_values)}},
    {L1 | OWN, {"victim_lines", "lines of its victim cache, fully associative; 0: none",
                WM_KEY_COUNT(0, 1024), .fallback = "0", FIELD(victim_lines)}},
    {L1 | OWN, {"victim_latency", "clock: cycles that an exchange with the victim cache takes",
                WM_KEY_COUNT(0, 65536), .fallback = "1", FIELD(victim_latency)}},
    {L2, {"atomic_buffer", "sectors of each slice's atomic buffer; 0: none", WM_KEY_COUNT(0, 64),
          .fallback = "0", FIELD(atomic_buffer_lines)}},
    {L2 | OWN, {"atomic_interval",
                "clock: cycles from an atomic at an address to the next one there",
                WM_KEY_COUNT(1, 64), .fallback = "1", FIELD(atomic_interval)}},
    {L2, {"atomic_by_sector",
          "clock: whether a slice does atomics of a request sector by sector, or all at once",
          SWITCH("false"), FIELD(atomic_by_sector)}},
    {L1 | L2 | OWN, {"latency", "clock: cycles until a hit's data, or a miss, goes on",
                     WM_KEY_COUNT(1, 65536), .fallback = "28", FIELD(timing.latency)}},
    {L1 | L2 | OWN,
     {"link_latency", "clock: cycles of the way to a coherent level below; 0: one, and to memory none",
      WM_KEY_COUNT(0, 65536), .fallback = "0", FIELD(link_latency)}},
    {L1 | L2 | OWN, {"mshr_entries", "clock: lines that may have bytes on their way",
                     WM_KEY_COUNT(1, 65536), .fallback = "256", FIELD(timing.mshr_entries)}},
    {L1 | L2 | OWN, {"mshr_merges", "clock: requests that may wait for one such line",
                     WM_KEY_COUNT(1, 4096), .fallback = "8", FIELD(timing.mshr_merges)}},
    {L1 | L2 | OWN, {"mshr_of_sectors", "clock: true: both are of sectors, not of lines",
                     SWITCH("false"), FIELD(timing.mshr_of_sectors)}},
    {L1 | L2 | OWN, {"queue", "clock: requests that may wait to go below", WM_KEY_COUNT(1, 4096),
                     .fallback = "16", FIELD(timing.queue)}},
    {SIDES, {"latency", "clock: cycles from a request until its data leaves; 0: as of L1",
             WM_KEY_COUNT(0, 65536), .fallback = "0", FIELD(timing.latency)}},
    {SIDES, {"mshr_entries", "clock: lines that may have bytes on their way; 0: as of L1",
             WM_KEY_COUNT(0, 65536), .fallback = "0", FIELD(timing.mshr_entries)}},
    {SIDES, {"mshr_merges", "clock: requests that may wait for one such line; 0: as of L1",
             WM_KEY_COUNT(0, 4096), .fallback = "0", FIELD(timing.mshr_merges)}},
    {SIDES, {"ports", "clock: requests that are looked up in a cycle; 0: as of L1",
             WM_KEY_COUNT(0, 32), .fallback = "0", FIELD(ports)}},
    {L1 | CONSTANT | TEXTURE | SCALAR,
     {"coalescing", "clock: which requests join another in flight, and are not looked up",
                  CHOICE(coalescings, "none"), FIELD(coalescing)}},
    {L2, {"locked_line", "clock: what a request for a line does that a miss has locked",
          CHOICE(locked_lines, "merge"), FIELD(locked_line)}},
    {L2, {"partition_latency", "clock: cycles of the way from one of its partitions to the other",
          WM_KEY_COUNT(0, 65536), .fallback = "0", FIELD(partition_latency)}},
    {L2 | OWN, {"clock", "clock: its clock; 0Hz: that of the SMs", WM_KEY_CLOCK(0),
                .fallback = "0Hz", FIELD(timing.clock_hz)}},
    {CONSTANT, {"word_interval", "clock: cycles for each word that lanes load; 0: all in one",
                WM_KEY_COUNT(0, 1024), .fallback = "0", FIELD(word_interval)}},
    {L1, {"return_sectors", "clock: sectors a cycle that those who waited for them get; 0: any",
          WM_KEY_COUNT(0, 1024), .fallback = "0", FIELD(return_sectors)}},
    {L1, {"ports", "clock: requests of a warp instruction that are looked up in a cycle",
          WM_KEY_COUNT(1, 32), .fallback = "1", FIELD(ports)}},
    {L1, {"banks", "clock: banks of its data, each serves one access a cycle; 0: any number",
          WM_KEY_COUNT(0, 1024), .fallback = "0", FIELD(banks.count)}},
    {L1, {"bank_width", "clock: consecutive bytes in one bank, one access", WM_KEY_SIZE(4, WM_KIB),
          .power_of_two = true, .fallback = "32B", FIELD(banks.width_bytes)}},
    {L1, {"fills_take_banks", "clock: true: what L2 sends takes the banks that it is written to",
          SWITCH("false"), FIELD(banks.take_fills)}},
    {L1, {"lane_banks", "clock: true: lanes' words conflict as in shared memory's 32 banks",
          SWITCH("false"), FIELD(banks.of_lanes)}},
};

// clang-format on

// What differs from a row at some levels: the default, and the sentence where it is given.
static const struct {
    unsigned levels;
    const char *name, *fallback, *sentence;
} particular[] = {
    {L1, "present", "true", "false: every access goes on to what is below"},
    {CONSTANT, "present", "false",
     "false: constant memory uses the scalar cache, or is counted and goes nowhere"},
    {TEXTURE, "present", "false", "false: read-only loads use L1"},
    {SCALAR, "present", "false", "false: loads of one address use L1 like others"},
    {INSTRUCTION, "present", "false", "false: instruction fetches go nowhere"},
    {SCALAR, "per", "4 sm", NULL},
    {L2 | OWN, "per", "all", NULL},
    {L2 | OWN, "below", "memory", NULL},
    {L2, "slices", NULL, "slices of each, a multiple of the DRAM channels where memory is below"},
    {L1, "serves", "[data]", NULL},
    {CONSTANT, "serves", "[constant]", NULL},
    {TEXTURE, "serves", "[read-only]", NULL},
    {SCALAR, "serves", "[uniform]", NULL},
    {INSTRUCTION, "serves", "[instructions]", NULL},
    {CONSTANT, "size", "8KiB", NULL},
    {TEXTURE | SCALAR, "size", "16KiB", NULL},
    {INSTRUCTION, "size", "32KiB", NULL},
    {SIDES, "ways", "4", NULL},
    {SIDES, "line", "64B", "bytes of one line, fetched whole"},
    {OWN, "write", "back", NULL},
    {OWN, "write_allocate", "true", NULL},
    {L1, "flush_at_kernel", "true", NULL},
    {L2, "latency", "100", NULL},
    {L2, "mshr_entries", "192", NULL},
    {L2, "queue", "32", NULL},
};

_Static_assert(sizeof rows / sizeof rows[0] < (size_t)WM_LEVEL_MAX_KEYS, // one more: none of them
               "raise WM_LEVEL_MAX_KEYS");

size_t wm_level_row_count(void)
{
    return sizeof rows / sizeof rows[0];
}

size_t wm_level_row_of(const char *name)
{
    size_t row = 0;
    while (row < wm_level_row_count() && strcmp(rows[row].key.path, name) != 0)
        row++;
    return row;
}

bool wm_level_row_is_older(size_t row)
{
    return rows[row].older;
}

bool wm_level_key(size_t row, uint32_t level, const char *group, struct wm_machine_key *key)
{
    unsigned bit = 1U << (level < WM_LEVELS_NAMED ? level : WM_LEVELS_NAMED);
    const char *name = rows[row].key.path;
    if (!(rows[row].levels & bit))
        return false;
    *key = rows[row].key;
    int length = snprintf(key->path, sizeof key->path, "%s.%s", group, name);
    assert(length > 0 && (size_t)length < sizeof key->path);
    (void)length;
    for (size_t i = 0; i < sizeof particular / sizeof particular[0]; i++) {
        if (!(particular[i].levels & bit) || strcmp(particular[i].name, name) != 0)
            continue;
        key->fallback = particular[i].fallback;
        if (particular[i].sentence)
            key->sentence = particular[i].sentence;
    }
    bool first_of_cores = level >= WM_LEVELS_NAMED && strcmp(group, "cpu.l1") == 0;
    if (first_of_cores && key->type == WM_KEY_SERVES)
        key->fallback = "[data]";
    size_t base = offsetof(struct wm_machine, memory.levels) + level * sizeof(struct wm_level_spec);
    key->offset += base;
    if (key->values_offset)
        key->values_offset += base;
    return true;
}
