// What a recording says of a program's run, from any source: our own interpreter, or a trace of
// another tool. Plain data for the writer (recording_writer.h) and the reader (recording_reader.h);
// docs/formats/recording.md describes the file field by field. Private to trace/.
#ifndef WM_TRACE_RECORDING_H
#define WM_TRACE_RECORDING_H

#include "base/access/access.h"
#include "trace/warp/stream.h"

#include <stdbool.h>
#include <stdint.h>

struct wm_recording_header {
    const char *writer;  // "warpmem 0.1.0"
    const char *source;  // "program", or what the trace was imported from: "accel-sim"
    const char *machine; // name of the described machine whose order the run had; "" for none
    const char *machine_yaml;
    const char *const *command; // NULL-terminated
    uint32_t lanes;             // of a warp: 32 or 64; 1 for streams of CPU cores
    bool memory_only;           // other instructions are counted, not listed one by one
};

// Of one instruction's code.
enum { WM_RECORDED_MOST_CODE_BYTES = 4096 };

struct wm_recorded_instruction {
    const char *text;        // as PTX or SASS writes it, registers included
    const char *guard;       // the register of its guard, "%p1", or NULL
    const char *source_file; // or NULL
    uint32_t source_line, ptx_line;
    bool exists, is_memory, generic; // as wm_instruction_facts has them
    // What it does to mbarriers or at its cluster's barrier is in events; of a CPU core, what the
    // core waits for before it.
    bool keeps_waits;
    enum wm_access_kind kind;
    enum wm_address_space space;
    // Where its code lies, where that is known: of CPU cores. `bytes` 0: it is not.
    uint64_t address;
    uint32_t bytes;
};

// Where the code of what follows is expected; 0 when it is not known where this one lies.
static inline uint64_t wm_recorded_code_end(const struct wm_recorded_instruction *it)
{
    return it->bytes != 0 ? it->address + it->bytes : 0;
}

struct wm_recorded_code {
    const char *name, *module;
    uint64_t fingerprint; // equal for equal code
    uint64_t ptx_hash;    // of the module's text, a section of its own; 0: there is none
    uint32_t static_shared_bytes, registers_per_thread;
    uint32_t instruction_count;
    struct wm_recorded_instruction *instructions;
};

// Of CPU cores: one may wait for another's accesses. Theirs is the same of all instructions.
static inline bool wm_recorded_code_has_order(const struct wm_recorded_code *code)
{
    return code->instruction_count != 0 && code->instructions[0].keeps_waits;
}

enum wm_recorded_event_kind {
    WM_RECORDED_ALLOCATE,    // address, bytes
    WM_RECORDED_FREE,        // address
    WM_RECORDED_HOST_WRITE,  // the host copies to the device: address, bytes
    WM_RECORDED_HOST_READ,   // and from it
    WM_RECORDED_DEVICE_COPY, // to address, from `from`: bytes
    WM_RECORDED_DEVICE_FILL, // cudaMemset: address, bytes
    WM_RECORDED_RANGE_BEGIN, // of a profiler, as the program marks it: what follows is in it
    WM_RECORDED_RANGE_END,
    WM_RECORDED_ORDER,  // in the file alone: what the events that follow are behind
    WM_RECORDED_LAUNCH, // the launch `launch`, which has its own section
    WM_RECORDED_EVENT_KINDS,
};

// What a launch, or a command that makes events, is ordered behind (docs/streams.md). All zero: all
// that is earlier in the recording, as in a program without streams.
struct wm_recorded_numbers {
    const uint64_t *items; // of launches, from small to large
    uint32_t count;
};

struct wm_recorded_order {
    bool concurrent; // it is behind the launches of `behind` alone, and those that they are behind
    struct wm_recorded_numbers behind;
    // The host issued it when it knew that the launches with a number below `ended_below`, and
    // those of `ended`, had ended.
    bool waited;
    uint64_t ended_below;
    struct wm_recorded_numbers ended;
    // Of a launch alone: it runs by itself, as its blocks wait for each other; its stream's
    // priority, less before more; and the GPU that it runs on.
    bool alone;
    int32_t priority;
    uint32_t gpu;
    // The number of the command that one of the recording's CPU threads issues it with
    // (WM_PHASE_ISSUES); 0: none does.
    uint32_t command;
};

static inline bool wm_recorded_order_is_plain(const struct wm_recorded_order *order)
{
    return !order->concurrent && !order->waited && !order->alone && order->priority == 0 &&
           order->gpu == 0 && order->command == 0;
}

struct wm_recorded_event {
    enum wm_recorded_event_kind kind;
    uint32_t stream; // in order of first use; 0: the default stream
    uint64_t address, from, bytes;
    uint64_t launch; // number of the launch, from 0
    // What the command is behind that it is of; NULL: all that is earlier. Borrowed. `begins`: it
    // is that command's first.
    const struct wm_recorded_order *order;
    bool begins;
};

static inline bool wm_recorded_marks_range(enum wm_recorded_event_kind kind)
{
    return kind == WM_RECORDED_RANGE_BEGIN || kind == WM_RECORDED_RANGE_END;
}

struct wm_recorded_launch {
    uint64_t number;
    uint32_t code; // number of the kernel's code, in order of its sections
    uint32_t stream;
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared_bytes, preferred_carveout;
    uint64_t local_bytes_per_block; // of local memory; addresses in it count from its begin
    struct wm_recorded_order order; // its numbers are borrowed
};

// Threads that a recording has beside its kernels.
enum { WM_RECORDED_MOST_CORES = 256 };

static inline uint64_t wm_recorded_blocks(const struct wm_recorded_launch *launch)
{
    return (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
}

static inline uint32_t wm_recorded_warps(const struct wm_recorded_launch *launch, uint32_t lanes)
{
    uint64_t threads = (uint64_t)launch->block[0] * launch->block[1] * launch->block[2];
    return (uint32_t)((threads + lanes - 1) / lanes);
}

#endif
