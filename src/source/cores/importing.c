#include "source/cores/importing.h"

#include <string.h>
#include <sys/stat.h>

// Traces of programs of their own: each core's addresses are moved by its number times this, far
// above what a program uses, which leaves every cache's sets as they are.
enum { CORE_SHIFT = 56 };

static enum wm_status check_file(const char *path, struct wm_error *error)
{
    struct stat found;
    // What cannot be looked at fails better when it is opened.
    if (stat(path, &found) != 0 || S_ISREG(found.st_mode))
        return WM_OK;
    wm_fail(error, WM_UNSUPPORTED, "is no file: traces are read twice");
    wm_error_place(error, "%s", path);
    return wm_error_hint(error, "write the trace to a file first");
}

static enum wm_status unknown_format(const char *path, struct wm_error *error)
{
    wm_fail(error, WM_INVALID, "its name does not say what kind of trace it is");
    wm_error_place(error, "%s", path);
    return wm_error_hint(error, "give --format");
}

static enum wm_status open_trace(const struct wm_core_import *import, uint32_t trace,
                                 struct wm_core_reader *reader, struct wm_error *error)
{
    const char *path = import->paths[trace];
    const struct wm_core_format *format =
        import->format != NULL ? import->format : wm_core_format_of_path(path);
    if (format == NULL)
        return unknown_format(path, error);
    WM_TRY(check_file(path, error));
    struct wm_trace_input *input;
    WM_TRY(wm_trace_input_open(path, &input, error));
    wm_core_reader_init(reader, format, input, import->data_only);
    return WM_OK;
}

// Those of the trace that was read, at addresses as the recording has them.
static enum wm_status take_names(struct wm_core_importing *importing, uint32_t trace,
                                 const struct wm_memory_names *names, struct wm_error *error)
{
    for (size_t i = 0; i < names->count; i++) {
        const struct wm_memory_name *it = &names->items[i];
        uint64_t address = wm_core_importing_address(importing, trace, it->address);
        if (!wm_memory_names_add(&importing->names, address, it->bytes, it->name, strlen(it->name)))
            return wm_fail_no_memory(error, "a trace's names of memory");
    }
    return WM_OK;
}

enum wm_status wm_core_importing_read(struct wm_core_importing *importing, uint32_t trace,
                                      uint32_t only, wm_core_importing_step *each,
                                      struct wm_error *error)
{
    struct wm_core_reader reader;
    struct wm_core_step step;
    bool more = true;
    importing->trace = trace;
    WM_TRY(open_trace(importing->import, trace, &reader, error));
    reader.only = only;
    enum wm_status status = WM_OK;
    uint64_t steps = 0;
    while (status == WM_OK) {
        status = wm_core_reader_next(&reader, &step, &more, error);
        if (status != WM_OK || !more)
            break;
        steps += step.kind == WM_CORE_STEP_EXECUTES;
        importing->thread = reader.step_thread;
        status = each(importing, &step, error);
    }
    if (only == WM_CORE_ALL_THREADS) {
        importing->places[trace] = reader.places;
        wm_core_places_init(&reader.places);
        if (status == WM_OK)
            status = take_names(importing, trace, &reader.names, error);
    }
    wm_core_reader_release(&reader);
    if (status == WM_OK && steps == 0 && importing->import->kernels == NULL) {
        wm_fail(error, WM_INVALID, "nothing is executed in it");
        status = wm_error_place(error, "%s", importing->import->paths[trace]);
    }
    return status;
}

uint32_t wm_core_importing_program(const struct wm_core_importing *importing,
                                   const struct wm_core_step *step)
{
    return importing->import->shared && step->place == 0 ? 0 : importing->trace;
}

bool wm_core_importing_of_device(const struct wm_core_step *step)
{
    return step->kind == WM_CORE_STEP_ISSUES || step->kind == WM_CORE_STEP_AWAITS ||
           step->kind == WM_CORE_STEP_TURN;
}

bool wm_core_importing_keeps(const struct wm_core_importing *importing,
                             const struct wm_core_step *step)
{
    if (wm_core_importing_of_device(step))
        return importing->import->kernels != NULL;
    return step->kind == WM_CORE_STEP_FENCE ||
           (!importing->import->unordered && step->awaited_accesses > 0);
}

uint64_t wm_core_importing_address(const struct wm_core_importing *importing, uint32_t trace,
                                   uint64_t address)
{
    return importing->import->shared ? address : address + ((uint64_t)trace << CORE_SHIFT);
}
