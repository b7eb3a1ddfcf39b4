// One DRAM channel in time: requests go in, commands are issued under the devices' timings, and
// each request's completion comes out (docs/dram.md). It never looks at a cycle in which nothing
// happens: its owner goes from one wm_dram_channel_next to the next.
//
// All cycles are those of the channel's command clock (spec.timing.clock_ps), counted from reset.
// Deterministic; calls on different channels are independent of each other. Private to mem/.
#ifndef WM_MEM_DRAM_CHANNEL_H
#define WM_MEM_DRAM_CHANNEL_H

#include "base/error.h"
#include "base/names/counters.h"
#include "mem/dram/dram_spec.h"

#include <stdbool.h>
#include <stdint.h>

// clang-format off
#define WM_DRAM_CHANNEL_COUNTERS(X)                                                                \
    X(reads, "requests", "read requests taken")                                                    \
    X(writes, "requests", "write requests taken")                                                  \
    X(refusals, "requests", "requests that were offered while their queue was full")               \
    X(forwarded_reads, "requests", "of reads, those served from a write that waited")              \
    X(merged_writes, "requests", "of writes, those that replaced a write that waited")             \
    X(row_hits, "requests", "requests whose row was open")                                         \
    X(row_misses, "requests", "requests that had their row opened in a closed bank")               \
    X(row_conflicts, "requests", "requests that had another row closed first")                     \
    X(activates, "commands", "rows opened")                                                        \
    X(precharges, "commands", "rows closed, automatic precharges and those for refreshes included") \
    X(refreshes, "commands", "refreshes, of all banks or of one")                                  \
    X(turnarounds, "commands", "reads after a write, and writes after a read")                     \
    X(bytes_read, "bytes", "bytes that the devices read")                                          \
    X(bytes_written, "bytes", "bytes that were written to the devices")                            \
    X(bus_cycles, "cycles", "cycles in which the data bus was busy")                               \
    X(read_cycles, "cycles", "sum over reads of the cycles from being taken to their data's end")
// clang-format on

struct wm_dram_channel_counters {
    WM_DRAM_CHANNEL_COUNTERS(WM_COUNTER_FIELD)
};

extern const struct wm_counter_set wm_dram_channel_counter_set;

struct wm_dram_request {
    uint64_t address; // of a byte within the channel: what other channels hold is divided out
    uint64_t token;   // the owner's; comes back
    bool write;
};

struct wm_dram_completion {
    uint64_t token;
    uint64_t cycle; // when its last data is on the bus (and the controller's latency over)
    bool write;
};

// Called once for each request, when its read or write is issued: `done->cycle` is later than that.
typedef void wm_dram_completion_callback(void *context, const struct wm_dram_completion *done);

enum wm_dram_command {
    WM_DRAM_ACTIVATE,
    WM_DRAM_PRECHARGE,
    WM_DRAM_PRECHARGE_ALL, // of a rank
    WM_DRAM_READ,
    WM_DRAM_WRITE,
    WM_DRAM_READ_PRECHARGE, // with automatic precharge
    WM_DRAM_WRITE_PRECHARGE,
    WM_DRAM_REFRESH_ALL,
    WM_DRAM_REFRESH_BANK,
    WM_DRAM_COMMANDS,
};

// A command as it goes to the devices.
struct wm_dram_issue {
    uint64_t cycle;
    enum wm_dram_command command;
    uint32_t rank, bank_group, bank; // what the command does not address is 0
    uint32_t row, column;            // column: the burst's number in its row
};

typedef void wm_dram_log_callback(void *context, const struct wm_dram_issue *issue);

struct wm_dram_channel;

// Makes a channel of a spec, which is checked first and copied. WM_INVALID, WM_NO_MEMORY.
enum wm_status wm_dram_channel_new(const struct wm_dram_channel_spec *spec,
                                   struct wm_dram_channel **channel, struct wm_error *error);
// Harmless on NULL.
void wm_dram_channel_free(struct wm_dram_channel *channel);
// As new: cycle 0, nothing waits, all rows closed, counters 0. The log stays.
void wm_dram_channel_reset(struct wm_dram_channel *channel);

// Calls `log` with every command, in order; NULL: no call. The timed form alone has commands.
void wm_dram_channel_log(struct wm_dram_channel *channel, wm_dram_log_callback *log, void *context);

// Whether wm_dram_channel_add would take such a request now.
bool wm_dram_channel_has_room(const struct wm_dram_channel *channel, bool write);

// Takes a request at `cycle`; false, counted as a refusal, when its queue is full. Its commands
// come at `cycle` at the earliest, or in the first cycle that the channel was not advanced through.
// What the channel does before `cycle` was done before: wm_dram_channel_next is not less.
bool wm_dram_channel_add(struct wm_dram_channel *channel, uint64_t cycle,
                         const struct wm_dram_request *request);

// The next cycle in which requests make it act; UINT64_MAX when none waits. Adding a request may
// make it earlier. (Refreshes of a channel without requests are caught up with later.)
uint64_t wm_dram_channel_next(struct wm_dram_channel *channel);

// Does all that happens up to and in `until_cycle`, calling `done` for each request; `done` adds
// none. Does nothing when it was advanced through that cycle already.
void wm_dram_channel_advance(struct wm_dram_channel *channel, uint64_t until_cycle,
                             wm_dram_completion_callback *done, void *context);

// Requests taken whose completion was not reported yet.
uint32_t wm_dram_channel_waiting(const struct wm_dram_channel *channel);

// Borrowed; valid until the channel is freed.
const struct wm_dram_channel_counters *wm_dram_channel_counters_of(
    const struct wm_dram_channel *channel);
const struct wm_dram_channel_spec *wm_dram_channel_spec_of(const struct wm_dram_channel *channel);

#endif
