// What an import of traces of CPU cores is to do (core_import.h), and what it counts.
// Private to source/cores/.
#ifndef WM_SOURCE_CORES_CORE_IMPORT_OPTIONS_H
#define WM_SOURCE_CORES_CORE_IMPORT_OPTIONS_H

#include "source/cores/reader.h"
#include "trace/recording_reader.h"

enum { WM_CORE_MOST_TRACES = 256 };

struct wm_core_import {
    const char *const *paths; // one a program, or a thread of one
    uint32_t count;
    const struct wm_core_format *format; // of all; NULL: as each file's name says
    const char *output;                  // the recording
    const char *writer;                  // "warpmem 0.1.0"
    bool data_only;                      // leave instructions out
    bool unordered;                      // leave out what threads wait for
    bool shared;                         // equal addresses of two traces are the same memory
    // What the traced program ran on the device, which the recording has too; NULL: the trace
    // alone. With it there is one trace; its thread n is core n, and what it issues, waits for and
    // when it gave its turn away is kept. Borrowed.
    struct wm_recording *kernels;
};

struct wm_core_counts {
    uint64_t steps, loads, stores, locked; // steps: instructions, also those that are counted alone
    uint32_t instructions;                 // different ones
};

#endif
