#include "base/containers/array.h"
#include "source/accelsim/words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct trace {
    struct wm_trace_input *input;
    struct wm_accelsim_header header;
    const struct wm_accelsim_callbacks *callbacks;
    uint32_t warps; // of a block
    uint64_t blocks;
    struct wm_accelsim_instruction instruction;
};

static enum wm_status bad(const struct trace *trace, struct wm_error *error)
{
    return wm_trace_input_place(trace->input, error);
}

// The next line that is not blank; NULL at the end of the file.
static enum wm_status next(struct trace *trace, const char **line, struct wm_error *error)
{
    size_t length;
    do {
        WM_TRY(wm_trace_input_line(trace->input, line, &length, error));
    } while (*line != NULL && (*line)[strspn(*line, " \t")] == '\0');
    return WM_OK;
}

// As next, where the file may not end.
static enum wm_status need(struct trace *trace, const char *within, const char **line,
                           struct wm_error *error)
{
    WM_TRY(next(trace, line, error));
    if (*line != NULL)
        return WM_OK;
    wm_fail(error, WM_INVALID, "the trace ends within %s", within);
    bad(trace, error);
    return wm_error_hint(error, "the file was cut off: trace the kernel again");
}

static bool begins(const char *line, const char *with)
{
    return strncmp(line, with, strlen(with)) == 0;
}

// "thread block = x,y,z" as a linear index.
static enum wm_status read_block(const struct trace *trace, const char *line, uint64_t *index,
                                 struct wm_error *error)
{
    unsigned long long at[3];
    char rest;
    const uint32_t *grid = trace->header.grid;
    if (!begins(line, "thread block =") ||
        sscanf(line + 14, " %9llu , %9llu , %9llu %c", &at[0], &at[1], &at[2], &rest) != 3)
        return wm_fail(error, WM_INVALID, "\"%.60s\" is not \"thread block = x,y,z\"", line);
    if (at[0] >= grid[0] || at[1] >= grid[1] || at[2] >= grid[2])
        return wm_fail(error, WM_INVALID,
                       "thread block %llu,%llu,%llu lies outside the grid of %" PRIu32 "×%" PRIu32
                       "×%" PRIu32,
                       at[0], at[1], at[2], grid[0], grid[1], grid[2]);
    *index = (at[2] * grid[1] + at[1]) * grid[0] + at[0];
    return WM_OK;
}

// "KEY = N"
static bool read_number(const char *line, const char *key, uint64_t most, uint64_t *number)
{
    if (!begins(line, key))
        return false;
    const char *at = line + strlen(key);
    return wm_accelsim_decimal(&at, most, number) && at[strspn(at, " \t")] == '\0';
}

static enum wm_status read_instruction(struct trace *trace, uint64_t left, struct wm_error *error)
{
    const char *line;
    WM_TRY(need(trace, "a warp", &line, error));
    if (line[0] == '#' || line[0] == 'w' || line[0] == 't') {
        wm_fail(error, WM_INVALID, "%" PRIu64 " of the warp's instructions are missing", left);
        return bad(trace, error);
    }
    if (wm_accelsim_instruction_read(&trace->header, line, &trace->instruction, error) != WM_OK)
        return bad(trace, error);
    const struct wm_accelsim_callbacks *callbacks = trace->callbacks;
    enum wm_status status = callbacks->instruction(callbacks->context, &trace->instruction, error);
    return status == WM_OK ? WM_OK : bad(trace, error);
}

// A warp, whose first line is `line`.
static enum wm_status read_warp(struct trace *trace, const char *line, uint64_t *seen,
                                struct wm_error *error)
{
    uint64_t warp, count;
    if (!read_number(line, "warp =", UINT32_MAX, &warp)) {
        wm_fail(error, WM_INVALID, "\"%.60s\" stands where \"warp = N\" or \"#END_TB\" is expected",
                line);
        return bad(trace, error);
    }
    if (warp >= trace->warps) {
        wm_fail(error, WM_INVALID, "warp %" PRIu64 " in a block of %" PRIu32 " warps", warp,
                trace->warps);
        return bad(trace, error);
    }
    if ((*seen >> warp & 1) != 0) {
        wm_fail(error, WM_INVALID, "warp %" PRIu64 " stands twice in its block", warp);
        return bad(trace, error);
    }
    *seen |= UINT64_C(1) << warp;
    WM_TRY(need(trace, "a warp", &line, error));
    if (!read_number(line, "insts =", UINT64_C(1) << 56, &count)) {
        wm_fail(error, WM_INVALID, "\"%.60s\" is not \"insts = N\"", line);
        return bad(trace, error);
    }
    const struct wm_accelsim_callbacks *callbacks = trace->callbacks;
    if (callbacks->warp(callbacks->context, (uint32_t)warp, count, error) != WM_OK)
        return bad(trace, error);
    for (uint64_t left = count; left > 0; left--)
        WM_TRY(read_instruction(trace, left, error));
    return WM_OK;
}

static enum wm_status read_thread_block(struct trace *trace, struct wm_error *error)
{
    const struct wm_accelsim_callbacks *callbacks = trace->callbacks;
    const char *line;
    uint64_t block = 0, seen = 0;
    WM_TRY(need(trace, "a thread block", &line, error));
    if (read_block(trace, line, &block, error) != WM_OK ||
        callbacks->block_begin(callbacks->context, block, error) != WM_OK)
        return bad(trace, error);
    for (;;) {
        WM_TRY(need(trace, "a thread block", &line, error));
        if (begins(line, "#END_TB"))
            break;
        if (!begins(line, "cluster ")) // of version 2.0 of the simulator
            WM_TRY(read_warp(trace, line, &seen, error));
    }
    trace->blocks++;
    if (callbacks->block_end(callbacks->context, error) != WM_OK)
        return bad(trace, error);
    return WM_OK;
}

static enum wm_status refuse_line(const struct trace *trace, const char *line,
                                  struct wm_error *error)
{
    if (trace->blocks == 0 && line[0] >= '0' && line[0] <= '9') {
        wm_fail(error, WM_INVALID, "the trace is as the tracer wrote it, not grouped by block");
        bad(trace, error);
        return wm_error_hint(error,
                             "run Accel-Sim's post-traces-processing on its kernelslist, and "
                             "give the kernelslist.g that it writes");
    }
    wm_fail(error, WM_INVALID, "\"%.60s\" stands where \"#BEGIN_TB\" is expected", line);
    return bad(trace, error);
}

static enum wm_status read_body(struct trace *trace, struct wm_error *error)
{
    for (;;) {
        const char *line;
        WM_TRY(next(trace, &line, error));
        if (line == NULL)
            break;
        if (!begins(line, "#BEGIN_TB"))
            return refuse_line(trace, line, error);
        WM_TRY(read_thread_block(trace, error));
    }
    if (trace->blocks > 0)
        return WM_OK;
    wm_fail(error, WM_INVALID, "the trace ends behind its header: it has no thread block");
    return bad(trace, error);
}

enum wm_status wm_accelsim_trace_read(const char *path,
                                      const struct wm_accelsim_callbacks *callbacks,
                                      struct wm_error *error)
{
    struct trace *trace;
    WM_TRY(WM_ARRAY_NEW(trace, 1, error, "reading a trace"));
    trace->callbacks = callbacks;
    enum wm_status status = wm_trace_input_open(path, &trace->input, error);
    if (status == WM_OK)
        status = wm_accelsim_header_read(trace->input, &trace->header, error);
    if (status == WM_OK) {
        const uint32_t *block = trace->header.block;
        trace->warps = (block[0] * block[1] * block[2] + 31) / 32;
        status = callbacks->header(callbacks->context, &trace->header, error);
        status = status == WM_OK ? read_body(trace, error) : bad(trace, error);
    }
    wm_trace_input_close(trace->input);
    free(trace);
    return status;
}
