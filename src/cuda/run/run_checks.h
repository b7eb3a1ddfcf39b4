// The checks of a run (engine/check/check.h): the checker, where the program allocated memory, and
// the report when it ends.
#ifndef WM_CUDA_RUN_RUN_CHECKS_H
#define WM_CUDA_RUN_RUN_CHECKS_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct wm_checker;
struct wm_cuda_allocation;
struct wm_cuda_process;
struct wm_device_memory;
struct wm_host_finding;
struct wm_run_report;

enum { WM_CALL_FRAMES = 12 };

// A chain of calls in the program, innermost first; NULL ends it.
struct wm_cuda_call {
    void *frames[WM_CALL_FRAMES];
};

struct wm_run_check {
    uint32_t checks;            // of enum wm_check
    struct wm_checker *checker; // finds stray accesses even without a requested check
    struct wm_cuda_call *calls; // owned; different ones
    uint32_t call_count, call_capacity;
    struct wm_host_finding *host_findings; // owned; of host code (host_checks.h)
    uint32_t host_finding_count, host_finding_capacity;
};

enum wm_status wm_run_check_open(struct wm_run_check *check, uint32_t checks,
                                 const struct wm_device_memory *memory, struct wm_error *error);
// Memory was allocated: it holds nothing yet, and the program's present call is kept for leaks.
void wm_run_check_allocated(struct wm_run_check *check, struct wm_cuda_allocation *allocation);
// Where the program is now: calls of its own, behind those of the CUDA libraries.
void wm_run_check_present_call(struct wm_cuda_call *call);
// Its number, for a finding of a leak: 0 when they are not looked for.
uint32_t wm_run_check_call(struct wm_run_check *check);
// The program ends: what it has not freed is found. With the process locked, its work finished.
void wm_run_check_leaks(struct wm_cuda_process *process);
// Reports the findings: where `warpmem run` collects them, else on standard error. Nothing when no
// check was requested or nothing found. `faulted`: a kernel was stopped, which has been reported.
void wm_run_check_write(const struct wm_run_check *check, const struct wm_run_report *report,
                        bool faulted);

#endif
