// Findings about a program's own use of memory, in the spirit of a memory checker: accesses beyond
// allocations, reads of what nothing has written, races on shared memory, and what was never freed.
// All but the first are off by default.
//
// A checker observes the interpreter, alongside other observers: it wraps the work of a launch
// (engine/session/work.h), which either engine drives as any other. It changes nothing.
//
//   - Stray accesses: beyond an allocation, but in memory that a driver maps together with it. A
//     GPU lets them pass. They are found with any choice of checks; WM_CHECK_MEMORY makes them the
//     fault that other accesses out of bounds are. Not found: those that reach another live
//     allocation. Those of host code are handed over (wm_checker_host).
//   - Uninitialised reads: of device memory from the runtime's or the driver's allocations, and of
//     shared memory, byte by byte. What kernels, copies and fills write is initialised; so are
//     variables. Managed and pinned memory may be written by the host unseen: it is never found.
//   - Races: two warps of a block touch the same bytes of shared memory, at least one of them
//     writes, and no barrier (nor an acquire of what the other released: compare-and-swap,
//     exchange, .acquire and .release, volatile) orders them. Not found: threads of one warp, which
//     are taken to run in step; writes of the value that is there; two accesses that are both
//     atomic, volatile or relaxed; all but the last two of many warps that read the same bytes
//     before one writes them. What mbarriers and the barrier of a cluster order is no race.
//
// Thread rules: one thread at a time.
#ifndef WM_ENGINE_CHECK_H
#define WM_ENGINE_CHECK_H

#include "base/access/access.h"
#include "base/error.h"
#include "base/run/check_list.h"
#include "base/text/text.h"
#include "engine/session/work.h"

#include <stdbool.h>
#include <stdint.h>

enum wm_check_kind {
    WM_FOUND_UNINITIALISED_GLOBAL,
    WM_FOUND_UNINITIALISED_SHARED,
    WM_FOUND_WRITE_AFTER_WRITE,
    WM_FOUND_READ_AFTER_WRITE,
    WM_FOUND_WRITE_AFTER_READ,
    WM_FOUND_LEAK,             // of memory that the program allocated
    WM_FOUND_HEAP_LEAK,        // of memory from malloc in kernels
    WM_FOUND_STRAY,            // an access beyond an allocation that a GPU lets pass
    WM_FOUND_HOST_FREED,       // host code accesses what was freed,
    WM_FOUND_HOST_BEYOND,      // or beyond an allocation,
    WM_FOUND_HOST_FREED_AGAIN, // or frees it again
    WM_FOUND_KINDS
};

// One of the accesses of a finding, the later one first. Texts are the checker's.
struct wm_check_access {
    const char *text;        // "ld.shared.f32 %f1, [%r2]"; NULL: there is none
    const char *source_file; // or NULL
    uint32_t source_line, ptx_line;
    enum wm_access_kind kind;
    uint32_t thread[3];
};

struct wm_check_finding {
    enum wm_check_kind kind;
    uint64_t count;     // times it was seen; of leaks, allocations from one place
    const char *kernel; // mangled; NULL for leaks of allocations
    const char *module;
    // Allocation: "cudaMalloc #3"; leaks also say where: "main, app.cu:12"; stray accesses, how far
    // beyond: "4 bytes past the end of cudaMalloc #2 (…)".
    const char *what;
    const char *place;                  // of host code: "main, app.cu:12"
    struct wm_check_access accesses[2]; // of host code the kind of the first is set alone
    uint32_t block[3];
    uint64_t address; // the first time; of shared memory, the offset
    uint64_t bytes;   // of the access; of leaks, all of it
};

struct wm_checker;
struct wm_device_memory;
struct wm_stray_access;

// `checks`: of enum wm_check; 0: stray accesses alone are found. `memory` is borrowed.
enum wm_status wm_checker_new(uint32_t checks, const struct wm_device_memory *memory,
                              struct wm_checker **checker, struct wm_error *error);
void wm_checker_free(struct wm_checker *checker);

// Of a launch that is to be observed, of any number at a time. NULL when the host is out of memory.
struct wm_checked_launch *wm_checked_launch_new(struct wm_checker *checker);
void wm_checked_launch_free(struct wm_checked_launch *launch); // or NULL
// Begins to observe it: what it returns is driven in place of `inner`, and lives as long as
// `launch`; `inner` itself where that is NULL. NULL when the host is out of memory.
struct wm_work *wm_checked_launch_begin(struct wm_checked_launch *launch, struct wm_work *inner,
                                        uint32_t sm_count);
// wm_launch.stray, whose context is the launch.
bool wm_checked_launch_stray(void *launch, const struct wm_stray_access *access);

// What happens to device memory outside of kernels.
void wm_checker_allocated(struct wm_checker *checker, uint64_t address, uint64_t bytes);
void wm_checker_written(struct wm_checker *checker, uint64_t address, uint64_t bytes);
void wm_checker_copied(struct wm_checker *checker, uint64_t to, uint64_t from, uint64_t bytes);
// The program ends without having freed it; `what` is copied.
void wm_checker_leak(struct wm_checker *checker, enum wm_check_kind kind, const char *what,
                     uint64_t address, uint64_t bytes, uint64_t count);

// An access of host code; texts are copied.
struct wm_check_host_access {
    enum wm_access_kind kind;
    const char *place, *what;
    uint64_t address, bytes, count;
};
void wm_checker_host(struct wm_checker *checker, enum wm_check_kind kind,
                     const struct wm_check_host_access *access);

uint32_t wm_checker_checks(const struct wm_checker *checker);
// In the order in which they were first seen; the checker's.
const struct wm_check_finding *wm_checker_findings(const struct wm_checker *checker,
                                                   uint32_t *count);
// "write_after_read": for files.
const char *wm_check_kind_name(enum wm_check_kind kind);
// For people: one paragraph each.
void wm_check_text(const struct wm_check_finding *findings, uint32_t count, struct wm_text *text);

#endif
