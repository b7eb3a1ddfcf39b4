#include "cuda/run/run_checks.h"

#include "base/containers/array.h"
#include "cuda/process.h"
#include "cuda/run/source_places.h"
#include "engine/check/check.h"
#include "exec/memory/virtual_memory.h"
#include "study/run_report/report_file.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PLACE_BYTES = WM_SOURCE_PLACE_BYTES, PATH_BYTES = 4096 };

enum wm_status wm_run_check_open(struct wm_run_check *check, uint32_t checks,
                                 const struct wm_device_memory *memory, struct wm_error *error)
{
    check->checks = checks;
    return wm_checker_new(checks, memory, &check->checker, error);
}

// ---- Calls -------------------------------------------------------------------------------------

static bool is_ours(void *frame)
{
    Dl_info object;
    if (!dladdr(frame, &object) || !object.dli_fname)
        return false;
    const char *slash = strrchr(object.dli_fname, '/');
    const char *name = slash ? slash + 1 : object.dli_fname;
    return strncmp(name, "libcudart.so", 12) == 0 || strncmp(name, "libcuda.so", 10) == 0;
}

void wm_run_check_present_call(struct wm_cuda_call *call)
{
    void *all[2 * WM_CALL_FRAMES];
    int count = backtrace(all, 2 * WM_CALL_FRAMES), first = 0, kept = 0;
    *call = (struct wm_cuda_call){{NULL}};
    while (first < count && !is_ours(all[first])) // a sanitizer's backtrace()
        first++;
    while (first < count && is_ours(all[first]))
        first++;
    for (int i = first; i < count && kept < WM_CALL_FRAMES - 1; i++)
        call->frames[kept++] = all[i];
}

// The number of the chain of calls that led here, from 1; 0 when the host is out of memory.
static uint32_t call_number(struct wm_run_check *check)
{
    struct wm_cuda_call call;
    wm_run_check_present_call(&call);
    for (uint32_t i = 0; i < check->call_count; i++)
        if (memcmp(&check->calls[i], &call, sizeof call) == 0)
            return i + 1;
    if (!WM_ARRAY_ADD(check->calls, check->call_count, check->call_capacity, call))
        return 0;
    return check->call_count;
}

void wm_run_check_allocated(struct wm_run_check *check, struct wm_cuda_allocation *allocation)
{
    if (!check->checker)
        return;
    if (allocation->kind == WM_ALLOCATION_DEVICE)
        wm_checker_allocated(check->checker, allocation->address, allocation->size_bytes);
    else // others write it too; device memory may have been there before
        wm_checker_written(check->checker, allocation->address, allocation->size_bytes);
    allocation->call = wm_run_check_call(check);
}

uint32_t wm_run_check_call(struct wm_run_check *check)
{
    return check->checks & WM_CHECK_LEAK ? call_number(check) : 0;
}

// ---- Leaks -------------------------------------------------------------------------------------

// The first function of the program's own: headers wrap cudaMalloc in templates of that name.
static void describe_call(struct wm_source_places *places, const struct wm_cuda_call *call,
                          char *place)
{
    snprintf(place, PLACE_BYTES, "?");
    for (int i = 0; i < WM_CALL_FRAMES && call->frames[i]; i++) {
        bool named = wm_source_place_of(places, call->frames[i], place);
        if (!named || (!strstr(place, "cudaMalloc") && !strstr(place, "cudaHostAlloc")))
            return;
    }
}

static const char *kind_words(enum wm_allocation_kind kind)
{
    switch (kind) {
    case WM_ALLOCATION_MANAGED: return "managed memory";
    case WM_ALLOCATION_HOST: return "pinned memory";
    case WM_ALLOCATION_REGISTERED: return "registered memory";
    case WM_ALLOCATION_IMPORTED: return "memory of another process";
    default: return "device memory";
    }
}

static bool holds(const struct wm_cuda_allocation *allocation, const struct wm_device_heap *heap)
{
    return heap->address >= allocation->address &&
           heap->address < allocation->address + allocation->size_bytes;
}

// The heap of malloc in kernels, that of parameters of launches by kernels, and what cooperative
// launches wait through are the runtime's.
static bool is_programs(const struct wm_cuda_process *process,
                        const struct wm_cuda_allocation *allocation)
{
    const struct wm_cuda_device_runtime *runtime = &process->devices[allocation->device].runtime;
    bool holds_heap = (runtime->has_heap && holds(allocation, &runtime->heap)) ||
                      (runtime->launches.has_heap && holds(allocation, &runtime->launches.heap));
    return allocation->freed_after == 0 && !holds_heap && allocation->address != runtime->workspace;
}

// All that is left from one place in the program is one finding, at the first one's turn.
static void report_allocations(struct wm_cuda_process *process, struct wm_source_places *places)
{
    const struct wm_run_check *check = &process->check;
    for (uint32_t i = 0; i < process->allocation_count; i++) {
        const struct wm_cuda_allocation *first = &process->allocations[i];
        bool seen = !is_programs(process, first);
        for (uint32_t k = 0; k < i && !seen; k++)
            seen = process->allocations[k].call == first->call &&
                   process->allocations[k].kind == first->kind &&
                   is_programs(process, &process->allocations[k]);
        if (seen)
            continue;
        uint64_t bytes = 0, count = 0;
        for (uint32_t k = i; k < process->allocation_count; k++) {
            const struct wm_cuda_allocation *other = &process->allocations[k];
            if (other->call == first->call && other->kind == first->kind &&
                is_programs(process, other)) {
                bytes += other->size_bytes;
                count++;
            }
        }
        char place[PLACE_BYTES] = "?", what[PLACE_BYTES + 32];
        if (first->call)
            describe_call(places, &check->calls[first->call - 1], place);
        snprintf(what, sizeof what, "%s of %s", kind_words(first->kind), place);
        wm_checker_leak(check->checker, WM_FOUND_LEAK, what, first->address, bytes, count);
    }
}

// Of handles that were never released, also those of one place together.
static void report_physical_memory(struct wm_cuda_process *process, struct wm_source_places *places)
{
    const struct wm_run_check *check = &process->check;
    uint32_t all;
    const struct wm_physical_memory *memory =
        wm_virtual_physicals(wm_device_memory_virtual(process->memory), &all);
    for (uint32_t i = 0; i < all; i++) {
        uint64_t bytes = 0, count = 0;
        bool seen = memory[i].references == 0;
        for (uint32_t k = 0; k < i && !seen; k++)
            seen = memory[k].call == memory[i].call && memory[k].references > 0;
        for (uint32_t k = i; k < all && !seen; k++)
            if (memory[k].call == memory[i].call && memory[k].references > 0) {
                bytes += memory[k].size_bytes;
                count++;
            }
        if (seen)
            continue;
        char place[PLACE_BYTES] = "?", what[PLACE_BYTES + 32];
        if (memory[i].call)
            describe_call(places, &check->calls[memory[i].call - 1], place);
        snprintf(what, sizeof what, "device memory of %s", place);
        wm_checker_leak(check->checker, WM_FOUND_LEAK, what, 0, bytes, count);
    }
}

static void report_objects(struct wm_cuda_process *process)
{
    uint64_t streams = 0, events = 0;
    for (const struct wm_cuda_stream *stream = process->streams; stream; stream = stream->next)
        streams++;
    for (const struct wm_cuda_event *event = process->events; event; event = event->next)
        events++;
    if (streams > 0)
        wm_checker_leak(process->check.checker, WM_FOUND_LEAK, "streams never destroyed", 0, 0,
                        streams);
    if (events > 0)
        wm_checker_leak(process->check.checker, WM_FOUND_LEAK, "events never destroyed", 0, 0,
                        events);
}

void wm_run_check_leaks(struct wm_cuda_process *process)
{
    if (!(process->check.checks & WM_CHECK_LEAK))
        return;
    struct wm_source_places places;
    wm_source_places_open(&places);
    report_allocations(process, &places);
    report_physical_memory(process, &places);
    report_objects(process);
    for (uint32_t i = 0; i < process->device_count; i++) {
        const struct wm_device_heap *heap = &process->devices[i].runtime.heap;
        if (heap->live_blocks > 0)
            wm_checker_leak(process->check.checker, WM_FOUND_HEAP_LEAK, "malloc in kernels",
                            heap->address, heap->live_bytes, heap->live_blocks);
    }
    wm_source_places_close(&places);
}

// ---- The end -----------------------------------------------------------------------------------

// Findings of requested checks: a stray access is one with WM_CHECK_MEMORY, and else only reported.
static uint32_t count_requested(const struct wm_run_check *check,
                                const struct wm_check_finding *findings, uint32_t count)
{
    uint32_t requested = 0;
    for (uint32_t i = 0; i < count; i++)
        requested += findings[i].kind != WM_FOUND_STRAY || (check->checks & WM_CHECK_MEMORY) != 0;
    return requested;
}

void wm_run_check_write(const struct wm_run_check *check, const struct wm_run_report *report,
                        bool faulted)
{
    if (!check->checker)
        return;
    uint32_t count;
    const struct wm_check_finding *findings = wm_checker_findings(check->checker, &count);
    if (check->checks == 0 && count == 0)
        return;
    struct wm_text text;
    wm_text_init(&text);
    if (count == 0)
        wm_text_format(&text, "warpmem: checks found nothing%s\n",
                       faulted ? " besides what stopped the kernel" : "");
    else
        wm_text_format(&text, "warpmem: %u finding%s\n", (unsigned)count, count == 1 ? "" : "s");
    wm_check_text(findings, count, &text);
    uint32_t requested = count_requested(check, findings, count);
    if (requested < count)
        wm_text_add(&text, "with --check memory such an access stops the kernel\n");
    if (report->settings.host_threads && check->checks & WM_CHECK_RACE)
        wm_text_add(&text, "races between threads and kernels are not looked for\n");
    struct wm_error error;
    wm_error_clear(&error);
    char path[PATH_BYTES];
    const char *folder = report->settings.run_folder;
    snprintf(path, sizeof path, "%s/%u.%s", folder ? folder : "", report->number,
             requested ? "findings" : "checked");
    if (text.failed || !text.data)
        wm_fail_no_memory(&error, "saying what the checks found");
    else if (folder)
        wm_report_file_write(path, &text, &error);
    else
        fwrite(text.data, 1, text.length, stderr);
    if (error.status != WM_OK)
        wm_cuda_print_error(&error);
    wm_text_release(&text);
}
