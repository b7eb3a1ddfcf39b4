// Machines: description files (YAML) to specs. A description is checked whole against the schema
// (machine/schema.h) before anything is built: unknown or repeated keys, wrong units, values out of
// range and impossible geometry are errors at file:line:column.
#ifndef WM_MACHINE_MACHINE_H
#define WM_MACHINE_MACHINE_H

#include "base/error.h"
#include "base/text/text.h"
#include "cpu/core_spec.h"
#include "machine/bypass_list.h"
#include "mem/dram/dram_spec.h"
#include "mem/energy/energy_model.h"
#include "mem/system/memory_spec.h"
#include "sm/sm_spec.h"

#include <stddef.h>
#include <stdint.h>

// What the runtime's device properties report.
struct wm_device_spec {
    char title[64]; // "NVIDIA GeForce GTX 480"
    uint32_t compute_major, compute_minor;
    uint64_t clock_hz, memory_clock_hz;
    uint32_t memory_bus_bits;
    uint64_t memory_bytes;
    uint32_t concurrent_kernels;                       // most grids under way at a time
    uint64_t persisting_l2_bytes, access_window_bytes; // 0: the device has neither
    bool compresses;                                   // memory, where a program requests it
};

// A DRAM channel in time; wm_machine_dram_channel (machine/machine_dram.h) makes its spec of it.
struct wm_machine_dram {
    struct wm_dram_channel_spec device; // machine/dram_rows.h; zeros: none
    uint64_t latency_ps;                // added to each access
    const struct wm_dram_scheduler_ops *scheduler;
    uint32_t hit_cap; // 0: none
    enum wm_dram_page page;
    uint32_t page_timeout; // cycles
    uint32_t read_queue, write_queue;
    uint32_t bank_queue;                 // of each bank; 0: one queue of all
    uint32_t drain_high, drain_low;      // hundredths of write_queue
    char mapping[WM_DRAM_MAPPING_BYTES]; // "device": as its table says
};

struct wm_plugins; // machine/plugins.h

struct wm_machine {
    char name[64]; // "v100"
    struct wm_device_spec device;
    struct wm_sm_spec sm;
    struct wm_core_spec core; // of CPU cores beside the SMs
    struct wm_memory_spec memory;
    struct wm_machine_dram dram;
    struct wm_energy_spec energy;
    char bypass_list[WM_BYPASS_LIST_BYTES]; // machine/bypass_list.h
    const struct wm_plugins *plugins;       // whose entries it may name, borrowed; NULL for none
};

// Loads a preset by name, or a file when `name` has a slash or ends in ".yaml"; then applies
// `settings` in order, each "gpu.l1.size=48KiB". A setting's error has the place "--set".
// Presets are looked for in $WARPMEM_MACHINES when it is set, else in the source tree when this
// code lies in a build tree, else in the installed folder.
enum wm_status wm_machine_load(const char *name, const char *const *settings,
                               uint32_t setting_count, struct wm_machine *machine,
                               struct wm_error *error);

// The path in a setting whose value is read from a file ("KEY=@PATH", or a key's file without the
// sign), relative to the working folder; else NULL.
const char *wm_machine_setting_file(const char *setting);

// The same, with plug-ins: their entries may be named as those of warpmem itself. `plugins` may be
// NULL, and must live as long as the machine and what is built from it.
enum wm_status wm_machine_load_with(const struct wm_plugins *plugins, const char *name,
                                    const char *const *settings, uint32_t setting_count,
                                    struct wm_machine *machine, struct wm_error *error);

// The same from a text in memory, which errors call `file`.
enum wm_status wm_machine_read_with(const struct wm_plugins *plugins, const char *text,
                                    size_t length, const char *file, const char *const *settings,
                                    uint32_t setting_count, struct wm_machine *machine,
                                    struct wm_error *error);

// The same without plug-ins.
enum wm_status wm_machine_read(const char *text, size_t length, const char *file,
                               const char *const *settings, uint32_t setting_count,
                               struct wm_machine *machine, struct wm_error *error);

// The effective description: every key with its value and sentence as YAML that loads back to the
// same machine.
void wm_machine_print(const struct wm_machine *machine, struct wm_text *text);

#endif
