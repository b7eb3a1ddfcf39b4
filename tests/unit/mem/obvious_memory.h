// A second memory system, small and slow, written from docs/memory-system.md and not from the code:
// what the tests hold the real one to. One function says what one rule says.
#ifndef WM_TESTS_OBVIOUS_MEMORY_H
#define WM_TESTS_OBVIOUS_MEMORY_H

#include "mem/system/memory_state.h"
#include "obvious_cache.h"
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

struct obvious_memory {
    struct wm_memory_spec spec;
    struct obvious_cache *l1, *l2; // l1_count, spec.levels[WM_LEVEL_L2].slices; or NULL
    uint32_t l1_count;
    struct obvious_cache *victims; // of each L1, or NULL
    struct obvious_cache *side_caches[WM_SIDE_CACHE_KINDS];
    uint32_t side_cache_counts[WM_SIDE_CACHE_KINDS];
    struct obvious_tlb *l1_tlbs, *l2_tlb; // tlb_count, one; or NULL
    uint32_t tlb_count;
    struct obvious_tracker *trackers; // tracker_count, or NULL
    uint32_t tracker_count;
    struct obvious_buffer *buffers; // spec.levels[WM_LEVEL_L2].slices, or NULL
    struct wm_dram_counters *dram;
    struct {
        uint32_t lines, left, looked_up, missed;
    } load; // the one whose requests are coming
};

struct obvious_memory *obvious_memory_new(const struct wm_memory_spec *spec);
void obvious_memory_free(struct obvious_memory *memory);

// As wm_memory_access and the others. Of an instruction of several requests, all say how many, and
// come one after another. Stores give their bytes, if not all that they write is whole sectors.
void obvious_serve(struct obvious_memory *memory, const struct wm_request *request);
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

// Sectors of the line at `address` on their way down.
struct obvious_load {
    enum wm_cache_client client;
    uint64_t address;
    uint32_t sectors;
    const uint32_t *bytes; // of a write: by sector, those it writes; NULL: all
    struct wm_requester who;
    bool write_no_allocate; // the line is above, and an exclusive L2 takes none for the write
    bool read_no_allocate;  // L1 takes the line, and L2 takes none of such loads
};

// The slice of an address.
struct obvious_cache *obvious_slice(struct obvious_memory *memory, uint64_t address);
// Inclusive: drops what lies in the L2 line from all caches above; returns what was dirty there.
uint32_t obvious_drop_above(struct obvious_memory *memory, uint64_t line_address);
// The same of a line that L2 does not hold, or no more; what was dirty goes to DRAM.
void obvious_leaves_l2(struct obvious_memory *memory, uint64_t line_address);
void obvious_displaced_from_l2(struct obvious_memory *memory, struct obvious_cache *l2,
                               const struct obvious_line *victim);
// L2 takes the lines that L1 holds after a store and it does not.
void obvious_hold_below(struct obvious_memory *memory, struct obvious_cache *l1, uint64_t address,
                        const struct wm_requester *who);
// Exclusive: a fetch of an L1 that holds the line now; a store that wrote sectors whole unfetched;
// a line that is displaced above.
void obvious_take_from_l2(struct obvious_memory *memory, struct obvious_cache *l1, uint64_t address,
                          uint32_t sectors, const struct wm_requester *who);
void obvious_forget_in_l2(struct obvious_memory *memory, uint64_t address, uint32_t sectors);
void obvious_enter_l2(struct obvious_memory *memory, struct obvious_cache *from,
                      const struct obvious_line *arriving, const struct wm_requester *who);
// What `cache`, an L1 or its victim cache, displaced goes down.
void obvious_send_down(struct obvious_memory *memory, struct obvious_cache *cache,
                       const struct obvious_line *line, const struct wm_requester *who);
// The victim cache of an L1, or NULL.
struct obvious_cache *obvious_victims_of(const struct obvious_memory *memory,
                                         const struct obvious_cache *l1);
// An access found no line in L1: what its victim cache makes of that. True when the access is a
// store that dropped its line there, and is done but for going on.
bool obvious_recall(struct obvious_memory *memory, struct obvious_cache *l1,
                    const struct obvious_access *access);
// L1 displaced a line: it goes to the victim cache, and `*line` is what leaves that, if any.
// Returns the cache that displaced it in the end.
struct obvious_cache *obvious_hand_on(struct obvious_memory *memory, struct obvious_cache *l1,
                                      struct obvious_line *line, const struct wm_requester *who);
// Trackers and atomic buffers; and that no tracker knows anything any more.
void obvious_trackers_init(struct obvious_memory *memory);
void obvious_trackers_free(struct obvious_memory *memory);
void obvious_trackers_flush(struct obvious_memory *memory);
// After a load at an L1 of a tracker: whether another L1 supplies what is to be fetched. `taken`:
// the L1 has the line now.
bool obvious_supplied(struct obvious_memory *memory, const struct obvious_cache *l1,
                      uint64_t number, const struct obvious_answer *answer, bool taken);
// The L1's SM has written the line, or accessed it coherently.
void obvious_written(struct obvious_memory *memory, struct obvious_cache *l1, uint64_t number);
// An atomic on a sector; another access to it; and all that is buffered goes to L2.
void obvious_operate(struct obvious_memory *memory, uint64_t address,
                     const struct wm_requester *who);
void obvious_spill(struct obvious_memory *memory, uint64_t address, const struct wm_requester *who);
void obvious_spill_all(struct obvious_memory *memory);
void obvious_tlbs_init(struct obvious_memory *memory);
void obvious_tlbs_free(struct obvious_memory *memory);
void obvious_to_l2(struct obvious_memory *memory, const struct obvious_load *load);
void obvious_to_dram(struct obvious_memory *memory, uint64_t address, uint32_t sectors, bool write);
// Writes `dirty` of a line of an L1 back.
void obvious_write_back(struct obvious_memory *memory, struct obvious_cache *l1,
                        const struct obvious_line *line, uint32_t dirty, bool write_no_allocate,
                        const struct wm_requester *who);

#endif
