#include "cuda/run/host_checks.h"

#include "base/containers/array.h"
#include "base/run/host_checks.h"
#include "cuda/process.h"
#include "cuda/run/source_places.h"
#include "engine/check/check.h"
#include "exec/memory/device_memory.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>

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

void wm_host_checks_connect(void)
{
    (void)wm_cuda_start(NULL); // where that fails, the program's first call of CUDA says so
}

// ---- The end -----------------------------------------------------------------------------------

struct host_report {
    struct wm_checker *checker;
    struct wm_source_places places;
    bool has_places; // they take time to open, and most runs find nothing
};

static void describe_place(struct host_report *report, const void *code, char *place)
{
    if (!report->has_places)
        wm_source_places_open(&report->places);
    report->has_places = true;
    wm_source_place_behind(&report->places, code, place);
}

static void report_device_finding(struct host_report *report, const struct wm_host_finding *finding)
{
    char place[WM_SOURCE_PLACE_BYTES];
    describe_place(report, finding->caller, place);
    wm_checker_host(report->checker, finding->freed ? WM_FOUND_HOST_FREED : WM_FOUND_HOST_BEYOND,
                    &(struct wm_check_host_access){
                        .kind = finding->write ? WM_ACCESS_STORE : WM_ACCESS_LOAD,
                        .place = place,
                        .what = finding->what,
                        .address = finding->address,
                        .bytes = finding->bytes,
                        .count = finding->count,
                    });
}

enum { OFFSET_BYTES = 64, WHAT_BYTES = OFFSET_BYTES + 2 * WM_SOURCE_PLACE_BYTES + 128 };

static void describe_offset(const struct wm_host_heap_finding *finding, char *text)
{
    int64_t past = finding->offset - (int64_t)finding->block_bytes;
    if (finding->what == WM_HOST_HEAP_FREED_AGAIN)
        snprintf(text, OFFSET_BYTES, "a");
    else if (finding->offset < 0)
        snprintf(text, OFFSET_BYTES, "%lld bytes before a", -(long long)finding->offset);
    else if (past >= 0)
        snprintf(text, OFFSET_BYTES, "%lld bytes past the end of a", (long long)past);
    else
        snprintf(text, OFFSET_BYTES, "%lld bytes into a", (long long)finding->offset);
}

// Where the block lies differs from run to run: it is not said.
static void report_heap_finding(void *context, const struct wm_host_heap_finding *finding)
{
    static const enum wm_check_kind kinds[] = {
        [WM_HOST_HEAP_FREED] = WM_FOUND_HOST_FREED,
        [WM_HOST_HEAP_BEYOND] = WM_FOUND_HOST_BEYOND,
        [WM_HOST_HEAP_FREED_AGAIN] = WM_FOUND_HOST_FREED_AGAIN,
    };
    struct host_report *report = context;
    char place[WM_SOURCE_PLACE_BYTES], made[WM_SOURCE_PLACE_BYTES], freed[WM_SOURCE_PLACE_BYTES];
    char offset[OFFSET_BYTES], what[WHAT_BYTES];
    describe_place(report, finding->code, place);
    describe_place(report, finding->made_by, made);
    describe_offset(finding, offset);
    int length = snprintf(what, sizeof what, "%s block of %llu bytes, made in %s", offset,
                          (unsigned long long)finding->block_bytes, made);
    if (finding->freed_by && length > 0 && (size_t)length < sizeof what) {
        describe_place(report, finding->freed_by, freed);
        snprintf(what + length, sizeof what - (size_t)length, ", freed in %s", freed);
    }
    wm_checker_host(report->checker, kinds[finding->what],
                    &(struct wm_check_host_access){
                        .kind = finding->write ? WM_ACCESS_STORE : WM_ACCESS_LOAD,
                        .place = place,
                        .what = what,
                        .bytes = finding->bytes,
                        .count = finding->count,
                    });
}

void wm_run_host_checks_end(struct wm_cuda_process *process)
{
    struct wm_run_check *check = &process->check;
    struct host_report report = {.checker = check->checker};
    void *heap_findings = dlsym(RTLD_DEFAULT, WM_HOST_HEAP_FINDINGS);
    if (!(check->checks & WM_CHECK_MEMORY) || !heap_findings)
        return;
    for (uint32_t i = 0; i < check->host_finding_count; i++)
        report_device_finding(&report, &check->host_findings[i]);
    ((__typeof__(&wm_host_heap_findings))heap_findings)(report_heap_finding, &report);
    if (report.has_places)
        wm_source_places_close(&report.places);
}
