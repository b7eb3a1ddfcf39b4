// A second memory system, small and slow, written from docs/memory-system.md and not from the code:
// what the tests hold the real one to. It knows levels alone: what one does with a request is one
// function (obvious_level.c), which sends what is left to do to the level below, which does the
// same. One function says what one rule says.
#ifndef WM_TESTS_OBVIOUS_MEMORY_H
#define WM_TESTS_OBVIOUS_MEMORY_H

#include "mem/system/memory_state.h"
#include "obvious_cache.h"
#include "obvious_prefetch.h"
#include "obvious_tracker.h"

struct obvious_tlb {
    struct obvious_cache pages;
    struct wm_tlb_counters counters;
};

struct obvious_buffer {
    uint64_t sectors[WM_ATOMIC_BUFFER_MOST_LINES + 1]; // addresses, least recently used first
    uint32_t count;
    struct wm_atomic_buffer_counters counters;
};

// One cache of a level, and what hangs on it.
struct obvious_node {
    struct obvious_level *level;
    uint32_t first_unit; // of those whose accesses reach it
    struct obvious_cache array;
    struct obvious_cache *victims;          // its victim cache, or NULL
    struct obvious_buffer *buffer;          // its atomic buffer, or NULL
    struct obvious_prefetcher *prefetcher;  // or NULL
    struct wm_partition_counters crossings; // of a level in partitions
};

struct obvious_level {
    const struct wm_level_spec *spec;
    uint32_t number;             // among the spec's
    uint32_t units_each, slices; // 1 at least
    struct obvious_node *nodes;  // the slices of one group of units behind those of another
    uint32_t node_count;         // 0: the machine has no such level
    struct obvious_level *below; // NULL: memory
};

struct obvious_memory {
    struct wm_memory_spec spec;
    struct obvious_level levels[WM_MOST_LEVELS];
    struct obvious_level *top_down[WM_MOST_LEVELS]; // those that are there, each behind all above
    uint32_t level_count;
    struct obvious_tlb *l1_tlbs, *l2_tlb; // tlb_count, one; or NULL
    uint32_t tlb_count;
    struct obvious_tracker *trackers; // tracker_count, or NULL
    uint32_t tracker_count;
    struct wm_dram_counters *dram;
    uint32_t unit; // whose accesses they are, or the first of those that a cache serves
    struct {
        uint32_t lines, left, looked_up, missed;
    } load; // the one whose requests are coming
};

struct obvious_memory *obvious_memory_new(const struct wm_memory_spec *spec);
void obvious_memory_free(struct obvious_memory *memory);

// As wm_memory_access and the others. Of an instruction of several requests, all say how many, and
// come one after another. Stores give their bytes, if not all that they write is whole sectors.
void obvious_serve(struct obvious_memory *memory, const struct wm_request *request);
// Whether, as things are before its instruction's first request, it is among those that go first
// (R6).
bool obvious_comes_first(struct obvious_memory *memory, const struct wm_request *request);
void obvious_side_cache_load(struct obvious_memory *memory, enum wm_side_cache_kind kind,
                             const struct wm_request *request);
void obvious_translate(struct obvious_memory *memory, const struct wm_request *who,
                       const uint64_t *addresses, size_t count);
void obvious_kernel_begin(struct obvious_memory *memory);
void obvious_resize_l1(struct obvious_memory *memory, uint64_t size_bytes, uint32_t ways);
void obvious_host_write(struct obvious_memory *memory, uint64_t address, uint64_t size_bytes);
void obvious_host_read(struct obvious_memory *memory, uint64_t address, uint64_t size_bytes);
void obvious_drain(struct obvious_memory *memory);

// Whether every counter of every component of `real` is the model's, and all are there under their
// names. If not, the first that differs is printed.
bool obvious_equal(const struct obvious_memory *memory, const struct wm_memory *real);

// --- Between the model's own files ---

// Sectors on their way down.
struct obvious_request {
    enum wm_cache_client client;
    uint64_t address; // of the first of 32 sectors
    uint32_t sectors;
    const uint32_t *bytes; // of a write: by sector, those it writes; NULL: all
    struct wm_requester who;
    bool takes_no_line; // at the level that it comes to
};

uint64_t obvious_bytes_of(uint32_t sectors);
// An empty array, as the spec is now.
void obvious_node_init_array(struct obvious_node *node, const char *path);
// Where a level keeps the line at `address` for a unit.
struct obvious_node *obvious_node_of(const struct obvious_level *level, uint32_t unit,
                                     uint64_t address);

// obvious_level.c: a request comes to a level (NULL: to memory), in lines of any size; in a line of
// one of its caches, looked up there, or around it. The former returns the sectors it missed.
void obvious_arrive(struct obvious_memory *memory, struct obvious_level *level, uint32_t unit,
                    const struct obvious_request *request);
uint32_t obvious_look_up(struct obvious_memory *memory, struct obvious_node *node,
                         const struct obvious_request *request);
void obvious_pass(struct obvious_memory *memory, struct obvious_node *node,
                  const struct obvious_request *request);
// The part of a request that lies in the first line it touches is taken out of it, and is one of
// that line, with bytes of its own. False when nothing is left.
struct obvious_part {
    struct obvious_request request;
    uint32_t bytes[OBVIOUS_SECTORS];
};
bool obvious_next_part(struct obvious_request *rest, uint64_t line_bytes,
                       struct obvious_part *part);
// What a request brings through the upper side of a cache, and what goes back.
void obvious_count_above(struct obvious_cache *cache, const struct obvious_request *request);
// A request of a cache goes to the level below it.
void obvious_go_below(struct obvious_memory *memory, const struct obvious_node *node,
                      const struct obvious_request *request);
// Writes `dirty` of a line of `cache`, the node's array or its victim cache, back. `stays`: the
// line does too.
void obvious_write_back(struct obvious_memory *memory, struct obvious_node *node,
                        struct obvious_cache *cache, const struct obvious_line *line,
                        uint32_t dirty, bool stays, const struct wm_requester *who);
// What `cache`, the same, displaced goes down.
void obvious_send_down(struct obvious_memory *memory, struct obvious_node *node,
                       struct obvious_cache *cache, const struct obvious_line *line,
                       const struct wm_requester *who);

// Whether it is a side cache (R10): nothing in it is ever dirty.
bool obvious_loads_only(const struct obvious_level *level);
// Whether loads and stores of units begin there.
bool obvious_serves_data(const struct obvious_level *level);
// Where what a unit's first level lacks goes, and page walks do; NULL: to memory.
struct obvious_level *obvious_past_first(struct obvious_memory *memory, uint32_t unit);

// obvious_partitions.c. A request comes to a level in partitions, whose slice `home` its line is
// of.
void obvious_serve_in_partitions(struct obvious_memory *memory, struct obvious_node *home,
                                 const struct obvious_request *request);

// obvious_inclusion.c. Whether the level below takes only what leaves this one.
bool obvious_excludes_below(const struct obvious_level *level);
// The same, and the cache holds the line: the level below takes none for what is written of it.
bool obvious_keeps(struct obvious_node *node, uint64_t number);
// A line leaves a cache: an inclusive one's leaves all above, and is dirty where it was dirty
// there. Returns whether it is dirty by that alone. And the same of a line that it does not hold:
// returns what was dirty, counted as a write-back of the cache.
bool obvious_leaves(struct obvious_memory *memory, struct obvious_node *node,
                    struct obvious_line *line);
uint32_t obvious_refuses(struct obvious_memory *memory, struct obvious_node *node,
                         uint64_t address);
// The same, written below at once.
void obvious_lost(struct obvious_memory *memory, struct obvious_node *node, uint64_t address,
                  const struct wm_requester *who);
// Inclusive levels below take the lines that a cache holds after a write and they do not.
void obvious_hold_below(struct obvious_memory *memory, struct obvious_node *node, uint64_t address,
                        const struct wm_requester *who);
// To an exclusive level: a fetch of a cache that holds the line now; a store that wrote sectors
// whole unfetched; a line that is displaced above.
void obvious_take_from_below(struct obvious_memory *memory, struct obvious_node *node,
                             uint64_t address, uint32_t sectors, const struct wm_requester *who);
void obvious_forget_below(struct obvious_node *node, uint64_t address, uint32_t sectors);
void obvious_enter_below(struct obvious_memory *memory, struct obvious_node *node,
                         struct obvious_cache *from, const struct obvious_line *arriving,
                         const struct wm_requester *who);

// obvious_victims.c. An access found no line: what the victim cache makes of that. True when the
// access is a store that dropped its line there, and is done but for going on.
bool obvious_recall(struct obvious_memory *memory, struct obvious_node *node,
                    const struct obvious_access *access);
// The array displaced a line: it goes to the victim cache, and `*line` is what leaves that, if any.
// Returns the cache that displaced it in the end.
struct obvious_cache *obvious_hand_on(struct obvious_node *node, struct obvious_line *line,
                                      const struct wm_requester *who);

// obvious_atomics.c: trackers and atomic buffers; and that no tracker knows anything any more.
void obvious_trackers_init(struct obvious_memory *memory);
void obvious_trackers_flush(struct obvious_memory *memory);
// After a load at an L1 of a tracker: whether another L1 supplies what is to be fetched. `taken`:
// the L1 has the line now.
bool obvious_supplied(struct obvious_memory *memory, const struct obvious_node *node,
                      uint64_t number, const struct obvious_answer *answer, bool taken);
// The unit has written the line, or accessed it coherently.
void obvious_written(struct obvious_memory *memory, struct obvious_node *node, uint64_t number);
// What an atomic buffer makes of a request in a line first. True when it was an atomic, which is
// done then. And all that is buffered goes to the arrays.
bool obvious_use_buffer(struct obvious_memory *memory, struct obvious_node *node,
                        const struct obvious_request *request);
void obvious_spill_all(struct obvious_memory *memory);

void obvious_tlbs_init(struct obvious_memory *memory);
void obvious_tlbs_free(struct obvious_memory *memory);

#endif
