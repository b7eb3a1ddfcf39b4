// The inside of a memory system, for the files of mem/ that build it (memory.c), drive it
// (mem/access_path/, compiled once for each vector width) and serve the host's copies
// (host_access.c). Private to mem/.
#ifndef WM_MEM_SYSTEM_MEMORY_STATE_H
#define WM_MEM_SYSTEM_MEMORY_STATE_H

#include "base/access/gpu_addresses.h"
#include "base/run/atomic_add.h"
#include "mem/cache/cache.h"
#include "mem/graph/memory_graph.h"
#include "mem/interleave/block_hash.h"
#include "mem/system/atomic_buffer.h"
#include "mem/system/memory.h"
#include "mem/system/memory_components.h"
#include "mem/system/prefetchers.h"
#include "mem/tracker/line_versions.h"
#include "mem/tracker/sharing_tracker.h"
#include "mem/translation/tlb.h"

// clang-format off
#define WM_DRAM_COUNTERS(X)                                                                        \
    X(reads, "requests", "read requests of L2 (of an SM's request when there is no L2)")           \
    X(writes, "requests", "write requests of L2 (of an SM's request when there is no L2)")         \
    X(bytes_read, "bytes", "bytes requested and sent up (whole sectors)")                          \
    X(bytes_written, "bytes", "bytes sent down (whole sectors)")                                   \
    X(read_bursts, "bursts", "smallest transfers on the pins that the reads took")                 \
    X(write_bursts, "bursts", "smallest transfers on the pins that the writes took")               \
    X(bytes_transferred, "bytes", "bytes on the pins: bursts times their size")
// clang-format on

struct wm_dram_counters {
    WM_DRAM_COUNTERS(WM_COUNTER_FIELD)
};

// clang-format off
#define WM_PEER_LINK_COUNTERS(X)                                                                   \
    X(requests, "requests", "requests of the one GPU's SMs to the other's memory")                 \
    X(bytes_read, "bytes", "bytes of the one GPU's memory that the other's SMs read (whole sectors)") \
    X(bytes_written, "bytes",                                                                      \
      "bytes that the one GPU's SMs sent to the other's memory: stores, operands of atomics (whole sectors)") \
    X(bytes_copied, "bytes", "bytes of copies from the one GPU's memory to the other's")
// clang-format on

// One direction of the link between two GPUs: what goes from the one to the other.
struct wm_peer_link_counters {
    WM_PEER_LINK_COUNTERS(WM_COUNTER_FIELD)
};

// clang-format off
#define WM_PARTITION_COUNTERS(X)                                                                   \
    X(loads, "requests", "loads of lines whose home is in the other partition, looked up here")    \
    X(load_sectors, "sectors", "sectors of these loads")                                           \
    X(load_hits, "sectors", "of them, those that a copy here had")                                 \
    X(reads, "requests", "loads that went on to the home of their line, for what was not here")    \
    X(bytes_read, "bytes", "bytes that came from there (whole sectors)")                           \
    X(writes, "requests", "stores, write-backs of L1 and atomics that went on to their home")      \
    X(bytes_written, "bytes", "bytes that went there with them (whole sectors)")                   \
    X(dropped_sectors, "sectors", "sectors of copies here that a write at their home dropped")
// clang-format on

// At a slice of a level in partitions: what it does for lines whose home is in another.
struct wm_partition_counters {
    WM_PARTITION_COUNTERS(WM_COUNTER_FIELD)
};

struct wm_cache_level;     // below
struct wm_coherent_memory; // mem/system/coherent_memory.h
struct wm_coherence_line;  // mem/coherence/coherence.h
struct access_context;     // mem/access_path/access_context.h
struct line_place;         // likewise
struct wm_l2_queue;        // below
struct wm_lane_lines;      // mem/lru_lanes/
struct wm_lane_share;

// The access path, compiled for one vector width.
struct wm_memory_paths {
    const char *name; // "plain", "avx2", "avx512"
    struct wm_access_result (*access_lines)(struct wm_memory *memory, const struct wm_request *who,
                                            const struct wm_line_request *lines, uint32_t count);
    void (*access_run)(struct wm_memory *memory, const struct wm_request_run *run);
    void (*drain_l2_queues)(struct wm_memory *memory);
    // What waits for a slice of this memory system or, `resets`, of one whose sets are others.
    void (*serve_queue)(struct wm_memory *memory, uint32_t slice, const struct wm_l2_queue *queue,
                        bool resets);
    struct wm_access_result (*side_cache_load)(struct wm_memory *memory,
                                               const struct wm_cache_level *level,
                                               struct wm_cache *cache,
                                               const struct wm_request *request);
    // A load of sectors of one line of the level below the unit's first, which no cache above that
    // looks for.
    void (*load_past_first)(struct wm_memory *memory, const struct wm_request *request);
    // Dirty sectors of a line of one of a level's caches, or of its victim cache (`from`), go to
    // the level below, charged to no instruction. `unit` is one whose accesses the cache serves;
    // `kept`: it keeps the line, clean.
    void (*write_back)(struct wm_memory *memory, const struct wm_cache_level *level,
                       struct wm_cache *from, uint32_t unit, const struct wm_cache_victim *victim,
                       bool kept);
    // A line of a cache has been dropped where its level is inclusive: it leaves the caches above.
    void (*left_inclusive)(struct wm_memory *memory, const struct wm_cache_level *level,
                           struct wm_cache *cache, uint32_t unit, uint64_t line_address);
    // A buffered sector goes back to its slice of L2.
    void (*atomic_spill)(struct wm_memory *memory, uint32_t slice, uint64_t address);
    // The lines of a load in the lanes of a share, whose block has tags at `block`
    // (mem/lru_lanes/lru_lanes.h).
    void (*lanes_load)(uint64_t *block, uint32_t ways, const struct wm_lane_lines *lines,
                       struct wm_lane_share *share);
    // Steps of the access path that lead back to themselves: an access to a level sends requests to
    // the level below, which is a level too. For mem/access_path/ alone.
    void (*finish_access)(struct wm_memory *memory, const struct wm_cache_level *level,
                          struct wm_cache *cache, const struct line_place *place,
                          struct wm_cache_result *result, bool allocate,
                          struct access_context *context);
    void (*serve_request)(struct wm_memory *memory, const struct wm_cache_level *level,
                          enum wm_cache_client client, uint64_t line_address, uint32_t sectors,
                          uint32_t full_sectors, struct access_context *context);
    // All that waits for a slice of L2.
    void (*serve_slice)(struct wm_memory *memory, uint32_t slice);
};

extern const struct wm_memory_paths wm_memory_paths_plain, wm_memory_paths_avx2,
    wm_memory_paths_avx512;
// In plain C, with the parts that most machines do without: it also feeds memory->shadows.
extern const struct wm_memory_paths wm_memory_paths_full;

// The paths that this processor can run, plainest first; `*count` of them.
const struct wm_memory_paths *const *wm_memory_paths_available(size_t *count);
// How many of them WARPMEM_ISA allows (base/host/processor.h), one at least: a memory system takes
// the last of these.
size_t wm_memory_paths_allowed(void);

struct wm_memory_shadows; // mem/explain/explain.h

struct wm_self_invalidation_counters; // self_invalidation.h

// A level of caches: L1s, the side caches of one kind, the slices of L2, a last-level cache.
struct wm_cache_level {
    // Owned: `count` of them, the slices of one instance behind those of another; NULL: the machine
    // has no such level.
    struct wm_cache *caches;
    uint32_t count;
    uint32_t first_unit, unit_count;               // whose accesses it serves, one after the other
    uint32_t units_each;                           // of them share an instance
    struct wm_divider slices;                      // of an instance
    uint32_t partitions, partition_slices;         // 1 and more; slices of each
    struct wm_partition_counters *crossings;       // owned: by slice; NULL of one partition
    uint32_t line_bytes, line_shift, line_sectors; // without caches, of the requests that pass it
    uint32_t block_shift;                          // lines of one interleave block, log2
    struct wm_block_hash *interleave_hash;         // owned; of its slices; NULL: blocks take turns
    struct wm_set_tables *sets; // owned; of its caches, where they hash; else NULL
    struct wm_cache *victims;   // owned: the victim cache of each, or NULL
    struct wm_prefetchers prefetchers;
    struct wm_self_invalidation_counters *self_invalidations; // owned: by cache; NULL: not scoped
    bool loads_only;                                          // nothing in it is ever dirty
    bool passes_atomics;                                      // they are done below
    bool takes_uncached_only;     // loads that take a line above take none here
    bool is_home;                 // of several GPUs: an instance of each, for its memory's lines
    bool is_coherent;             // its accesses go by mem/access_path/coherent_access.c
    enum wm_inclusion inclusion;  // of what the level holds and the caches above it hold
    struct wm_cache_level *below; // that its misses go to; NULL: memory
    uint32_t number;              // in the spec, and among an instruction's counters
};

// Where a unit's accesses begin, if all that a hit changes there is the cache (wm_memory_hit).
struct wm_unit_hits {
    const struct wm_cache_level *level;
    struct wm_cache *cache;             // NULL: it may change more
    struct wm_coherence_line *coherent; // by slot; NULL: the level is not coherent
};

// The instance of a unit's accesses, of a level that is no home.
static inline uint32_t wm_level_instance(const struct wm_cache_level *level, uint32_t unit)
{
    uint32_t within = unit - level->first_unit;
    return level->units_each == 1 ? within : within / level->units_each;
}

// The cache of a unit's accesses, of a level that is there and has no slices.
static inline struct wm_cache *wm_cache_of_unit(const struct wm_cache_level *level, uint32_t unit)
{
    return &level->caches[wm_level_instance(level, unit)];
}

// A unit whose accesses one of the level's caches serves: the first of them.
static inline uint32_t wm_first_unit_of(const struct wm_cache_level *level, uint32_t cache)
{
    return level->first_unit + cache / (uint32_t)level->slices.divisor * level->units_each;
}

// Which slice of an instance holds a line, and the line number that its set index is computed from:
// the number with the slice's share divided out, so that all sets of a slice are used. The first:
// of a machine with one GPU.
static inline __attribute__((always_inline)) uint32_t wm_level_slice_of_one(
    const struct wm_cache_level *level, uint64_t line, uint64_t *index_line)
{
    if (level->slices.divisor == 1) {
        *index_line = line;
        return 0;
    }
    uint64_t slice, within = line & ((UINT64_C(1) << level->block_shift) - 1);
    uint64_t place = wm_block_place(level->interleave_hash, line >> level->block_shift);
    uint64_t block = wm_divide(&level->slices, place, &slice);
    *index_line = (block << level->block_shift) | within;
    return (uint32_t)slice;
}

static inline uint32_t wm_level_slice(const struct wm_cache_level *level, uint64_t line,
                                      uint64_t *index_line)
{
    if (level->is_home) // lines of one place have one index, whichever GPU's memory they are of
        line &= ~(WM_GPU_ADDRESS_MASK >> level->line_shift);
    return wm_level_slice_of_one(level, line, index_line);
}

// Of a level in partitions: whether a slice may hold a line whose home is slice `home`, and the
// slice where a unit looks for it: its home, or the slice of the unit's partition that keeps
// copies.
static inline bool wm_slice_may_hold(const struct wm_cache_level *level, uint32_t slice,
                                     uint32_t home)
{
    return slice == home || (level->partitions > 1 &&
                             slice % level->partition_slices == home % level->partition_slices);
}

static inline uint32_t wm_slice_near(const struct wm_memory_spec *spec,
                                     const struct wm_cache_level *level, uint32_t unit,
                                     uint32_t home)
{
    uint32_t partition = (uint32_t)((uint64_t)unit * level->partitions / spec->sm_count);
    return home % level->partition_slices + partition * level->partition_slices;
}

// partitions.c. A write has been done at a line's home: the copies of its sectors that the slices
// of other partitions have are dropped. And what one slice has of them.
void wm_drop_copies(struct wm_memory *memory, struct wm_cache_level *level, uint32_t home,
                    uint64_t line, uint64_t index_line, uint32_t sectors);
void wm_drop_copy(struct wm_memory *memory, struct wm_cache_level *level, uint32_t slice,
                  uint64_t line, uint64_t index_line, uint32_t sectors);

// A request that waits for its slice of L2, in L2's lines. Thousands wait, so these are small ones:
// an L2 with others is left to the full build, where none waits (wm_memory_needs_full).
struct wm_l2_queue_entry {
    uint64_t line_address;
    uintptr_t counters; // of its instruction: wm_l2_queues.charges plus so many bytes
    uint32_t set;
    uint8_t sectors, full_sectors; // WM_CACHE_NARROW_SECTORS at most
    uint8_t client; // enum wm_cache_client; WM_QUEUED_RETURNING: an atomic that brings bytes back
};
enum { WM_QUEUED_RETURNING = WM_CACHE_WRITEBACK + 1, WM_QUEUED_CLIENTS };

static inline enum wm_cache_client wm_queued_client(const struct wm_l2_queue_entry *entry)
{
    return entry->client == WM_QUEUED_RETURNING ? WM_CACHE_ATOMIC
                                                : (enum wm_cache_client)entry->client;
}
_Static_assert(sizeof(struct wm_l2_queue_entry) == 24,
               "the host's second cache is to hold all that wait");

// So many of them, of a view's queue: they wait before those that its `entries` has.
struct wm_l2_queue_chunk {
    struct wm_l2_queue_chunk *next;
    struct wm_l2_queue_entry *entries; // owned, as the next; a queue's room
    struct wm_requester *requesters;
};

// Those that wait for one slice.
struct wm_l2_queue {
    const struct wm_l2_queue *next;         // what is served behind it, together; borrowed, or NULL
    struct wm_l2_queue_chunk *first, *last; // that are full, in order; NULL: none is
    struct wm_l2_queue_entry *entries;
    struct wm_requester *requesters; // of each of them; NULL where L2's replacement entry sees none
    uint32_t count, room;
};

// The same of all slices. They are independent of each other, and what is charged to an instruction
// does not depend on the order, so each slice's are served together: what the host reads of a slice
// then serves many of them.
enum {
    WM_L2_QUEUE_ENTRIES = 128,
    WM_L2_QUEUE_STRIDE = 130
}; // queues begin in different lines of 4 KiB
struct wm_l2_queues {
    struct wm_l2_queue *of_slice; // owned, but of a view (mem/system/memory_view.h)
    uint64_t *busy;               // owned; slices whose count is not 0, bit by number
    uint32_t words;               // of `busy`
    bool defers; // none is served when its queue is full, which gets a chunk instead: a view's
    struct wm_l2_queue_chunk **spare; // borrowed: of a view, where that is taken from
    bool failed;                      // it could not grow: some are missing
    uintptr_t charges; // where the table of counters that a view charges begins; else 0
    // Owned: WM_L2_QUEUE_STRIDE a slice.
    struct wm_l2_queue_entry *entries;
    struct wm_requester *requesters;
};

struct wm_memory {
    struct wm_memory_spec spec; // entries borrowed, static
    const struct wm_memory_paths *paths;
    struct wm_cache_level levels[WM_MOST_LEVELS]; // by the spec's numbers, with and without caches
    struct wm_cache_level
        *from_units[WM_MOST_LEVELS];          // those with caches, each before the one below it
    uint32_t level_count;                     // of them
    struct wm_cache_level **first_of_unit;    // owned: the level where a unit's data accesses begin
    struct wm_cache **l1_of_sm;               // owned: each SM's L1; NULL where there are none
    struct wm_unit_hits *hits;                // owned: by unit
    struct wm_tlbs *tlbs;                     // owned; NULL when there are none
    struct wm_sharing_tracker *trackers;      // owned: tracker_count of them, or NULL
    uint32_t tracker_count;                   //
    struct wm_atomic_buffer *atomic_buffers;  // owned: of each slice of L2, or NULL
    struct wm_line_versions *versions;        // owned; NULL unless they are checked
    struct wm_coherent_memory *coherent;      // owned; NULL: no level is coherent
    struct wm_dram_counters *dram;            // owned: spec.dram.channels of each GPU
    struct wm_peer_link_counters *peer_links; // owned: from GPU f to t at f * gpus + t; NULL of one

    uint32_t gpus;          // 1 and more
    uint32_t request_bytes; // what a request's sectors count from: L1's line
    uint32_t l2_line_bytes, l2_line_shift, l2_line_sectors;
    struct wm_divider channels;
    uint32_t channel_shift;
    struct wm_block_hash *channel_hash; // owned; NULL: blocks take turns with the channels
    uint32_t burst_sectors;

    const struct wm_bypass_ops *bypass; // of the L1s; NULL: cache-operator, which is not called
    char *bypass_states;                // owned; state by L1

    struct wm_l2_queues l2_queues;  // without queues where there is no L2
    const struct wm_cache *near_l1; // the L1 of the last run, which the host's caches have
    struct wm_instruction_counters unattributed; // counts on behalf of requests without a cause
    uint64_t *visited; // owned; room for visited_lines, those of any cache, for host_access.c
    uint64_t visited_lines;
    struct wm_component_counters *components; // owned
    size_t component_count;
    struct wm_memory_shadows *shadows; // owned; NULL unless misses are explained
    struct wm_memory_graph graph;      // of `spec`: names, and the order of `components`
};

// The GPU of a unit; and in whose memory an address lies, `unit` being whose access it is of.
static inline uint32_t wm_gpu_of_unit(const struct wm_memory *memory, uint32_t unit)
{
    return memory->gpus == 1 ? 0 : unit / memory->spec.sm_count;
}

static inline uint32_t wm_home_of(const struct wm_memory *memory, uint64_t address, uint32_t unit)
{
    return memory->gpus == 1
               ? 0
               : wm_gpu_of_address(address, memory->gpus, wm_gpu_of_unit(memory, unit));
}

// Whether what a level lacks, or a unit's request around it, is before the memory of the GPU that
// the address says: `below` is the next level.
static inline bool wm_is_before_home(const struct wm_cache_level *below)
{
    return below == NULL || below->is_home;
}

// A request of GPU `from` crosses the link to the home of what it is for: what it writes goes with
// it, what a load, or as `returns` an atomic, reads comes back. Any thread: in time each SM's
// counts.
static inline void wm_count_crossing(struct wm_memory *memory, uint32_t from, uint32_t home,
                                     enum wm_cache_client client, bool returns, uint32_t sectors)
{
    struct wm_peer_link_counters *there = &memory->peer_links[from * memory->gpus + home],
                                 *back = &memory->peer_links[home * memory->gpus + from];
    wm_add_atomically(&there->requests, 1);
    if (client != WM_CACHE_LOAD)
        wm_add_atomically(&there->bytes_written, wm_sector_bytes(sectors));
    if (client == WM_CACHE_LOAD || returns)
        wm_add_atomically(&back->bytes_read, wm_sector_bytes(sectors));
}

// The channel, of its GPU's, that an address lies in; returns the number of the address's block
// among those of the channel. The same place has the same channel in each GPU's memory.
static inline uint64_t wm_channel_of(const struct wm_memory *memory, uint64_t address,
                                     uint32_t *channel)
{
    uint64_t rest = 0, place = memory->gpus == 1 ? address : address & ~WM_GPU_ADDRESS_MASK;
    uint64_t turn = wm_block_place(memory->channel_hash, place >> memory->channel_shift);
    uint64_t block = wm_divide(&memory->channels, turn, &rest);
    *channel = (uint32_t)rest;
    return block;
}

// Sectors are read or written in bursts of a channel, a GPU's by number among those of all.
static inline void wm_count_dram(struct wm_memory *memory, uint32_t channel, bool write,
                                 uint32_t sectors, uint64_t bursts,
                                 struct wm_instruction_counters *charged)
{
    struct wm_dram_counters *dram = &memory->dram[channel];
    uint64_t bytes = wm_sector_bytes(sectors);
    *(write ? &dram->writes : &dram->reads) += 1;
    *(write ? &dram->bytes_written : &dram->bytes_read) += bytes;
    *(write ? &dram->write_bursts : &dram->read_bursts) += bursts;
    dram->bytes_transferred += bursts * memory->spec.dram.access_bytes;
    charged->memory_bytes += bytes;
}

// Whether a memory system has parts that only wm_memory_paths_full serves: the vector builds have
// no trace of them, so that machines without pay nothing for them; or an L2 with lines too long for
// struct wm_l2_queue_entry. Explaining misses needs the full build too, but is switched on later
// (wm_memory_explain) and not a matter of the spec.
bool wm_memory_needs_full(const struct wm_memory_spec *spec);

// access_path/hit.c. Building what wm_memory_hit needs, when all else is built.
enum wm_status wm_unit_hits_init(struct wm_memory *memory, struct wm_error *error);

// component_list.c. Fills memory->components, when all parts are built.
enum wm_status wm_memory_list_components(struct wm_memory *memory, struct wm_error *error);

// component_list.c. The counters of `like` under a kind and a title of their own, "l3"; made once,
// and kept. NULL without memory.
enum { WM_OWN_SET_BYTES = WM_LEVEL_COUNTER_BYTES + sizeof "_explained" };
const struct wm_counter_set *wm_own_counter_set(const char *kind, const char *title,
                                                const struct wm_counter_set *like);

// levels.c. Building the levels of a memory system whose graph is made; harmless release of what is
// half built; the lines of the largest of their caches; whether memory ran out in one under `opt`;
// and caches of a level emptied, from one to before another, their victim caches too.
enum wm_status wm_memory_levels_init(struct wm_memory *memory, struct wm_error *error);
void wm_memory_levels_release(struct wm_memory *memory);
uint64_t wm_memory_largest_cache_lines(const struct wm_memory *memory);
bool wm_memory_levels_opt_failed(const struct wm_memory *memory);
void wm_cache_level_flush(struct wm_cache_level *level, uint32_t first, uint32_t end);

// The number of the tracker of an SM.
static inline uint32_t wm_memory_tracker_of(const struct wm_memory *memory, uint32_t sm)
{
    uint32_t each = memory->spec.levels[WM_LEVEL_L1].tracker.sms_each, sms = memory->spec.sm_count;
    return memory->gpus == 1 ? sm / each : sm / sms * wm_sm_groups(sms, each) + sm % sms / each;
}

// sharing_trackers.c. Building the trackers, and harmless release of what is half built; nothing is
// tracked any more.
enum wm_status wm_memory_trackers_init(struct wm_memory *memory, struct wm_error *error);
void wm_memory_trackers_release(struct wm_memory *memory);
void wm_memory_trackers_flush(struct wm_memory *memory);

// atomic_buffers.c. Building the atomic buffers, and harmless release; no operation is buffered any
// more on bytes of a range: none at all of the GPU whose memory that is in, or of any.
enum wm_status wm_memory_atomic_buffers_init(struct wm_memory *memory, struct wm_error *error);
void wm_memory_atomic_buffers_release(struct wm_memory *memory);
void wm_memory_atomic_buffers_spill(struct wm_memory *memory, uint64_t begin, uint64_t end);

// coherent_memory.c. Building what is known of coherent levels, which are built; nothing is made
// where no level is coherent. Harmless release of what is half built.
enum wm_status wm_coherent_memory_init(struct wm_memory *memory, struct wm_error *error);
void wm_coherent_memory_release(struct wm_memory *memory);

// l1_bypass.c. Building; the decision about a load or store that is not volatile, never
// WM_BYPASS_YES, when memory->bypass is there; and the start of a kernel.
enum wm_status wm_memory_bypass_init(struct wm_memory *memory, struct wm_error *error);
// Its states anew, for a GPU's L1s as they are now.
void wm_memory_bypass_reset(struct wm_memory *memory, uint32_t gpu);
void *wm_memory_bypass_state(const struct wm_memory *memory, const struct wm_cache *l1);
enum wm_bypass_decision wm_memory_bypass_decide(struct wm_memory *memory,
                                                const struct wm_bypass_event *event);
void wm_memory_bypass_kernel(struct wm_memory *memory, uint32_t gpu);
// What the entry is given of a request to a cache whose lines have 1 << `line_shift` bytes.
static inline struct wm_bypass_event wm_memory_bypass_event(const struct wm_request *request,
                                                            uint32_t line_shift)
{
    return (struct wm_bypass_event){.line = request->address >> line_shift,
                                    .sectors = request->sectors,
                                    .pc = request->pc,
                                    .warp = request->warp,
                                    .sm = request->sm,
                                    .kind = request->kind,
                                    .hint = request->hint,
                                    .listed = (enum wm_bypass_list_entry)request->listed,
                                    .lines = request->lines,
                                    .resident_warps = request->resident_warps};
}

// The same of L2.
static inline uint32_t wm_memory_slice(const struct wm_memory *memory, uint64_t line,
                                       uint64_t *index_line)
{
    return wm_level_slice(&memory->levels[WM_LEVEL_L2], line, index_line);
}

#endif
