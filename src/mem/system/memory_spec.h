// The description of a memory system: filled from a machine file, read by mem/. Plain data.
#ifndef WM_MEM_SYSTEM_MEMORY_SPEC_H
#define WM_MEM_SYSTEM_MEMORY_SPEC_H

#include "warpmem/plugin.h"

#include <stdbool.h>
#include <stdint.h>

struct wm_set_index_ops; // mem/set_index/set_index.h

enum wm_write_policy {
    WM_WRITE_BACK,           // a store dirties the line; memory sees it on eviction
    WM_WRITE_THROUGH_UPDATE, // a store is sent on, and updates the line when present
    WM_WRITE_THROUGH_EVICT,  // a store is sent on, and drops the line when present
};

// What a store does about the bytes of a fetch unit that it takes and does not write
// (docs/memory-system.md, rule R4).
enum wm_write_fetch {
    WM_FETCH_PARTIAL, // units that it does not cover whole are fetched
    WM_FETCH_ALWAYS,  // every unit is fetched, covered or not: fetch on write
    WM_FETCH_NEVER,   // nothing is fetched: the cache remembers which bytes were written
};

// The parameters given with an entry's name; the others have their fallbacks.
struct wm_entry_values {
    uint64_t values[WM_MAX_PARAMETERS];
    uint32_t given; // bit i: values[i] counts
};

struct wm_cache_spec {
    bool present; // false: every access goes to L2 (a GPU without L1 for global loads)
    uint64_t size_bytes;
    uint32_t ways, line_bytes;
    uint32_t sector_bytes; // bytes fetched on a miss: line_bytes when not sectored, else 32
    enum wm_write_policy write_policy;
    bool write_allocate; // a store that misses takes a line
    enum wm_write_fetch write_fetch;
    uint64_t dirty_limit_bytes; // that may be dirty, of all slices; 0: any number
    const struct wm_replacement_ops *replacement;
    struct wm_entry_values replacement_values;
    const struct wm_set_index_ops *set_index;
};

// What it is that a bypass entry decides with WM_BYPASS_YES.
enum wm_bypass_means {
    WM_BYPASS_MEANS_NO_LOOKUP,     // the access goes around the cache
    WM_BYPASS_MEANS_NO_ALLOCATION, // it is looked for, and takes no line when it is not there
};

// When a load that misses in L1 takes its line: the order of the requests of one warp load
// (wm_memory_access_lines); each request by itself is served the same way.
enum wm_l1_allocation {
    WM_ALLOCATE_ON_MISS,   // at once: the requests go in order
    WM_ALLOCATE_STREAMING, // with the fill: those whose line is there go first
};

// How L1 treats the lines of its warps apart (mem/divergence/divergence_aware.h;
// docs/divergence.md).
enum wm_insertion {
    WM_INSERT_FRONT,  // lines enter in front
    WM_INSERT_GAUGED, // those of a warp's divergent loads the further back the younger it is
};
enum wm_coherent_insertion { // of a gauged insertion: loads of few lines
    WM_COHERENT_DETECTED,    // in front, unless they were seen not to come back to their lines
    WM_COHERENT_FRONT,       // in front
    WM_COHERENT_GAUGED,      // as all
};
// Positions that are for the oldest warps' lines.
enum wm_region {
    WM_REGION_NONE,
    WM_REGION_STATIC,  // of so many warps
    WM_REGION_DYNAMIC, // of as many as find all their lines
};
// When all positions outside the region wait for their bytes.
enum wm_region_full {
    WM_FULL_ANY,      // lines of the region may be displaced, then and always
    WM_FULL_STALLS,   // the access comes again
    WM_FULL_BYPASSES, // it takes no line
};

enum { WM_REGION_MOST_WARPS = 64 }; // of a scheduler

struct wm_divergence_spec {
    enum wm_insertion insertion;
    enum wm_coherent_insertion coherent;
    uint32_t promotion; // positions that a hit moves a line up; 0: to the front
    enum wm_region region;
    uint32_t region_warps; // of each scheduler: always, or, dynamic, at first
    enum wm_region_full full;
    uint32_t schedulers, warp_width, max_warps; // of the SM
};

// The side caches, which serve accesses that do not use L1, each present or not
// (docs/memory-system.md, R10).
enum wm_side_cache_kind {
    WM_SIDE_CACHE_CONSTANT,    // constant memory
    WM_SIDE_CACHE_TEXTURE,     // read-only loads and texture fetches
    WM_SIDE_CACHE_SCALAR,      // loads whose lanes all read the same bytes
    WM_SIDE_CACHE_INSTRUCTION, // instruction fetches
    WM_SIDE_CACHE_KINDS,       // how many there are; as an answer: none of them
};

struct wm_tlb_level_spec {
    uint32_t entries, ways;
    const struct wm_replacement_ops *replacement;
    struct wm_entry_values replacement_values;
};

// TLBs (docs/memory-system.md, R11).
struct wm_tlb_spec {
    bool present;
    uint64_t page_bytes;         // a power of two
    uint32_t sms_each;           // consecutive SMs that share an L1 TLB
    struct wm_tlb_level_spec l1; // one each group of SMs
    struct wm_tlb_level_spec l2; // one of all; none when it has no entries
    uint32_t walk_levels;        // reads of a page walk
    uint32_t l2_latency;         // of the clock engine: cycles of a look-up in the L2 TLB
    bool walks_use_l2;           // they are loads of L2; else they are counted alone
};

// Which holders of a line a sharing tracker keeps when it has no room for all.
enum wm_tracker_keep { WM_TRACKER_KEEPS_LAST, WM_TRACKER_KEEPS_FIRST };

enum { WM_TRACKER_MOST_ENTRIES = 1 << 20 };

// Sharing trackers (docs/memory-system.md, R12).
struct wm_tracker_spec {
    bool present;
    uint32_t sms_each;          // consecutive SMs whose L1s share one; a multiple of the L1s'
    uint32_t sets, ways, banks; // of each; the banks divide the sets
    uint32_t sharers;           // most holders of a line that it knows
    enum wm_tracker_keep keep;
    uint32_t latency;    // of the clock engine: cycles that what leaves an L1 takes to pass it
    bool keeps_on_write; // false, but to see what goes wrong: writes leave entries alone
};

// Which of the loads that come from above take lines at a level (docs/memory-system.md, R8).
enum wm_l2_load_allocation {
    WM_L2_TAKES_ALL,
    WM_L2_TAKES_UNCACHED, // those that take none above
};

// How what a level holds and what the levels above it hold are related (docs/memory-system.md, R9).
enum wm_inclusion {
    WM_NON_INCLUSIVE, // nothing
    WM_INCLUSIVE,     // what leaves the level leaves the caches above
    WM_EXCLUSIVE,     // a sector is above or in the level
};

// How a level's lines agree with the copies of them that other caches have
// (docs/memory-system.md, R18; docs/coherence.md).
enum wm_level_coherence {
    WM_LEVEL_INCOHERENT, // they need not
    WM_LEVEL_MESI,   // by MESI with a directory at each home; levels above that say so, too, are
                     // included in it
    WM_LEVEL_SCOPED, // of SMs' first levels: an acquire of a scope beyond the block drops all lines
                     // (docs/memory-system.md, R19)
};

// Of the clock engine: which requests another one in flight at the cache serves too
// (docs/engine-clock.md, "Coalescing in flight").
enum wm_cache_coalescing {
    WM_COALESCES_NOTHING,   // each is looked up
    WM_COALESCES_IN_FLIGHT, // those to a line that one before them waits for
};

// Of the clock engine: what becomes of a request for a line that a miss has locked
// (docs/engine-clock.md, "Locked lines").
enum wm_locked_line {
    WM_LOCKED_MERGES,  // it waits with those before it
    WM_LOCKED_REFUSES, // it is refused, and its sender sends it again
};

// Of the clock engine: how a cache works in time.
struct wm_cache_timing {
    uint64_t clock_hz;     // 0: that of the SMs. (L1's always is)
    uint32_t latency;      // cycles from a request's coming until its data, or its miss, leaves
    uint32_t mshr_entries; // lines that may have bytes on their way
    uint32_t mshr_merges;  // requests that may wait for one of them
    bool mshr_of_sectors;  // both are of sectors, not of lines
    uint32_t queue;        // requests that may wait to go below
};

// Of the clock engine: the banks of an L1's data array.
struct wm_bank_spec {
    uint32_t count;       // 0: any number of bytes a cycle is served
    uint32_t width_bytes; // consecutive bytes in one, which it serves in a cycle
    bool take_fills;      // what comes from below takes them too
    bool of_lanes;        // besides, loads conflict in banks by their lanes' words
};

enum wm_topology { WM_CROSSBAR, WM_BUTTERFLY };

// Between the SMs and L2, in both directions.
struct wm_interconnect_spec {
    enum wm_topology topology;
    uint32_t radix;      // of a butterfly: inputs and outputs of a switch
    uint64_t clock_hz;   // 0: that of the SMs
    uint32_t latency;    // cycles of its clock from one end to the other
    uint32_t flit_bytes; // that a port moves in a cycle
    uint32_t buffer;    // packets of one SM that a slice of L2, or of one input that a switch holds
    uint32_t sectors;   // of one packet at most
    bool store_replies; // L2 answers stores, and their warps wait for that where they wait for data
};

// Of a machine with several GPUs: what joins each two of them, in each of its two directions.
struct wm_peer_link_spec {
    uint32_t latency;                    // cycles of the SMs' clock from one GPU to the other
    uint64_t bandwidth_bytes_per_second; // peak
};

// With what the number of a block is hashed before slices, or channels, take turns with blocks
// (mem/interleave/block_hash.h).
enum wm_interleave_hash {
    WM_INTERLEAVE_IN_TURN, // it is not
    WM_INTERLEAVE_IPOLY,   // its remainder by a primitive polynomial over GF(2)
    WM_INTERLEAVE_XOR,     // all its bits, folded
};

struct wm_dram_spec {
    uint32_t channels;
    uint64_t channel_interleave_bytes;       // consecutive bytes on one channel
    enum wm_interleave_hash interleave_hash; // and how these blocks choose it
    uint64_t bandwidth_bytes_per_second;     // peak, all channels
    uint32_t access_bytes;                   // smallest transfer: 32
    // Of the directory of coherent levels, where there is one: a line that caches share is given to
    // another by one of them, and not by memory.
    bool clean_forward;
};

// Levels by number. Those with a number of their own are the levels of one GPU as a machine file
// that says nothing else has them; others follow them.
enum {
    WM_LEVEL_L1,
    WM_LEVEL_SIDE, // and on, by enum wm_side_cache_kind
    WM_LEVEL_L2 = WM_LEVEL_SIDE + WM_SIDE_CACHE_KINDS,
    WM_LEVELS_NAMED, // how many they are
    WM_MOST_LEVELS = 16,
};

static inline bool wm_level_is_side(uint32_t level)
{
    return level >= WM_LEVEL_SIDE && level < WM_LEVEL_L2;
}

// Where a level's misses go: to L2, and from L2 and levels behind it to memory; or WM_BELOW(level).
// A level that is not present passes them on to the one below it.
enum { WM_BELOW_DEFAULT = 0, WM_BELOW_MEMORY = UINT8_MAX };
#define WM_BELOW(level) ((uint8_t)((level) + 1))

// Where a level stands: what its name begins with, and whose units may reach it.
enum wm_level_place {
    WM_PLACE_GPU,     // with the SMs: "gpu0.l3"
    WM_PLACE_CPU,     // with the CPU cores: "cpu0.l3"
    WM_PLACE_MACHINE, // outside of both, below either: "llc"
    WM_LEVEL_PLACES,  // how many there are
};

// Of struct wm_level_spec.units_each: one cache of all units.
#define WM_UNITS_ALL UINT32_MAX

// What of a unit's own accesses a level serves: a mask. Data are all accesses that no other level
// of the unit serves.
enum wm_level_serves {
    WM_SERVES_CONSTANT = 1,     // constant memory
    WM_SERVES_READ_ONLY = 2,    // read-only loads and texture fetches
    WM_SERVES_UNIFORM = 4,      // loads whose lanes all read the same bytes
    WM_SERVES_INSTRUCTIONS = 8, // instruction fetches
    WM_SERVES_ATOMICS = 16,     // atomics and reductions
    WM_SERVES_DATA = 32,
};

// How a description of one unit's cache becomes that of a cache which several share.
enum wm_sharing {
    WM_SHARING_GIVEN, // it is that already
    WM_SHARING_SETS,  // it has the sets, ports and MSHRs of so many
    WM_SHARING_WAYS,  // the same, but the ways
};

enum { WM_LEVEL_NAME_BYTES = 16 };

// A level of caches, all alike. Not each makes use of each field: wm_memory_spec_check says which
// may be given where.
struct wm_level_spec {
    char name[WM_LEVEL_NAME_BYTES]; // in paths: "llc"; "": the one that its number has
    enum wm_level_place place;
    // The units whose accesses reach it, one after the other; a count of 0: all.
    uint32_t first_unit, unit_count;
    unsigned serves; // enum wm_level_serves; 0: what its number says, which is nothing of levels
                     // that have no number of their own
    struct wm_cache_spec cache; // one of its caches; of a level with slices the whole of them
    // Consecutive units (SMs) that share one, the last may have fewer; or WM_UNITS_ALL. 0: each has
    // one; or, of a level with slices, all units share it.
    uint32_t units_each;
    uint32_t slices;           // of each cache; 0: it has none. Of L2 a multiple of dram.channels
    uint64_t interleave_bytes; // consecutive bytes on one slice
    enum wm_interleave_hash interleave_hash; // and how these blocks choose it
    // Of L2: parts of its slices, each near as large a part of the SMs; 0 and 1: all are near all.
    uint32_t partitions;
    uint32_t partition_latency; // of the clock engine: cycles from one to another
    uint8_t below;              // WM_BELOW_DEFAULT, WM_BELOW_MEMORY or WM_BELOW(level)
    enum wm_l1_allocation allocation;
    enum wm_l2_load_allocation load_allocation;
    enum wm_inclusion inclusion; // of it and the levels above it
    enum wm_level_coherence coherence;
    bool flush_at_kernel;     // its contents are dropped when a kernel starts
    bool host_write_allocate; // what the host copies or fills takes lines in it, clean
    struct wm_divergence_spec divergence;
    uint32_t victim_lines;                  // of each cache's victim cache; 0: none
    uint32_t victim_latency;                // cycles that an exchange with the victim cache takes
    struct wm_tracker_spec tracker;         //
    uint32_t atomic_buffer_lines;           // sectors that each slice's holds; 0: none
    const struct wm_bypass_ops *bypass;     // mem/bypass/bypass.h; NULL: cache-operator
    struct wm_entry_values bypass_values;   //
    enum wm_bypass_means bypass_means;      //
    const struct wm_prefetch_ops *prefetch; // mem/prefetch/prefetch.h; NULL: none
    struct wm_entry_values prefetch_values; //
    struct wm_cache_timing timing;          //
    // Of descriptions alone: a machine that has been read has been given what they say.
    enum wm_sharing sharing;
    uint32_t sharing_latency; // cycles more with each doubling of the units that share one
    enum wm_cache_coalescing coalescing; //
    enum wm_locked_line locked_line;     //
    uint32_t word_interval;              // cycles for each word of an instruction; 0: all in one
    uint32_t return_sectors;             // handed to waiters in a cycle; 0: any number
    uint32_t ports;                      // requests of an instruction in a cycle; 0 is 1
    struct wm_bank_spec banks;           //
    // Of a coherent level, of the clock engine: cycles of the way to the level below or to memory.
    // 0: a cycle, or the interconnect's where it crosses that; to memory without a directory none.
    uint32_t link_latency;
    uint32_t atomic_interval; // cycles between atomics at one address; 0 is 1
    bool atomic_by_sector;    // those of a request at other sectors do not go at once
};

// Units of one kind: they are numbered behind those of the places before.
struct wm_unit_group {
    const char *place, *name; // in paths: "cpu0", "core"; static
    uint32_t first, count;
};

struct wm_memory_spec {
    uint32_t sm_count; // of each GPU: those of GPU g are the units from g times so many on
    // GPUs, each with all that is described here; 0 is 1. What an address is in the memory of, one
    // GPU's or each's own, says base/access/gpu_addresses.h: levels that all units of a GPU share
    // are of that GPU, and what requests it from another GPU crosses the link between the two.
    uint32_t gpus;
    struct wm_peer_link_spec peer_link;          // of several
    uint32_t core_count;                         // CPU cores beside the SMs of all GPUs
    struct wm_level_spec levels[WM_MOST_LEVELS]; // those that are not present do not count
    struct wm_tlb_spec tlb;
    struct wm_dram_spec dram;
    struct wm_interconnect_spec interconnect;
    bool demand_before_writeback; // order at L2 of a miss's fetch and its victim's write-back
};

// What a level is called, and what of units' accesses it serves.
const char *wm_level_name(const struct wm_memory_spec *spec, uint32_t level);
// The same, apart from levels of another place that are called so too: "l1", "cpu_l1".
enum { WM_LEVEL_FULL_NAME_BYTES = 24 };
#define WM_CPU_LEVEL "cpu_"
void wm_level_full_name(const struct wm_memory_spec *spec, uint32_t level,
                        char name[WM_LEVEL_FULL_NAME_BYTES]);
unsigned wm_level_serves(const struct wm_memory_spec *spec, uint32_t level);
// Whether it is present and has a prefetcher.
bool wm_level_prefetches(const struct wm_memory_spec *spec, uint32_t level);
// Whether atomics and reductions that come to the level are done below it.
bool wm_level_passes_atomics(const struct wm_memory_spec *spec, uint32_t level);
// How many units its accesses come from, how many of them share one of its caches (of several GPUs
// those of one), and how many caches that makes, the slices of one together.
uint32_t wm_level_unit_count(const struct wm_memory_spec *spec, uint32_t level);
uint32_t wm_level_sharers(const struct wm_memory_spec *spec, uint32_t level);
uint32_t wm_level_instances(const struct wm_memory_spec *spec, uint32_t level);
// Whether, of several GPUs, each has one of a level, at which no access of a unit begins: it is
// before that GPU's memory, and what others request of that comes to it.
bool wm_level_is_home(const struct wm_memory_spec *spec, uint32_t level);
// Of a machine with all that has a name in every machine: for names, and for no sizes.
struct wm_memory_spec wm_memory_spec_of_names(void);
// The level where accesses of one kind (one bit of enum wm_level_serves) of a unit begin, that is
// present; WM_BELOW_MEMORY: none.
uint32_t wm_level_first(const struct wm_memory_spec *spec, uint32_t unit, unsigned kind);

// The number of the level below, of those that are present; WM_BELOW_MEMORY: memory.
uint32_t wm_level_below(const struct wm_memory_spec *spec, uint32_t level);
// The same as the spec says it, whether or not that level is present.
uint32_t wm_level_below_said(const struct wm_memory_spec *spec, uint32_t level);
// Whether it is a present level without a number of its own to which only side caches send: no
// accesses of units begin at it, and no other level is above it.
bool wm_level_has_sides_alone_above(const struct wm_memory_spec *spec, uint32_t level);
// Consecutive units that share one of its caches: 1 and more, or WM_UNITS_ALL.
uint32_t wm_level_units_each(const struct wm_memory_spec *spec, uint32_t level);
// How its caches work in time, and their ports, 1 at least; what a side cache's description leaves
// out is as of L1.
struct wm_cache_timing wm_level_timing(const struct wm_memory_spec *spec, uint32_t level);
uint32_t wm_level_ports(const struct wm_memory_spec *spec, uint32_t level);
bool wm_level_has_prefetcher(const struct wm_level_spec *level);
// The units of a place: of WM_PLACE_MACHINE all, without a name of their own.
struct wm_unit_group wm_units_of(const struct wm_memory_spec *spec, enum wm_level_place place);

static inline uint32_t wm_memory_gpus(const struct wm_memory_spec *spec)
{
    return spec->gpus == 0 ? 1 : spec->gpus;
}

// The units: the SMs of all GPUs, and behind them the CPU cores.
static inline uint32_t wm_memory_units(const struct wm_memory_spec *spec)
{
    return spec->sm_count * wm_memory_gpus(spec) + spec->core_count;
}

static inline bool wm_is_core(const struct wm_memory_spec *spec, uint32_t unit)
{
    return unit >= spec->sm_count * wm_memory_gpus(spec);
}

// How many caches `sm_count` SMs have when each `sms_each` of them share one.
static inline uint32_t wm_sm_groups(uint32_t sm_count, uint32_t sms_each)
{
    return sms_each <= 1 ? sm_count : sm_count / sms_each + (sm_count % sms_each != 0);
}

// The value of each of an entry's parameters.
static inline void wm_entry_values_resolve(const struct wm_parameter *parameters, size_t count,
                                           const struct wm_entry_values *given,
                                           uint64_t values[WM_MAX_PARAMETERS])
{
    for (size_t i = 0; i < WM_MAX_PARAMETERS; i++)
        values[i] = given->given >> i & 1 ? given->values[i]
                    : i < count           ? parameters[i].fallback
                                          : 0;
}

#endif
