// warpmem trace check: decodes everything, and says what is whole.
#include "cli/trace_commands.h"
#include "trace/launch_walk.h"
#include "trace/recording_state.h"

#include <inttypes.h>
#include <stdlib.h>

static enum wm_status check_launch(struct wm_recording *recording, struct wm_error *error)
{
    struct wm_launch_reader launch;
    struct wm_launch_counts counts;
    WM_TRY(wm_launch_reader_open(recording, &launch, error));
    enum wm_status status = wm_launch_count(&launch, &counts, error);
    wm_launch_reader_close(&launch);
    return status;
}

// Says what is wrong, and goes on with the next launch. Counts the bad ones.
static enum wm_status check_all(const struct wm_invocation *invocation,
                                struct wm_recording *recording, uint64_t *bad,
                                struct wm_error *error)
{
    struct wm_recorded_event event;
    *bad = 0;
    wm_recording_rewind(recording);
    for (bool more = true;;) {
        WM_TRY(wm_recording_next(recording, &event, &more, error));
        if (!more)
            return WM_OK;
        if (event.kind != WM_RECORDED_LAUNCH)
            continue;
        enum wm_status status = check_launch(recording, error);
        if (status != WM_OK && status != WM_INVALID)
            return status;
        if (status == WM_INVALID)
            wm_command_fail(invocation, error);
        *bad += status == WM_INVALID;
    }
}

// Sections that nothing above reads: PTX.
static enum wm_status check_sections(const struct wm_section_file *file, struct wm_error *error)
{
    struct wm_bytes content = {0};
    enum wm_status status = WM_OK;
    for (uint64_t i = 0; i < file->list.count && status == WM_OK; i++)
        if (file->list.sections[i].type == WM_SECTION_PTX)
            status = wm_section_read(file, &file->list.sections[i], &content, error);
    wm_bytes_release(&content);
    return status;
}

static void say(const struct wm_invocation *invocation, const char *path,
                const struct wm_recording_state *state)
{
    char text[640];
    wm_recording_state_text(state, text, sizeof text);
    if (wm_recording_is_whole(state)) {
        fprintf(invocation->out, "%s: complete, %" PRIu64 " launch%s\n", path, state->launches,
                state->launches == 1 ? "" : "es");
        return;
    }
    if (state->complete)
        fprintf(invocation->out, "%s: not whole: %s\n", path, text);
    else
        fprintf(invocation->out, "%s: cut off at byte %" PRIu64 " of %" PRIu64 ": %s\n", path,
                state->lost_from, state->lost_from + state->lost_bytes, text);
}

static enum wm_status check_opened(const struct wm_invocation *invocation, const char *path,
                                   struct wm_recording *recording, bool *whole,
                                   struct wm_error *error)
{
    struct wm_recording_state state;
    uint64_t bad;
    WM_TRY(check_sections(&recording->file, error));
    WM_TRY(check_all(invocation, recording, &bad, error));
    *whole = false;
    if (bad != 0) {
        fprintf(invocation->out, "%s: damaged: %" PRIu64 " of %" PRIu64 " launches\n", path, bad,
                recording->launch_count);
        return WM_OK;
    }
    WM_TRY(wm_recording_state(recording, &state, error));
    *whole = wm_recording_is_whole(&state);
    say(invocation, path, &state);
    return WM_OK;
}

static int check_file(const struct wm_invocation *invocation, const char *path)
{
    struct wm_recording recording;
    struct wm_error error;
    bool whole = false;
    wm_error_clear(&error);
    enum wm_status status = wm_recording_open(&recording, path, &error);
    if (status == WM_OK) {
        status = check_opened(invocation, path, &recording, &whole, &error);
        wm_recording_close(&recording);
    }
    if (status != WM_OK)
        return wm_command_fail(invocation, &error);
    return whole ? WM_EXIT_OK : WM_EXIT_INVALID;
}

static int run(const struct wm_invocation *invocation)
{
    int worst = WM_EXIT_OK;
    for (uint32_t i = 0; i < invocation->operand_count; i++) {
        int status = check_file(invocation, invocation->operands[i]);
        worst = status > worst ? status : worst;
    }
    return worst;
}

static const struct wm_usage usage = {
    .synopsis = "[options] RECORDING...",
    .description =
        "Reads recordings whole: every section, every frame, the stream of every warp. Says of "
        "each "
        "that it is complete, or where it was cut off and what is whole before that: launches, and "
        "of the one that was being written how many blocks. The exit status is 2 when one of them "
        "is damaged or not whole.",
    .examples = "warpmem trace check bfs.wmt",
    .min_operands = 1,
    .max_operands = UINT32_MAX,
    .operands_are = WM_COMPLETES_FILES,
};

const struct wm_command wm_command_trace_check = {
    .name = "check",
    .summary = "read recordings whole and say what is missing",
    .usage = &usage,
    .run = run,
};
