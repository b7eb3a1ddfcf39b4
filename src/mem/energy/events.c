// The events, one a line (docs/energy.md says why these).
#include "mem/energy/events.h"

#define READS(structure, kind, counter, factor)                             \
    {                                                                       \
        structure, WM_ENERGY_READS, kind, counter, factor, WM_ENERGY_ALWAYS \
    }
#define WRITES(structure, kind, counter, factor)                             \
    {                                                                        \
        structure, WM_ENERGY_WRITES, kind, counter, factor, WM_ENERGY_ALWAYS \
    }
#define FILLS(structure, kind)                                         \
    {                                                                  \
        structure, WM_ENERGY_FILLS, kind, "fills", 1, WM_ENERGY_ALWAYS \
    }
#define BYTES(kind, counter, when)                                      \
    {                                                                   \
        WM_ENERGY_INTERCONNECT, WM_ENERGY_BYTES, kind, counter, 1, when \
    }
#define MESSAGES(kind, counter, factor, when)                                   \
    {                                                                           \
        WM_ENERGY_INTERCONNECT, WM_ENERGY_MESSAGES, kind, counter, factor, when \
    }

// A side cache is only read, and its lines are fetched whole.
#define SIDE_CACHE(structure, kind) \
    READS(structure, kind, "load_accesses", 1), FILLS(structure, kind)

const struct wm_energy_event wm_energy_events[] = {
    // A look-up reads tags and a line at once, whether it finds it; a line that is written back is
    // read again.
    READS(WM_ENERGY_L1, "l1", "load_accesses", 1),
    READS(WM_ENERGY_L1, "l1", "load_accesses_bypassed", -1),
    READS(WM_ENERGY_L1, "l1", "write_backs", 1),
    WRITES(WM_ENERGY_L1, "l1", "store_accesses", 1),
    WRITES(WM_ENERGY_L1, "l1", "store_accesses_bypassed", -1),
    FILLS(WM_ENERGY_L1, "l1"),

    // An L1 that supplies a line to another reads it.
    READS(WM_ENERGY_L1, "tracker", "hits", 1),
    READS(WM_ENERGY_TRACKER, "tracker", "lookups", 1),
    WRITES(WM_ENERGY_TRACKER, "tracker", "sharers_added", 1),
    WRITES(WM_ENERGY_TRACKER, "tracker", "sharers_removed", 1),
    WRITES(WM_ENERGY_TRACKER, "tracker", "cleared", 1),

    SIDE_CACHE(WM_ENERGY_CONSTANT, "constant"),
    SIDE_CACHE(WM_ENERGY_TEXTURE, "texture"),
    SIDE_CACHE(WM_ENERGY_SCALAR, "scalar"),
    SIDE_CACHE(WM_ENERGY_INSTRUCTION, "instruction_cache"),

    // Atomics are done here: each reads and writes.
    READS(WM_ENERGY_L2, "l2", "load_accesses", 1),
    READS(WM_ENERGY_L2, "l2", "atomic_accesses", 1),
    READS(WM_ENERGY_L2, "l2", "write_backs", 1),
    WRITES(WM_ENERGY_L2, "l2", "store_accesses", 1),
    WRITES(WM_ENERGY_L2, "l2", "atomic_accesses", 1),
    WRITES(WM_ENERGY_L2, "l2", "writeback_accesses", 1),
    FILLS(WM_ENERGY_L2, "l2"),

    // An operation reads and writes; a sector is written when it comes, and read when it goes.
    READS(WM_ENERGY_ATOMIC_BUFFER, "atomic_buffer", "operations", 1),
    READS(WM_ENERGY_ATOMIC_BUFFER, "atomic_buffer", "write_backs", 1),
    READS(WM_ENERGY_ATOMIC_BUFFER, "atomic_buffer", "spills", 1),
    WRITES(WM_ENERGY_ATOMIC_BUFFER, "atomic_buffer", "operations", 1),
    WRITES(WM_ENERGY_ATOMIC_BUFFER, "atomic_buffer", "misses", 1),

    // A load and an atomic are a request and a reply; a store and a write-back are sent.
    BYTES("l2", "bytes_from_above", WM_ENERGY_WITH_L2),
    BYTES("l2", "bytes_to_above", WM_ENERGY_WITH_L2),
    MESSAGES("l2", "load_accesses", 2, WM_ENERGY_WITH_L2),
    MESSAGES("l2", "atomic_accesses", 2, WM_ENERGY_WITH_L2),
    MESSAGES("l2", "store_accesses", 1, WM_ENERGY_WITH_L2),
    MESSAGES("l2", "writeback_accesses", 1, WM_ENERGY_WITH_L2),
    // What a slice and its atomic buffer exchange stays there.
    MESSAGES("atomic_buffer", "operations", 2, WM_ENERGY_ALWAYS),
    MESSAGES("atomic_buffer", "misses", -2, WM_ENERGY_ALWAYS),
    MESSAGES("atomic_buffer", "write_backs", -1, WM_ENERGY_ALWAYS),
    MESSAGES("atomic_buffer", "spills", -1, WM_ENERGY_ALWAYS),
    // A tracker stands at L2: a request for a line that it does not know goes below from there. For
    // one that it knows there are the request, its forwarding and the reply; and each line that
    // leaves an L1 sends it a message.
    BYTES("tracker", "remote_bytes", WM_ENERGY_ALWAYS),
    MESSAGES("tracker", "hits", 3, WM_ENERGY_ALWAYS),
    MESSAGES("l1", "evictions", 1, WM_ENERGY_WITH_TRACKER),
    BYTES("dram", "bytes_read", WM_ENERGY_WITHOUT_L2),
    BYTES("dram", "bytes_written", WM_ENERGY_WITHOUT_L2),
    MESSAGES("dram", "reads", 2, WM_ENERGY_WITHOUT_L2),
    MESSAGES("dram", "writes", 1, WM_ENERGY_WITHOUT_L2),

    READS(WM_ENERGY_DRAM, "dram", "read_bursts", 1),
    WRITES(WM_ENERGY_DRAM, "dram", "write_bursts", 1),
};
const size_t wm_energy_event_count = sizeof wm_energy_events / sizeof wm_energy_events[0];
