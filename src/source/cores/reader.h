// Traces of CPU cores, whatever tool made them, as what one core executed: instruction after
// instruction, with the accesses of each (docs/formats/cores.md).
//
// Thread rules: one thread at a time. Memory in use does not depend on the trace's length.
// Private to source/cores/.
#ifndef WM_SOURCE_CORES_READER_H
#define WM_SOURCE_CORES_READER_H

#include "base/access/access.h"
#include "base/names/memory_names.h"
#include "source/cores/code_places.h"
#include "source/trace_input.h"

enum {
    // Accesses of one step: an instruction with more of them takes several.
    WM_CORE_STEP_ACCESSES = 3,
    // The widest access: those of vector instructions come in pieces of this, aligned.
    WM_CORE_ACCESS_BYTES = WM_MAX_ACCESS_BYTES,
    WM_CORE_CLASSIC_BYTES = 4, // of each reference of a classic Dinero trace
};

struct wm_core_access {
    uint64_t address;
    uint32_t bytes; // 1 to WM_CORE_ACCESS_BYTES
    bool store;
    bool locked; // reads and writes as one; `store` is false
};

enum wm_core_step_kind {
    WM_CORE_STEP_EXECUTES, // an instruction, or an access that stands for itself
    WM_CORE_STEP_FOLLOWS,  // no instruction: what comes behind waits for another thread's accesses
    WM_CORE_STEP_FENCE,    // no instruction: a full fence
    WM_CORE_STEP_ISSUES,   // no instruction: the thread issues a command of the device
    WM_CORE_STEP_AWAITS,   // no instruction: what comes behind waits for commands to complete
    WM_CORE_STEP_TURN,     // no instruction: the thread gave its turn away
    WM_CORE_STEP_ENDS,     // nothing: `skipped` instructions behind the last access
};

struct wm_core_step {
    enum wm_core_step_kind kind;
    uint64_t skipped; // executed before it, without an access, and not listed one by one
    // Of WM_CORE_STEP_FOLLOWS: the thread of the same trace, and how many accesses it has to have
    // made: pieces, as steps have them.
    uint32_t awaited;
    uint32_t awaited_accesses;
    uint32_t command; // its number; of WM_CORE_STEP_AWAITS that of the last
    // Of WM_CORE_STEP_EXECUTES, as are all below.
    uint64_t address; // of the instruction's code
    uint32_t bytes;   // of it; 0: the trace does not say which instruction made the access
    bool continues;   // the same instruction as the step before
    uint32_t place;   // of the code, where `bytes` is 0: wm_core_reader.places has it; 0: not known
    // All loads, all stores or all locked: an instruction that does several takes as many steps, so
    // that each of its accesses is counted as what it is.
    uint32_t access_count;
    struct wm_core_access accesses[WM_CORE_STEP_ACCESSES];
};

// What one line of a text says.
enum wm_core_event_kind {
    WM_CORE_NOTHING,
    WM_CORE_FETCH,
    WM_CORE_LOAD,
    WM_CORE_STORE,
    WM_CORE_MODIFY,  // a load, then a store, of the same bytes
    WM_CORE_LOCKED,  // both as one: an atomic operation
    WM_CORE_FENCE,   // no access: a full fence
    WM_CORE_COUNTED, // no access: `count` instructions without one
    // No access: waits until the thread whose number `address` has has made `count` accesses.
    WM_CORE_FOLLOWS,
    WM_CORE_THREAD, // no access: what follows is of the thread whose number `address` has
    // No access, of a program's threads beside its kernels: issues the device's command whose
    // number `address` has; waits until those up to it have completed; gives its turn away.
    WM_CORE_ISSUES,
    WM_CORE_AWAITS,
    WM_CORE_TURN,
    WM_CORE_PLACE, // no access: what a place of code is
    WM_CORE_NAME,  // no access: `name` is that of the `count` bytes from `address` on
};

// Threads of one trace.
enum { WM_CORE_MOST_THREADS = 256, WM_CORE_ALL_THREADS = UINT32_MAX };

struct wm_core_event {
    enum wm_core_event_kind kind;
    uint64_t address, count;
    uint32_t bytes;
    uint32_t
        place; // of an access's code; 0: none is named. WM_CORE_NO_PLACE: none that there can be
    struct wm_core_place_line described; // of WM_CORE_PLACE
    const char *name;                    // of WM_CORE_NAME; the line's
};
#define WM_CORE_NO_PLACE UINT32_MAX

// Larger numbers of instructions in one line, or between two accesses, are refused, and larger
// numbers of another thread's accesses.
#define WM_CORE_MOST_SKIPPED (UINT64_C(1) << 36)
enum { WM_CORE_LOCKED_BYTES = 16 };                                    // the widest
enum { WM_CORE_MOST_NAMES = 1 << 20, WM_CORE_MOST_NAME_BYTES = 4096 }; // of a trace; of a name

// An instruction of a binary trace.
enum { WM_CORE_RECORD_ACCESSES = 8 };
struct wm_core_record {
    uint64_t address;
    uint32_t bytes, access_count;
    struct wm_core_access accesses[WM_CORE_RECORD_ACCESSES];
};

// Larger ones are refused: no instruction has them.
enum { WM_CORE_MOST_EVENT_BYTES = 4096 };

struct wm_core_reader;

// A kind of trace. One of the two functions.
struct wm_core_format {
    const char *name;    // "champsim", as --format takes it
    const char *endings; // of file names, before that of a compression, each with its dot: ".din"
    const char *summary; // what makes such traces
    // The next record; `more` false behind the last. WM_INVALID with the place.
    enum wm_status (*record)(struct wm_core_reader *reader, struct wm_core_record *record,
                             bool *more, struct wm_error *error);
    // What a line says. WM_INVALID with message and hint; the caller gives the place.
    enum wm_status (*line)(const char *line, struct wm_core_event *event, struct wm_error *error);
};

extern const struct wm_core_format wm_core_champsim, wm_core_lackey, wm_core_dinero;
extern const struct wm_core_format *const wm_core_formats[];
extern const size_t wm_core_format_count;

// By name, NULL when there is none; and by the ending of a file's name, which a compression's may
// follow: "mcf.champsimtrace.xz".
const struct wm_core_format *wm_core_format_named(const char *name);
const struct wm_core_format *wm_core_format_of_path(const char *path);

struct wm_core_reader {
    const struct wm_core_format *format;
    struct wm_trace_input *input; // owned
    bool data_only;
    // Of a binary trace: the current record, how many of its accesses are in steps already, and how
    // many records there were.
    struct wm_core_record record;
    uint32_t accesses_taken;
    uint64_t records;
    // Of a text: an event, or the rest of one, that waits for the next step.
    struct wm_core_event pending;
    uint64_t fetched;             // the instruction that accesses belong to
    uint32_t fetched_bytes;       // 0: none yet
    struct wm_core_event modify;  // a pending WM_CORE_MODIFY, whole
    uint32_t thread;              // of what is read; 0 where the trace names none
    uint32_t only;                // the thread whose steps are wanted, or WM_CORE_ALL_THREADS
    uint32_t step_thread;         // of the step read last
    uint64_t skipped;             // instructions before the next step
    uint64_t part, step_part;     // how many lines named a thread: a step does not go beyond one
    struct wm_core_places places; // that lines have named so far
    struct wm_memory_names names; // likewise, of memory; where all threads' steps are wanted
};

// Takes `input`. `data_only`: leave instructions out, every access is a step of its own.
// All threads' steps are read until `only` is set.
void wm_core_reader_init(struct wm_core_reader *reader, const struct wm_core_format *format,
                         struct wm_trace_input *input, bool data_only);
void wm_core_reader_release(struct wm_core_reader *reader);
// `*more` false behind the last step. WM_INVALID with the place in the file.
enum wm_status wm_core_reader_next(struct wm_core_reader *reader, struct wm_core_step *step,
                                   bool *more, struct wm_error *error);

// --- For formats ---

// A number in hexadecimal at `*at`, with or without 0x, moved behind it. False: there is none, or
// it has more than 64 bits.
bool wm_core_hexadecimal(const char **at, uint64_t *number);
// Fails with the line quoted.
enum wm_status wm_core_bad_line(const char *line, const char *what, struct wm_error *error);

#endif
