#include "cuda/run/memory_names.h"

#include "base/names/memory_names.h"
#include "base/names/source_location.h"
#include "cuda/process.h"
#include "cuda/run/run_checks.h"

#include <execinfo.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CALL_FRAMES = 6, // of the program's: headers wrap allocations in templates of their own
    PART_CALLS = 1024,
    PARTS = 16,
    NAME_BYTES = 320,
};

struct call {
    uint64_t address; // of what it allocated
    void *frames[CALL_FRAMES];
};

// Calls beyond its room are not kept. In parts that the heap of a thread has room for: a large one
// would be a mapping, and move those of the program.
struct wm_memory_calls {
    struct call *parts[PARTS]; // owned
    uint32_t count;
};

static struct call *call_at(const struct wm_memory_calls *calls, uint32_t index)
{
    struct call *part = calls->parts[index / PART_CALLS];
    return part ? &part[index % PART_CALLS] : NULL;
}

void wm_memory_calls_start(struct wm_cuda_process *process)
{
    void *frame;
    struct wm_memory_calls *calls = calloc(1, sizeof *calls);
    for (int i = 0; calls && i < PARTS; i++)
        calls->parts[i] = calloc(PART_CALLS, sizeof *calls->parts[i]);
    (void)backtrace(&frame, 1); // loads what it needs the first time
    process->calls = calls;
}

void wm_memory_calls_add(struct wm_cuda_process *process, uint64_t address)
{
    struct wm_memory_calls *calls = process->calls;
    struct wm_cuda_call call;
    struct call *kept =
        calls && calls->count < PARTS * PART_CALLS ? call_at(calls, calls->count) : NULL;
    if (!kept)
        return;
    wm_run_check_present_call(&call);
    kept->address = address;
    memcpy(kept->frames, call.frames, sizeof kept->frames);
    calls->count++;
}

// The last call that allocated there.
static const struct call *call_of(const struct wm_memory_calls *calls, uint64_t address)
{
    for (uint32_t i = calls ? calls->count : 0; i > 0; i--) {
        const struct call *call = call_at(calls, i - 1);
        if (call->address == address)
            return call;
    }
    return NULL;
}

// Appends " (app.cu:12)": the innermost line of the program's own.
static void add_line(const struct wm_cuda_process *process, uint64_t address, char *name,
                     size_t size)
{
    const struct call *call = call_of(process->calls, address);
    for (int i = 0; call && i < CALL_FRAMES && call->frames[i]; i++) {
        struct wm_host_code code =
            process->host_threads->describe_code((uint64_t)(uintptr_t)call->frames[i]);
        if (!code.file || wm_is_toolkit_file(code.file))
            continue;
        const char *slash = strrchr(code.file, '/');
        size_t length = strlen(name);
        snprintf(name + length, size - length, " (%.200s:%" PRIu32 ")",
                 slash ? slash + 1 : code.file, code.line);
        return;
    }
}

void wm_memory_name_allocations(const struct wm_cuda_process *process,
                                struct wm_memory_names *names)
{
    static const char variable[] = "variable ";
    size_t count;
    const struct wm_allocation *all = wm_device_memory_all(process->memory, &count);
    for (size_t i = 0; i < count; i++) {
        char name[NAME_BYTES];
        bool is_variable = strncmp(all[i].label, variable, sizeof variable - 1) == 0;
        snprintf(name, sizeof name, "%s", all[i].label + (is_variable ? sizeof variable - 1 : 0));
        add_line(process, all[i].address, name, sizeof name);
        if (!wm_memory_names_add(names, all[i].address, all[i].size_bytes, name, strlen(name)))
            break; // without memory fewer have a name
    }
}

static void add_variable(void *names, uint64_t address, uint64_t bytes, const char *name)
{
    (void)wm_memory_names_add(names, address, bytes, name, strlen(name));
}

void wm_memory_name_all(const struct wm_cuda_process *process)
{
    struct wm_memory_names *names = wm_session_memory_names(process->session);
    if (!names || names->count > 0)
        return;
    wm_memory_name_allocations(process, names);
    if (process->host_threads)
        process->host_threads->visit_variables(add_variable, names);
}
