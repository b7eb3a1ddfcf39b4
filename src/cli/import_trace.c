#include "cli/import_trace.h"

#include "source/accelsim_import.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void say(const struct wm_accelsim_import *import, FILE *notes)
{
    if (import->missing_blocks > 0)
        fprintf(notes,
                "warpmem: %s: %" PRIu64 " block%s of the grids not in the traces: taken for such "
                "as do nothing\n",
                import->path, import->missing_blocks,
                import->missing_blocks == 1 ? " is" : "s are");
    if (import->untold_accesses > 0)
        fprintf(notes,
                "warpmem: %s: %" PRIu64 " warp instruction%s to memory in ways that traces do not "
                "tell (%s): executed without their accesses\n",
                import->path, import->untold_accesses,
                import->untold_accesses == 1 ? " goes" : "s go", import->untold_opcode);
}

enum wm_status wm_import_trace(const char *path, const char *output, FILE *notes,
                               struct wm_error *error)
{
    struct wm_accelsim_import import = {
        .path = path, .output = output, .writer = "warpmem " WARPMEM_VERSION};
    WM_TRY(wm_accelsim_import(&import, error));
    if (notes != NULL)
        say(&import, notes);
    return WM_OK;
}

static bool is_trace(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;
    return strncmp(name, "kernelslist", 11) == 0 || strstr(name, ".traceg") != NULL;
}

enum wm_status wm_recording_or_trace_open(struct wm_recording *recording, const char *path,
                                          FILE *notes, struct wm_error *error)
{
    if (!is_trace(path))
        return wm_recording_open(recording, path, error);
    const char *folder = getenv("TMPDIR");
    char made[4096];
    snprintf(made, sizeof made, "%s/warpmem-XXXXXX",
             folder != NULL && folder[0] != '\0' ? folder : "/tmp");
    int descriptor = mkstemp(made);
    if (descriptor < 0) {
        wm_fail(error, WM_IO, "cannot write a recording of the trace: %s", strerror(errno));
        wm_error_place(error, "%s", made);
        return wm_error_cure(error, "TMPDIR names the folder for it");
    }
    close(descriptor);
    enum wm_status status = wm_import_trace(path, made, notes, error);
    if (status == WM_OK)
        status = wm_recording_open(recording, made, error);
    unlink(made);
    return status;
}
