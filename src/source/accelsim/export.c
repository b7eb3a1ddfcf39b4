#include "source/accelsim/export.h"

#include "base/files/output_file.h"
#include "source/accelsim/export_parts.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_PATH = 4096 };

// --- The folder ---

static bool is_empty(const char *path)
{
    DIR *folder = opendir(path);
    if (folder == NULL)
        return false;
    uint64_t entries = 0;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
        entries += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(folder);
    return entries == 0;
}

static enum wm_status make_folder(const char *path, bool *made, struct wm_error *error)
{
    *made = mkdir(path, 0777) == 0;
    if (*made)
        return WM_OK;
    if (errno != EEXIST)
        return wm_output_refused(path, errno, error);
    struct stat status;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode) && is_empty(path))
        return WM_OK;
    wm_fail(error, WM_INVALID, "this is no empty folder");
    wm_error_place(error, "%s", path);
    return wm_error_hint(error, "name a folder that is not there yet, or is empty");
}

static void name_file(const struct wm_accelsim_export *export, uint64_t id, char *path)
{
    if (id == 0)
        snprintf(path, MOST_PATH, "%s/kernelslist.g", export->folder);
    else
        snprintf(path, MOST_PATH, "%s/kernel-%" PRIu64 ".traceg", export->folder, id);
}

struct file {
    struct wm_output_file output;
    FILE *stream;
};

static enum wm_status open_file(struct file *file, const char *path, struct wm_error *error)
{
    WM_TRY(wm_output_open(&file->output, path, WM_OUTPUT_ATOMIC, error));
    file->stream = wm_output_stream(&file->output);
    if (file->stream != NULL)
        return WM_OK;
    wm_output_close(&file->output, false, NULL);
    return wm_fail_no_memory(error, "the traces");
}

// Closes a file written with `status`; returns that, or the error of the file itself.
static enum wm_status close_file(struct file *file, enum wm_status status, struct wm_error *error)
{
    fclose(file->stream); // the output keeps the error of a failed write
    bool good = status == WM_OK;
    enum wm_status closed = wm_output_close(&file->output, good, good ? error : NULL);
    return good ? closed : status;
}

// --- The list ---

static enum wm_status write_launch(struct wm_accelsim_export *export,
                                   struct wm_recording *recording, struct wm_text *list,
                                   struct wm_error *error)
{
    char path[MOST_PATH];
    uint64_t id = ++export->launches;
    name_file(export, id, path);
    struct file file;
    WM_TRY(open_file(&file, path, error));
    wm_text_format(list, "kernel-%" PRIu64 ".traceg\n", id);
    enum wm_status status = wm_accelsim_lines_write(export, recording, id, file.stream, error);
    return close_file(&file, status, error);
}

static void write_event(const struct wm_recorded_event *event, struct wm_text *list)
{
    static const char *const names[WM_RECORDED_EVENT_KINDS] = {
        [WM_RECORDED_HOST_WRITE] = "MemcpyHtoD",
        [WM_RECORDED_HOST_READ] = "MemcpyDtoH",
        [WM_RECORDED_DEVICE_FILL] = "Memset",
    };
    if (event->kind == WM_RECORDED_DEVICE_COPY)
        wm_text_format(list, "MemcpyDtoD,0x%016" PRIx64 ",0x%016" PRIx64 ",%" PRIu64 "\n",
                       event->address, event->from, event->bytes);
    else if (names[event->kind] != NULL)
        wm_text_format(list, "%s,0x%016" PRIx64 ",%" PRIu64 "\n", names[event->kind],
                       event->address, event->bytes);
}

static enum wm_status write_events(struct wm_accelsim_export *export,
                                   struct wm_recording *recording, struct wm_text *list,
                                   struct wm_error *error)
{
    wm_recording_rewind(recording);
    for (;;) {
        struct wm_recorded_event event;
        bool more;
        WM_TRY(wm_recording_next(recording, &event, &more, error));
        if (!more)
            break;
        if (event.kind == WM_RECORDED_LAUNCH)
            WM_TRY(write_launch(export, recording, list, error));
        else
            write_event(&event, list);
    }
    char path[MOST_PATH];
    name_file(export, 0, path);
    if (list->failed)
        return wm_fail_no_memory(error, "the list of kernels");
    struct file file;
    WM_TRY(open_file(&file, path, error));
    if (list->length > 0)
        fwrite(list->data, 1, list->length, file.stream);
    return close_file(&file, WM_OK, error);
}

static enum wm_status check(const struct wm_recording *recording, struct wm_error *error)
{
    if (recording->header.lanes != 32) {
        wm_fail(error, WM_UNSUPPORTED,
                "the recording has warps of %" PRIu32 " lanes: Accel-Sim's traces have 32",
                recording->header.lanes);
        return wm_error_place(error, "%s", recording->file.path);
    }
    return WM_OK;
}

enum wm_status wm_accelsim_export(struct wm_accelsim_export *export, struct wm_recording *recording,
                                  struct wm_error *error)
{
    if (strlen(export->folder) > MOST_PATH - 64)
        return wm_fail(error, WM_INVALID, "the folder's name is too long");
    WM_TRY(check(recording, error));
    bool made;
    WM_TRY(make_folder(export->folder, &made, error));
    struct wm_text list;
    wm_text_init(&list);
    enum wm_status status = write_events(export, recording, &list, error);
    wm_text_release(&list);
    for (uint64_t id = 0; status != WM_OK && id <= export->launches; id++) {
        char path[MOST_PATH];
        name_file(export, id, path);
        unlink(path);
    }
    if (status != WM_OK && made)
        rmdir(export->folder);
    return status;
}
