// A memory partition in time: a DRAM channel, and the slices of L2 whose lines lie in it. Requests
// come in from the crossbar, one look-up a slice in each cycle of L2; what a slice lacks it reads
// from the channel; replies go back by the crossbar.
//
// Thread rules: one thread at a time; partitions are independent of each other.
#ifndef WM_MEM_TIMED_PARTITION_PARTITION_H
#define WM_MEM_TIMED_PARTITION_PARTITION_H

#include "base/text/text.h"
#include "mem/dram/channel.h"
#include "mem/system/memory.h"
#include "mem/timed/network/butterfly.h"
#include "mem/timed/network/crossbar.h"
#include "mem/timed/node/node.h"

struct wm_partition;

// `frequencies` in hertz. The channel is number `index` of the memory system's, which lives longer.
// WM_INVALID where the channel's description is impossible, WM_NO_MEMORY.
enum wm_status wm_partition_new(struct wm_memory *memory, uint32_t index,
                                const struct wm_dram_channel_spec *dram, uint64_t sm_hz,
                                struct wm_partition **partition, struct wm_error *error);
void wm_partition_free(struct wm_partition *partition);

// Where the bytes are that stores of each SM write: for an L2 that keeps byte masks. Borrowed.
void wm_partition_set_byte_mask_pools(struct wm_partition *partition,
                                      const struct wm_byte_mask_pool *const *pools);
// Rows of these pools that it has read since the last call, for their SMs.
struct wm_byte_mask_rows *wm_partition_take_read_rows(struct wm_partition *partition);

// What its slices charge, by pc of the kernel; borrowed until the next call.
void wm_partition_set_instruction_counters(struct wm_partition *partition,
                                           struct wm_instruction_counters *counters_by_pc);

// Calls `on_lookup` before a request is looked up, with the partition's number and the request's
// pc; NULL: no call.
typedef void wm_partition_listener(void *context, uint32_t partition, uint32_t pc);
void wm_partition_set_listener(struct wm_partition *partition, wm_partition_listener *on_lookup,
                               void *context);

// Does all that happens before the interconnect's cycle `end`. False when out of memory.
bool wm_partition_run(struct wm_partition *partition, uint64_t end);
// The interconnect's cycle in which it acts next, unless more comes; WM_NEVER: nothing is there.
uint64_t wm_partition_next(const struct wm_partition *partition);

// The interconnect's cycle behind the last thing that it did.
uint64_t wm_partition_last_active(const struct wm_partition *partition);

// Its ends of the crossbar, by number of its slices: `wm_partition_slice` says which slices of the
// memory system these are.
uint32_t wm_partition_slices(const struct wm_partition *partition);
uint32_t wm_partition_slice(const struct wm_partition *partition, uint32_t number);
struct wm_crossbar_input *wm_partition_input(struct wm_partition *partition, uint32_t number);
struct wm_crossbar_output *wm_partition_output(struct wm_partition *partition, uint32_t number);

const struct wm_timed_cache_counters *wm_partition_cache_counters(
    const struct wm_partition *partition, uint32_t number);
const struct wm_atomic_unit_counters *wm_partition_atomic_counters(
    const struct wm_partition *partition, uint32_t number);
const struct wm_dram_channel *wm_partition_channel(const struct wm_partition *partition);

// What it holds, when nothing can go on: for reports of a deadlock.
void wm_partition_describe(const struct wm_partition *partition, struct wm_text *text);

#endif
