// Traces of CPU cores on their way to a recording: what is known of them (core_import.c reads them
// for the first time, core_streams.c for the second). Private to source/cores/.
#ifndef WM_SOURCE_CORES_IMPORTING_H
#define WM_SOURCE_CORES_IMPORTING_H

#include "source/cores/core_import_options.h"
#include "source/cores/instruction_table.h"
#include "trace/recording_writer.h"

// A thread of a trace.
struct wm_core_origin {
    uint32_t trace, thread;
};

struct wm_core_importing {
    const struct wm_core_import *import;
    struct wm_core_origin cores[WM_CORE_MOST_TRACES];
    uint32_t core_count;
    // Of the trace that is read first, by thread: whether it executes anything; accesses that it
    // makes; how many others wait for at most, and which thread does.
    bool seen[WM_CORE_MOST_THREADS];
    uint64_t made[WM_CORE_MOST_THREADS];
    uint32_t awaited[WM_CORE_MOST_THREADS], waiting[WM_CORE_MOST_THREADS];
    uint16_t numbers[WM_CORE_MOST_TRACES][WM_CORE_MOST_THREADS]; // of each trace's threads' cores
    bool has_events;                                             // fences, or an order
    uint8_t *turns; // owned: threads, in the order in which they gave their turns away
    size_t turn_count, turn_room;
    struct wm_core_places places[WM_CORE_MOST_TRACES]; // by trace
    struct wm_memory_names names;                      // of all traces' memory
    struct wm_core_table table;
    uint32_t code; // its number in the recording
    struct wm_core_counts counts;
    struct wm_recording_writer *writer;
    struct wm_recording_block *block;
    uint32_t trace, thread; // of what is read
    // Of the core being written: instructions that ran in a line and are not yet written.
    struct wm_trace_item item;
    uint32_t item_slot; // of its first memory instruction
    uint64_t skipped;   // instructions behind them that are counted alone
};

typedef enum wm_status wm_core_importing_step(struct wm_core_importing *importing,
                                              const struct wm_core_step *step,
                                              struct wm_error *error);
// Calls `each` with every step of a trace, or of one thread of it.
enum wm_status wm_core_importing_read(struct wm_core_importing *importing, uint32_t trace,
                                      uint32_t only, wm_core_importing_step *each,
                                      struct wm_error *error);
// Whose table an instruction belongs to. Each trace numbers its own places.
uint32_t wm_core_importing_program(const struct wm_core_importing *importing,
                                   const struct wm_core_step *step);
// Whether a step is a matter of the device: a command issued or awaited, or the end of a turn.
bool wm_core_importing_of_device(const struct wm_core_step *step);
// Whether the recording has a step that is no instruction. Without the kernels nothing of the
// device would end.
bool wm_core_importing_keeps(const struct wm_core_importing *importing,
                             const struct wm_core_step *step);
// An address of a trace in the recording.
uint64_t wm_core_importing_address(const struct wm_core_importing *importing, uint32_t trace,
                                   uint64_t address);
#endif
