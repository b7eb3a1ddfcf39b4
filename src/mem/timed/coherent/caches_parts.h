// What the files of coherent caches in time share. Private to mem/timed/coherent/.
#ifndef WM_MEM_TIMED_COHERENT_CACHES_PARTS_H
#define WM_MEM_TIMED_COHERENT_CACHES_PARTS_H

#include "mem/coherence/coherence.h"
#include "mem/coherence/counters.h"
#include "mem/coherence/directory.h"
#include "mem/system/coherent_memory.h"
#include "mem/timed/coherent/caches.h"
#include "mem/timed/coherent/event_queue.h"
#include "mem/timed/coherent/records.h"
#include "mem/timed/network/crossbar.h"

// A slice of a node.
struct wm_coherent_slice {
    struct wm_cache *cache;           // borrowed; NULL: of the directory
    struct wm_coherent_cache *beside; // the states of its lines, by slot of the cache
    struct wm_coherent_cache own;     // owned: that, where the spec has none
    uint64_t *data;                   // owned: likewise, where reads and writes are watched
    struct wm_coherent_records records;
    uint32_t node, number;       // its node; its number among all slices
    uint32_t fetching, evicting; // entries of its MSHR file, of its eviction buffer, in use
    uint64_t next_look_up;       // the cycle from which it may take a request or a probe
    // When its ports are free: out to and in from its home, and its children.
    uint64_t home_out, home_in, child_out, child_in;
    bool may_retry;   // what those that wait for room lack may be there
    bool has_blocked; // an access, since something has happened here
    // Lines that its prefetcher wants, when all else of the event that made it want them is done.
    uint64_t wanted[WM_MOST_PREFETCHES];
    uint32_t wanted_count;
    struct wm_coherent_event wanted_by; // the last such event
    struct wm_coherent_timing_counters counters;
    struct wm_link_counters home_link, child_link; // of what left by each port
};

struct wm_coherent_tree_node {
    struct wm_coherent_node_spec spec;
    uint32_t number; // among its home's children
    uint32_t first_slice;
    uint32_t children[WM_COHERENCE_MOST_CHILDREN], child_count; // nodes, by number
    uint32_t data_flits; // of a message with a line, on the link to its home
};

// A line that is read from memory, in bursts, and the message that brings it.
struct wm_coherent_read {
    struct wm_coherent_event message;
    uint64_t begun, latest; // when its last burst comes, of those that are known
    uint32_t bursts, next_free;
};

struct wm_coherent_burst {
    uint64_t address, token;
    bool write;
};

struct wm_coherent_channel {
    struct wm_dram_channel *channel;  // owned
    struct wm_coherent_burst *bursts; // owned, a ring: what the channel has no room for yet
    uint32_t mask, first, end;
    uint64_t next; // when it acts, a cycle of `clock_hz`
};

// Where misses are explained: which bytes of its line a unit's access touches that is under way.
struct wm_coherent_row {
    uint32_t next_free; // a row's number, 0: none
    bool is_shared;     // struct wm_coherent_access
    uint32_t bytes[WM_MAX_LINE_SECTORS];
};

struct wm_coherent_rows {
    struct wm_coherent_row *items; // owned
    uint32_t count, room, free;    // `free`: the first that is, by its number
};

struct wm_coherent_caches {
    struct wm_coherent_caches_spec spec; // `nodes` is not kept
    struct wm_coherence_protocol protocol;
    struct wm_coherent_tree_node *nodes; // owned
    uint32_t node_count;
    struct wm_coherent_slice *slices; // owned: those of a node follow each other
    uint32_t slice_count;
    struct wm_coherent_events events;
    uint64_t now, sequence;
    struct wm_directory own_directory; // owned: likewise
    struct wm_directory_counters own_directory_counters;
    struct wm_instruction_counters uncharged; // of what no instruction has caused
    uint64_t no_data;                         // where nothing is watched
    struct wm_coherent_channel *channels;     // owned
    uint64_t channels_next;                   // when the first of them acts
    struct wm_clock_ratio to_dram, from_dram;
    uint32_t burst_bytes, line_sectors; // the latter a mask
    struct wm_coherent_read *reads;     // owned
    uint32_t read_room, free_read, fresh_read;
    struct wm_coherent_rows rows;
    struct wm_written_lines *written_lines; // borrowed; NULL: it is not noted who shares lines
    bool failed;                            // out of memory
};

static inline struct wm_coherent_slice *wm_coherent_slice_at(
    const struct wm_coherent_caches *caches, uint32_t node, uint64_t line, uint64_t *index_line)
{
    const struct wm_coherent_map *map = &caches->spec.map;
    const struct wm_coherent_tree_node *of = &caches->nodes[node];
    *index_line = line;
    uint32_t slice = of->spec.slices != 1 && map->slice != NULL
                         ? map->slice(map->context, node, line, index_line)
                         : 0;
    return &caches->slices[of->first_slice + slice];
}

// One event of a line in a slice, while it is carried out: the ports' context.
struct wm_coherent_step {
    struct wm_coherent_caches *caches;
    struct wm_coherent_slice *slice;
    const struct wm_coherent_tree_node *node;
    struct wm_coherence_line *line;
    uint64_t *data;
    uint64_t slot; // or WM_NO_SLOT
    const struct wm_coherent_event *event;
    uint32_t origin; // of what is given
    uint64_t leave;  // when messages that it sends leave
    bool was_deferred, was_completed;
};

extern const struct wm_coherence_ports wm_coherent_ports; // messages.c

// requests.c: an event is carried out by the slice that it is for; and an access of a unit.
void wm_coherent_take(struct wm_coherent_caches *caches, struct wm_coherent_event *event);
enum wm_coherent_answer wm_coherent_begin_access(struct wm_coherent_caches *caches,
                                                 struct wm_coherent_event *event, bool *missed,
                                                 uint64_t *done);

// prefetch.c: an access lacks a line of the slice, which has a way now, or uses it in its way; and
// the line leaves its way. Nothing happens where there is no prefetcher.
void wm_coherent_prefetch_missed(struct wm_coherent_caches *caches, struct wm_coherent_slice *slice,
                                 const struct wm_coherent_event *event);
void wm_coherent_prefetch_used(struct wm_coherent_caches *caches, struct wm_coherent_slice *slice,
                               uint64_t slot, const struct wm_coherent_event *event);
void wm_coherent_prefetch_left(struct wm_coherent_caches *caches, struct wm_coherent_slice *slice,
                               uint64_t slot, uint64_t line);

// contents.c. The slot of a line in a slice's cache, WM_NO_SLOT: it has none.
#define WM_NO_SLOT UINT64_MAX
uint64_t wm_coherent_slot_of(const struct wm_coherent_slice *slice, uint64_t line,
                             uint64_t index_line);
// Prefetches, on the host, what will be looked up of a line.
void wm_coherent_host_prefetch(const struct wm_coherent_slice *slice, uint64_t index_line);
// An access finds the line.
void wm_coherent_hit(struct wm_coherent_caches *caches, struct wm_coherent_slice *slice,
                     uint64_t slot, const struct wm_coherent_event *event);
// Why an event that needs the line, or the right to write it, has to wait.
enum wm_coherent_room {
    WM_ROOM_IS_THERE,
    WM_ROOM_NO_MSHR,
    WM_ROOM_NO_WAY,
    WM_ROOM_NO_EVICTION,
};
enum wm_coherent_room wm_coherent_find_way(const struct wm_coherent_caches *caches,
                                           const struct wm_coherent_slice *slice,
                                           uint64_t index_line,
                                           const struct wm_coherent_event *event);
// An access that misses takes a way, which there is, or, of no sectors, a line that is prefetched;
// returns the slot. `*victim`: the line that it
// displaces, which is evicting now; NULL: none. WM_NO_SLOT when out of memory.
uint64_t wm_coherent_take_way(struct wm_coherent_caches *caches, struct wm_coherent_slice *slice,
                              uint64_t index_line, const struct wm_coherent_event *event,
                              struct wm_coherent_record **victim);
void wm_coherent_leave_way(struct wm_coherent_caches *caches, struct wm_coherent_slice *slice,
                           uint64_t slot, uint64_t line, uint64_t index_line);
// A load that bypasses the slice's cache, or that waited with one, gets its bytes from a line
// without a way.
void wm_coherent_count_passing(struct wm_coherent_caches *caches, struct wm_coherent_slice *slice,
                               const struct wm_coherent_event *event);
// For `event`, the level above writes a line back.
void wm_coherent_count_write_back(const struct wm_coherent_caches *caches,
                                  struct wm_coherent_slice *slice, uint64_t index_line,
                                  const struct wm_coherent_event *event);
// Who pays for what an event causes.
struct wm_instruction_counters *wm_coherent_charged(struct wm_coherent_caches *caches,
                                                    const struct wm_coherent_event *event);
// Whether a line may be displaced. True when it may now and might not before.
bool wm_coherent_pin(struct wm_coherent_slice *slice, uint64_t slot, bool pinned);

// explain.c, where misses are explained (struct wm_coherent_caches_spec): a look-up; the copy of a
// step is lost; an access of a unit whose bytes are kept is done. The bytes are kept from when it
// begins, false when out of memory, until then or until they are dropped.
static inline bool wm_coherent_is_explained(const struct wm_coherent_caches *caches)
{
    return __builtin_expect(caches->spec.explained != NULL, false);
}
struct wm_coherent_lookup; // mem/explain/coherent_misses.h
void wm_coherent_explain_lookup(const struct wm_coherent_caches *caches,
                                const struct wm_coherent_event *event,
                                const struct wm_coherent_lookup *lookup);
// A load went past the slice's cache, without looking for its line.
void wm_coherent_explain_passed(const struct wm_coherent_caches *caches,
                                const struct wm_coherent_slice *slice,
                                const struct wm_coherent_event *event);
void wm_coherent_explain_loss(const struct wm_coherent_step *step);
void wm_coherent_explain_done(struct wm_coherent_caches *caches,
                              const struct wm_coherent_slice *slice,
                              const struct wm_coherent_event *event);
bool wm_coherent_keep_bytes(struct wm_coherent_caches *caches, struct wm_coherent_event *event,
                            const struct wm_coherent_access *access);
void wm_coherent_drop_bytes(struct wm_coherent_caches *caches, uint32_t row);
void wm_coherent_rows_release(struct wm_coherent_rows *rows);

// memory.c: from the root, or the directory, to the channels.
enum wm_status wm_coherent_channels_init(struct wm_coherent_caches *caches, struct wm_error *error);
void wm_coherent_channels_release(struct wm_coherent_caches *caches);
// A line is read from `leave` on; then `message` comes to the root itself, or, of the directory,
// leaves for the child that it is for.
void wm_coherent_read_memory(struct wm_coherent_step *step,
                             const struct wm_coherent_event *message);
void wm_coherent_write_memory(struct wm_coherent_step *step);
// Such an event's bursts go to their channels.
void wm_coherent_begin_bursts(struct wm_coherent_caches *caches,
                              const struct wm_coherent_event *event);
void wm_coherent_channels_advance(struct wm_coherent_caches *caches);

// messages.c: an event is added to those that wait for their time; a message is sent; one goes on
// its way. True when it has come, to be carried out now.
void wm_coherent_add(struct wm_coherent_caches *caches, const struct wm_coherent_event *event);
void wm_coherent_send(struct wm_coherent_step *step, uint32_t to, enum wm_coherence_event kind,
                      unsigned peer);
bool wm_coherent_move(struct wm_coherent_caches *caches, struct wm_coherent_event *event);
// A unit's access is done with a copy's data: the watch sees it, and says what it writes.
void wm_coherent_see(const struct wm_coherent_caches *caches, uint32_t node, uint64_t line,
                     enum wm_coherence_event access, uint64_t *data);

#endif
