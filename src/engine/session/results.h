// What a run leaves behind: kernel by kernel, component by component, instruction by instruction.
// The report writers (study/) print from this and from the counters' declarations alone.
#ifndef WM_ENGINE_SESSION_RESULTS_H
#define WM_ENGINE_SESSION_RESULTS_H

#include "base/containers/arena.h"
#include "base/names/counters.h"
#include "base/names/kernel_names.h"
#include "base/names/source_location.h"
#include "engine/session/load_times.h"
#include "engine/session/timeline.h"
#include "mem/energy/energy_model.h"
#include "mem/system/instruction_counters.h"
#include "mem/system/memory.h"

#include <stdbool.h>
#include <stdint.h>

// A static memory instruction of a kernel and what it caused. Texts are owned by the results.
struct wm_instruction_result {
    uint32_t pc, ptx_line;
    const char *text;        // "ld.global.f32 %f1, [%rd4]"
    const char *source_file; // or NULL
    uint32_t source_line;
    // Of an inlined function's, from the innermost place outwards, files or NULL; of a recording
    // none.
    const struct wm_source_location *inlined;
    uint32_t inlined_count;
    enum wm_access_kind kind;
    enum wm_address_space space;
    struct wm_instruction_counters counters;
    const struct wm_instruction_misses *explained; // NULL unless misses were explained
    const struct wm_load_counters *timed;          // of a load; NULL unless timed
    const struct wm_load_servers *served; // the same, where misses are explained; else NULL
};

// A line of a kernel's PTX, kept when misses are explained.
struct wm_listing_line {
    uint32_t pc, ptx_line;
    const char *text;
    const char *source_file; // or NULL
    uint32_t source_line;
};

// One component's counters over the launches of one kernel.
struct wm_component_result {
    char path[48];
    const struct wm_counter_set *set;
    uint64_t *values; // set->count
};

// A level of the machine: all components of one place in its description.
struct wm_level {
    char path[48]; // "gpu0.sm[*].l1"
    const struct wm_counter_set *set;
};

// One launch, kept on request.
struct wm_launch_result {
    uint64_t number; // among all launches of the run, from 0; those that are not counted too
    uint32_t kernel; // its index among the results' kernels
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared_bytes, blocks_per_sm;
    uint64_t warp_instructions, thread_instructions;
    uint64_t cycles;        // of the SMs' clock; 0 unless timed
    const uint64_t *values; // what each level counted, in order of the results' levels, all flat
};

enum { WM_BLOCK_NOT_PLACED = UINT16_MAX };

// On which SM each block of a launch ran, kept on request.
struct wm_block_map {
    uint64_t launch; // its number, as wm_launch_result's
    uint32_t kernel; // its index among the results' kernels
    uint32_t grid[3];
    uint64_t count; // of blocks
    const uint16_t
        *sms; // by linear index, x fastest: of the SMs of its GPU, or WM_BLOCK_NOT_PLACED
};

// What a kernel's %clock and its kin count: of a recording, what they counted as it was made.
enum wm_clocks {
    WM_CLOCKS_NONE, // it reads none
    WM_CLOCKS_INSTRUCTIONS,
    WM_CLOCKS_CYCLES, // and nanoseconds
};

// All launches of one kernel (same module, same name) on one GPU, added up.
struct wm_kernel_result {
    uint32_t gpu;
    bool on_cores; // CPU cores beside the GPU ran it
    // In tables: what distinguishes it from the run's other kernels.
    struct wm_kernel_name shown;
    const char *name;      // as in PTX (mangled)
    const char *signature; // demangled for people, or the same as name
    const char *module;    // PTX file or program
    uint64_t launches;
    uint32_t grid[3], block[3]; // of the last launch
    uint32_t dynamic_shared_bytes, static_shared_bytes, registers_per_thread;
    uint32_t blocks_per_sm; // occupancy of the last launch
    const char *occupancy_limiter;
    uint64_t shared_bytes, l1_bytes; // an SM's, of the last launch: they change with the carve-out
    uint64_t warp_instructions, thread_instructions;
    enum wm_clocks clocks;
    uint64_t cycles;                            // of the SMs' clock; 0 unless timed
    const struct wm_load_latency *load_latency; // NULL unless timed
    struct wm_component_result *components;
    uint32_t component_count;
    const struct wm_energy_result *energy; // of these components; NULL as that of the whole run
    struct wm_instruction_result *instructions; // memory instructions in order of pc
    uint32_t instruction_count;
    // On behalf of no instruction: what fetching its code caused. No requests without instruction
    // caches; the second is NULL unless misses were explained.
    struct wm_instruction_counters fetches;
    const struct wm_instruction_misses *fetches_explained;
    struct wm_listing_line *listing; // all its instructions in order of pc; NULL without
    uint32_t listing_count;
};

// An instruction that reads memory as if the host wrote it meanwhile
// (engine/session/host_device_races.h). Texts are owned by the results.
struct wm_host_device_race {
    const char *kernel, *module; // kernel as in PTX (mangled)
    const char *what;            // the allocation: "cudaMallocManaged #1"
    const char *text;            // "ld.volatile.global.u32 %r1, [%rd1]"
    const char *source_file;     // or NULL
    uint32_t source_line, ptx_line;
    bool changed; // the host did write while the kernel ran: it was seen
};

// What an instruction did to a line that several caches write.
struct wm_written_place_result {
    const struct wm_kernel_result *kernel; // of the same results, as is its instruction
    const struct wm_instruction_result *instruction;
    uint32_t units; // SMs or cores that executed it so
    uint64_t copies_taken, true_misses, false_misses;
};

// What has bytes of such a line: a variable, or an allocation.
struct wm_written_name_result {
    const char *name; // "ns::count", "cudaMallocManaged #1 (app.cu:12)"
    uint64_t offset;  // of its first byte in the line
    uint32_t at;      // where in the line that is
    uint32_t bytes;   // that the line has of it
};

// A line that several caches access and one writes at least, where misses are explained on coherent
// levels (mem/explain/written_lines.h).
enum { WM_MOST_WRITTEN_LINES = 256, WM_MOST_WRITTEN_NAMES = 8 }; // that results have; of a line
struct wm_written_line_result {
    uint64_t address;
    uint32_t caches, writers;
    uint64_t copies_taken, true_misses, false_misses;
    const struct wm_written_place_result *places; // in order of their first effect
    uint32_t place_count;
    const struct wm_written_name_result *names; // in order of their addresses; those that are known
    uint32_t name_count;
};

// Why a launch did not run to its end. Texts are borrowed.
struct wm_run_failure {
    enum wm_status status; // WM_STOPPED: at a limit of the run
    const char *place;     // "kernel f, block (0,0,0), thread (3,0,0)"
    const char *message;   // lower case, no full stop
    bool ran;              // false: it was refused. A kernel that ran ends the program's device:
                           // later launches do not run
    uint64_t refused;      // launches in all that were
};

// What the links and channels of a timed machine carry at most.
struct wm_timed_rates {
    uint32_t sms;
    uint32_t flit_bytes;
    double link_bytes_per_second; // all ports of the interconnect, in each of its two directions
    double dram_bytes_per_second; // all channels' data buses
};

struct wm_results {
    struct wm_arena arena; // owns everything below
    const char *machine_name, *machine_title;
    const char *machine_yaml; // the effective description
    uint32_t gpus;            // of the machine, 1 and more
    // Its levels, and what is counted of them at instructions.
    const struct wm_instruction_counter_set *counted;
    const struct wm_instruction_counter_set *missed; // and of misses where they are explained
    // For readers of several variants of a machine: what sets this one apart, as settings
    // ("gpu.l1.size=32KiB"); else NULL.
    const char *variant;
    const char *const *command; // the program and its arguments, NULL-terminated; may be NULL
    const char *engine;         // "walk", "clock", or "none" when nothing was traced
    uint64_t clock_hz;          // of the SMs; what cycles are of
    // In which any launch was under way: less than the kernels' added up where they ran side by
    // side. 0 unless timed, and where some launches were not counted.
    uint64_t elapsed_cycles;
    const struct wm_timeline *timeline; // NULL unless requested
    struct wm_timed_rates rates;        // zeros unless timed
    bool explained;                     // misses were explained
    bool profiled;                      // only what happened in a profiler's ranges was counted:
    uint64_t ranges;                    // so many began,
    uint64_t launches_not_counted;      // so many launches were not counted
    bool serial_streams;                // a recording's launches of several streams ran in turn
    const char *filter;                 // the choice of launches, as options; NULL: none
    // Kernels with launches that were not counted.
    const struct wm_kernel_name *left_out;
    uint32_t left_out_count;
    uint32_t line_bytes;              // of a request: the coalescer's
    struct wm_kernel_result *kernels; // in order of first launch
    uint32_t kernel_count;
    bool per_launch; // `levels` and `launches` are there
    const struct wm_level *levels;
    uint32_t level_count;
    const struct wm_launch_result *launches; // those that were counted, in order
    uint64_t launch_count;
    bool has_block_maps;
    const struct wm_block_map *block_maps; // of those that were counted, in order
    uint64_t block_map_count;
    // The whole run: the kernels, and what the host's copies caused between them (write-backs of
    // dirty lines that the host reads).
    struct wm_component_result *components;
    uint32_t component_count;
    const struct wm_energy_result *energy; // of the whole run; NULL when there is no energy table
    // Of the machine's bypass list, the selectors that named no memory instruction that ran.
    const char *const *unmet_bypasses;
    uint32_t unmet_bypass_count;
    // Where numbers may differ from run to run, in the order in which it was first seen.
    const struct wm_host_device_race *races;
    uint32_t race_count;
    // Those of which most copies were taken; of all `written_line_total`.
    bool notes_written_lines; // they were noted
    uint32_t written_line_bytes;
    const struct wm_written_line_result *written_lines;
    uint32_t written_line_count;
    uint64_t written_line_total;
    // What a checker found (engine/check/check.h); `checks` 0: no check was requested, and stray
    // accesses alone are among it.
    uint32_t checks;
    const struct wm_check_finding *findings; // the checker's
    uint32_t finding_count;
    // The first launch that did not run to its end; NULL when all did. Borrowed.
    const struct wm_run_failure *failure;
    // Bytes the host copied: they reach DRAM without passing an SM.
    uint64_t host_to_device_bytes, device_to_host_bytes, device_to_device_bytes;
};

void wm_results_free(struct wm_results *results);
// Sets `shown` of the kernels by their signatures. False without memory.
bool wm_results_name_kernels(struct wm_results *results);

#endif
