// warpmem trace check: decodes everything, and says what is whole.
#include "cli/trace/trace_commands.h"
#include "trace/launch_scan.h"
#include "trace/recording_names.h"
#include "trace/recording_state.h"
#include "trace/section/layout.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static enum wm_status check_launch(struct wm_recording *recording, struct wm_error *error)
{
    struct wm_launch_reader launch;
    struct wm_launch_counts counts;
    WM_TRY(wm_launch_reader_open(recording, &launch, error));
    enum wm_status status = wm_launch_count(&launch, &counts, error);
    wm_launch_reader_close(&launch);
    return status;
}

static enum wm_status require_whole(struct wm_recording *cores, struct wm_error *error)
{
    struct wm_recorded_streams streams;
    WM_TRY(wm_recorded_streams_open(cores, &streams, error));
    bool whole = streams.whole;
    wm_recorded_streams_close(&streams);
    if (whole)
        return WM_OK;
    wm_fail(error, WM_INVALID, "the program's threads are not whole");
    return wm_error_place(error, "%s", cores->file.path);
}

// The program's threads beside its kernels.
static enum wm_status check_threads(const struct wm_recording *recording, struct wm_error *error)
{
    struct wm_recording cores;
    struct wm_recorded_event event;
    bool more = true;
    if (recording->cores_section == 0)
        return WM_OK;
    WM_TRY(wm_recording_open_cores(&cores, recording, error));
    enum wm_status status = wm_recording_next(&cores, &event, &more, error);
    if (status == WM_OK)
        status = check_launch(&cores, error);
    if (status == WM_OK)
        status = require_whole(&cores, error);
    wm_recording_close(&cores);
    return status;
}

// Reports what is wrong, and continues with the next launch. Counts the bad ones.
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

static enum wm_status bad_text(const struct wm_recording *recording, uint64_t section,
                               const char *what, struct wm_error *error)
{
    wm_fail(error, WM_INVALID, "the %s at byte %" PRIu64 " %s",
            recording->file.list.sections[section].type == WM_SECTION_PTX ? "text" : "kernel",
            recording->file.list.sections[section].offset, what);
    wm_error_place(error, "%s", recording->file.path);
    return wm_error_hint(error, "record the program again");
}

static bool has_hash(const struct wm_bytes *hashes, uint64_t hash)
{
    for (size_t at = 0; at < hashes->length; at += sizeof hash)
        if (memcmp(hashes->data + at, &hash, sizeof hash) == 0)
            return true;
    return false;
}

// What nothing else reads: each module's text is of its hash, and lies before its kernels.
static enum wm_status check_texts(const struct wm_recording *recording, struct wm_error *error)
{
    const struct wm_section_list *list = &recording->file.list;
    struct wm_bytes content = {0}, hashes = {0};
    enum wm_status status = WM_OK;
    uint32_t codes = 0;
    for (uint64_t i = 0; i < list->count && status == WM_OK; i++) {
        if (list->sections[i].type == WM_SECTION_CODE) {
            uint64_t hash = recording->codes[codes++].ptx_hash;
            if (hash != 0 && !has_hash(&hashes, hash))
                status = bad_text(recording, i, "is of a module whose text is not there", error);
        }
        if (list->sections[i].type != WM_SECTION_PTX)
            continue;
        status = wm_section_read(&recording->file, &list->sections[i], &content, error);
        if (status != WM_OK)
            break;
        uint64_t hash = content.length < 8 ? 0 : wm_get_u64(content.data);
        if (content.length < 8 || wm_hash_bytes(content.data + 8, content.length - 8) != hash)
            status = bad_text(recording, i, "has another hash", error);
        wm_bytes_put(&hashes, &hash, sizeof hash);
        if (hashes.failed)
            status = wm_fail_no_memory(error, "the hashes of modules");
    }
    wm_bytes_release(&content);
    wm_bytes_release(&hashes);
    return status;
}

// Of memory, which a replay reads where it names any.
static enum wm_status check_names(const struct wm_recording *recording, struct wm_error *error)
{
    struct wm_memory_names names;
    wm_memory_names_init(&names);
    enum wm_status status = wm_recording_names(recording, &names, error);
    wm_memory_names_release(&names);
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
    WM_TRY(check_texts(recording, error));
    WM_TRY(check_all(invocation, recording, &bad, error));
    WM_TRY(check_threads(recording, error));
    WM_TRY(check_names(recording, error));
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
    .examples = "warpmem trace check app.wmt",
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
