#include "cuda/run/host_checks.h"

#include "base/containers/array.h"
#include "base/run/host_checks.h"
#include "cuda/process.h"
#include "cuda/run/source_places.h"
#include "engine/check/check.h"
#include "exec/memory/device_memory.h"

#include <dlfcn.h>
#include <errno.h>

static struct wm_cuda_process *the_process; // whose memory is checked

static struct wm_host_finding *find(struct wm_run_check *check, const void *caller, bool write,
                                    bool freed)
{
    for (uint32_t i = 0; i < check->host_finding_count; i++) {
        struct wm_host_finding *finding = &check->host_findings[i];
        if (finding->caller == caller && finding->write == write && finding->freed == freed)
            return finding;
    }
    const struct wm_host_finding made = {.caller = caller, .write = write, .freed = freed};
    if (!WM_ARRAY_ADD(check->host_findings, check->host_finding_count, check->host_finding_capacity,
                      made))
        return NULL;
    return &check->host_findings[check->host_finding_count - 1];
}

// With the process locked.
static void note(struct wm_cuda_process *process, uint64_t address, uint64_t bytes, bool write,
                 const void *caller)
{
    const struct wm_allocation *near = wm_device_memory_nearest(process->memory, address);
    bool freed = near && near->freed && address - near->address < near->size_bytes;
    struct wm_host_finding *finding = find(&process->check, caller, write, freed);
    if (!finding || finding->count++ != 0)
        return;
    finding->address = address;
    finding->bytes = bytes;
    if (near)
        wm_allocation_describe(near, address, finding->what, sizeof finding->what);
}

// The program's errno is left alone.
static void check_access(uint64_t address, uint64_t bytes, bool write, const void *caller)
{
    struct wm_cuda_process *process = the_process;
    int reason = errno;
    if (!wm_device_memory_owns(process->memory, address))
        return;
    pthread_mutex_lock(&process->mutex);
    if (process->phase == WM_CUDA_READY &&
        !wm_device_memory_find_range(process->memory, address, bytes, false))
        note(process, address, bytes, write, caller);
    pthread_mutex_unlock(&process->mutex);
    errno = reason;
}

void wm_run_host_checks_start(struct wm_cuda_process *process)
{
    static const struct wm_host_checks checks = {.access = check_access};
    void *begin = dlsym(RTLD_DEFAULT, WM_HOST_CHECKS_BEGIN);
    if (!(process->check.checks & WM_CHECK_MEMORY) || !begin)
        return;
    the_process = process;
    ((__typeof__(&wm_host_checks_begin))begin)(&checks);
}

void wm_run_host_checks_end(struct wm_cuda_process *process)
{
    struct wm_run_check *check = &process->check;
    struct wm_source_places places;
    char place[WM_SOURCE_PLACE_BYTES];
    if (check->host_finding_count == 0)
        return;
    wm_source_places_open(&places);
    for (uint32_t i = 0; i < check->host_finding_count; i++) {
        const struct wm_host_finding *finding = &check->host_findings[i];
        wm_source_place_behind(&places, finding->caller, place);
        const struct wm_check_host_access access = {
            .kind = finding->write ? WM_ACCESS_STORE : WM_ACCESS_LOAD,
            .place = place,
            .what = finding->what,
            .address = finding->address,
            .bytes = finding->bytes,
            .count = finding->count,
        };
        wm_checker_host(check->checker, finding->freed ? WM_FOUND_HOST_FREED : WM_FOUND_HOST_BEYOND,
                        &access);
    }
    wm_source_places_close(&places);
}
