// The events, one a line (docs/energy.md says why these).
#include "mem/energy/events.h"

#define READS(of, counter, factor)                          \
    {                                                       \
        of, WM_ENERGY_READS, WM_ENERGY_OWN, counter, factor \
    }
#define WRITES(of, counter, factor)                          \
    {                                                        \
        of, WM_ENERGY_WRITES, WM_ENERGY_OWN, counter, factor \
    }
#define BESIDE(of, counted, counter)              \
    {                                             \
        of, WM_ENERGY_BESIDE, counted, counter, 1 \
    }
#define BYTES(counted, counter)                                 \
    {                                                           \
        WM_ENERGY_OF_LINK, WM_ENERGY_BYTES, counted, counter, 1 \
    }
#define MESSAGES(counted, counter, factor)                              \
    {                                                                   \
        WM_ENERGY_OF_LINK, WM_ENERGY_MESSAGES, counted, counter, factor \
    }

const struct wm_energy_event wm_energy_events[] = {
    // A look-up reads tags and a line at once, whether it finds it; a line that is written back is
    // read again. A side cache is only read.
    READS(WM_ENERGY_OF_LEVEL, "load_accesses", 1),
    READS(WM_ENERGY_OF_LEVEL, "load_accesses_bypassed", -1),
    READS(WM_ENERGY_OF_LEVEL, "write_backs", 1),
    WRITES(WM_ENERGY_OF_LEVEL, "store_accesses", 1),
    WRITES(WM_ENERGY_OF_LEVEL, "store_accesses_bypassed", -1),
    WRITES(WM_ENERGY_OF_LEVEL, "writeback_accesses", 1),
    {WM_ENERGY_OF_LEVEL, WM_ENERGY_FILLS, WM_ENERGY_OWN, "fills", 1},
    // Where atomics are done each reads and writes.
    READS(WM_ENERGY_OF_ATOMICS, "atomic_accesses", 1),
    WRITES(WM_ENERGY_OF_ATOMICS, "atomic_accesses", 1),
    // A cache that supplies a line to another reads it.
    {WM_ENERGY_OF_TRACKED, WM_ENERGY_READS, WM_ENERGY_OF_TRACKERS, "hits", 1},

    // A probe looks its line up in the tags, and reads it where the line goes to another cache;
    // where it goes to the home it is a write-back. At the home, what moves no data looks up the
    // tags.
    BESIDE(WM_ENERGY_OF_COHERENT, WM_ENERGY_OF_COHERENCE, "invalidations"),
    BESIDE(WM_ENERGY_OF_COHERENT, WM_ENERGY_OF_COHERENCE, "back_invalidations"),
    BESIDE(WM_ENERGY_OF_COHERENT, WM_ENERGY_OF_COHERENCE, "downgrades"),
    {WM_ENERGY_OF_COHERENT, WM_ENERGY_READS, WM_ENERGY_OF_COHERENCE, "forwards", 1},
    BESIDE(WM_ENERGY_OF_COHERENT, WM_ENERGY_OF_CHILDREN, "upgrades"),
    BESIDE(WM_ENERGY_OF_COHERENT, WM_ENERGY_OF_CHILDREN, "clean_puts"),

    // A directory reads an entry and writes it back, at each request and each line given up.
    READS(WM_ENERGY_OF_DIRECTORY, "read_requests", 1),
    READS(WM_ENERGY_OF_DIRECTORY, "write_requests", 1),
    READS(WM_ENERGY_OF_DIRECTORY, "clean_puts", 1),
    READS(WM_ENERGY_OF_DIRECTORY, "put_m", 1),
    WRITES(WM_ENERGY_OF_DIRECTORY, "read_requests", 1),
    WRITES(WM_ENERGY_OF_DIRECTORY, "write_requests", 1),
    WRITES(WM_ENERGY_OF_DIRECTORY, "clean_puts", 1),
    WRITES(WM_ENERGY_OF_DIRECTORY, "put_m", 1),

    READS(WM_ENERGY_OF_TRACKER, "lookups", 1),
    WRITES(WM_ENERGY_OF_TRACKER, "sharers_added", 1),
    WRITES(WM_ENERGY_OF_TRACKER, "sharers_removed", 1),
    WRITES(WM_ENERGY_OF_TRACKER, "cleared", 1),

    // An operation reads and writes; a sector is written when it comes, and read when it goes.
    READS(WM_ENERGY_OF_BUFFER, "operations", 1),
    READS(WM_ENERGY_OF_BUFFER, "write_backs", 1),
    READS(WM_ENERGY_OF_BUFFER, "spills", 1),
    WRITES(WM_ENERGY_OF_BUFFER, "operations", 1),
    WRITES(WM_ENERGY_OF_BUFFER, "misses", 1),

    // A load and an atomic are a request and a reply; a store and a write-back are sent.
    BYTES(WM_ENERGY_BELOW_LINK, "bytes_from_above"),
    BYTES(WM_ENERGY_BELOW_LINK, "bytes_to_above"),
    MESSAGES(WM_ENERGY_BELOW_LINK, "load_accesses", 2),
    MESSAGES(WM_ENERGY_BELOW_LINK, "atomic_accesses", 2),
    MESSAGES(WM_ENERGY_BELOW_LINK, "store_accesses", 1),
    MESSAGES(WM_ENERGY_BELOW_LINK, "writeback_accesses", 1),
    // Memory, where there is no such level.
    BYTES(WM_ENERGY_BELOW_LINK, "bytes_read"),
    BYTES(WM_ENERGY_BELOW_LINK, "bytes_written"),
    MESSAGES(WM_ENERGY_BELOW_LINK, "reads", 2),
    MESSAGES(WM_ENERGY_BELOW_LINK, "writes", 1),
    // What a slice and its atomic buffer exchange stays there.
    MESSAGES(WM_ENERGY_OF_BUFFERS, "operations", 2),
    MESSAGES(WM_ENERGY_OF_BUFFERS, "misses", -2),
    MESSAGES(WM_ENERGY_OF_BUFFERS, "write_backs", -1),
    MESSAGES(WM_ENERGY_OF_BUFFERS, "spills", -1),
    // A tracker stands at L2: a request for a line that it does not know goes below from there. For
    // one that it knows there are the request, its forwarding and the reply; and each line that
    // leaves an L1 sends it a message.
    BYTES(WM_ENERGY_OF_TRACKERS, "remote_bytes"),
    MESSAGES(WM_ENERGY_OF_TRACKERS, "hits", 3),
    MESSAGES(WM_ENERGY_OF_SHARERS, "evictions", 1),

    READS(WM_ENERGY_OF_MEMORY, "read_bursts", 1),
    WRITES(WM_ENERGY_OF_MEMORY, "write_bursts", 1),
    BESIDE(WM_ENERGY_OF_MEMORY, WM_ENERGY_OF_CHANNELS, "activates"),
};
const size_t wm_energy_event_count = sizeof wm_energy_events / sizeof wm_energy_events[0];
