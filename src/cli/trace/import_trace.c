#include "cli/trace/import_trace.h"

#include "base/text/text.h"
#include "cli/process/work_folder.h"
#include "source/accelsim/accelsim_import.h"
#include "source/cores/core_import.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void say(const struct wm_accelsim_import *import, FILE *notes)
{
    if (import->missing_blocks > 0)
        fprintf(notes,
                "warpmem: %s: %" PRIu64
                " of the grids' blocks %s not in the traces: taken for such "
                "as do nothing\n",
                import->path, import->missing_blocks, import->missing_blocks == 1 ? "is" : "are");
    if (import->skipped_accesses > 0)
        fprintf(notes,
                "warpmem: %s: %" PRIu64 " warp instruction%s to memory in ways that traces do not "
                "record (%s): executed without their accesses\n",
                import->path, import->skipped_accesses,
                import->skipped_accesses == 1 ? " goes" : "s go", import->skipped_opcode);
}

static const char accelsim[] = "accelsim";

static bool is_accelsim(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    // A .tracez is one too, which is refused by name.
    return strncmp(name, "kernelslist", 11) == 0 || strstr(name, ".traceg") != NULL ||
           strstr(name, ".tracez") != NULL;
}

static enum wm_status import_accelsim(const struct wm_import_options *options, FILE *notes,
                                      struct wm_error *error)
{
    if (options->count > 1 || options->data_only || options->shared || options->unordered ||
        options->kernels != NULL) {
        wm_fail(error, WM_INVALID, "%s is not of CPU cores", options->paths[0]);
        return wm_error_hint(error, "give one list of kernels, without --data-only, --shared, "
                                    "--unordered and --kernels");
    }
    struct wm_accelsim_import import = {
        .path = options->paths[0], .output = options->output, .writer = "warpmem " WARPMEM_VERSION};
    WM_TRY(wm_accelsim_import(&import, error));
    if (notes != NULL)
        say(&import, notes);
    return WM_OK;
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

// Into a recording of the kernels that the traced program ran, where there is one.
static enum wm_status import_beside(struct wm_core_import *import, const char *kernels,
                                    struct wm_core_counts *counts, struct wm_error *error)
{
    struct wm_recording recording;
    if (kernels == NULL)
        return wm_core_import(import, counts, error);
    WM_TRY(wm_recording_open(&recording, kernels, error));
    import->kernels = &recording;
    enum wm_status status = wm_core_import(import, counts, error);
    wm_recording_close(&recording);
    return status;
}

static enum wm_status import_cores(const struct wm_import_options *options,
                                   const struct wm_core_format *format, FILE *notes,
                                   struct wm_error *error)
{
    struct wm_core_import import = {.paths = options->paths,
                                    .count = options->count,
                                    .format = format,
                                    .output = options->output,
                                    .writer = "warpmem " WARPMEM_VERSION,
                                    .data_only = options->data_only,
                                    .shared = options->shared,
                                    .unordered = options->unordered};
    struct wm_core_counts counts;
    WM_TRY(import_beside(&import, options->kernels, &counts, error));
    char locked[64] = "";
    if (counts.locked > 0)
        snprintf(locked, sizeof locked, ", %" PRIu64 " locked operation%s", counts.locked,
                 plural(counts.locked));
    if (notes != NULL)
        fprintf(notes,
                "warpmem: %s: %" PRIu64 " instruction%s, %" PRIu32 " different, with %" PRIu64
                " load%s and %" PRIu64 " store%s%s\n",
                options->output, counts.steps, plural(counts.steps), counts.instructions,
                counts.loads, plural(counts.loads), counts.stores, plural(counts.stores), locked);
    return WM_OK;
}

static enum wm_status unknown_format(const char *name, struct wm_error *error)
{
    struct wm_text known;
    wm_text_init(&known);
    for (size_t i = 0; i < wm_core_format_count; i++)
        wm_text_format(&known, ", %s", wm_core_formats[i]->name);
    wm_fail(error, WM_INVALID, "\"%.60s\" is no kind of trace", name);
    wm_error_place(error, "--format");
    enum wm_status status =
        wm_error_hint(error, "known are %s%s", accelsim, known.failed ? "" : known.data);
    wm_text_release(&known);
    return status;
}

enum wm_status wm_import_traces(const struct wm_import_options *options, FILE *notes,
                                struct wm_error *error)
{
    if (options->format != NULL && strcmp(options->format, accelsim) != 0) {
        const struct wm_core_format *format = wm_core_format_named(options->format);
        return format != NULL ? import_cores(options, format, notes, error)
                              : unknown_format(options->format, error);
    }
    if (options->format == NULL && wm_core_format_of_path(options->paths[0]) != NULL)
        return import_cores(options, NULL, notes, error);
    return import_accelsim(options, notes, error);
}

static bool is_trace(const char *path)
{
    return is_accelsim(path) || wm_core_format_of_path(path) != NULL;
}

enum wm_status wm_recording_or_trace_open(struct wm_recording *recording, const char *path,
                                          FILE *notes, struct wm_error *error)
{
    if (!is_trace(path))
        return wm_recording_open(recording, path, error);
    char made[PATH_MAX + 32];
    struct wm_work_folder folder;
    WM_TRY(wm_work_folder_make("replay", &folder, error));
    snprintf(made, sizeof made, "%s/recording.wmt", folder.path);
    const struct wm_import_options options = {.paths = &path, .count = 1, .output = made};
    enum wm_status status = wm_import_traces(&options, is_accelsim(path) ? notes : NULL, error);
    if (status == WM_OK)
        status = wm_recording_open(recording, made, error);
    wm_work_folder_remove(&folder); // it stays readable where it is open
    return status;
}
