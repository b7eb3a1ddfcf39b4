// Host code's accesses to the device's memory, of programs compiled with `warpmem cc --trace-host`
// and run with `--check memory`: those to what was freed, and beyond an allocation.
#ifndef WM_CUDA_RUN_HOST_CHECKS_H
#define WM_CUDA_RUN_HOST_CHECKS_H

#include <stdbool.h>
#include <stdint.h>

struct wm_cuda_process;

// What one instruction did wrong.
struct wm_host_finding {
    const void *caller; // behind the instruction
    bool write, freed;
    uint64_t count;
    uint64_t address, bytes; // the first time
    char what[192];          // "12 bytes into freed cudaMallocManaged #1 (…)"
};

// Checks from now on, if memory is to be checked and the program is instrumented.
void wm_run_host_checks_start(struct wm_cuda_process *process);
// The program ends: what was found becomes findings of the run. With the process locked.
void wm_run_host_checks_end(struct wm_cuda_process *process);

#endif
