#include "source/accelsim/accelsim_import.h"

#include "base/containers/array.h"
#include "source/accelsim/accelsim_import_parts.h"

#include <stdlib.h>
#include <string.h>

// Streams of the program as the recording counts them: in order of first use.
struct streams {
    uint64_t *numbers; // owned
    uint32_t count, room;
};

static enum wm_status number_of(struct streams *streams, uint64_t stream, uint32_t *number,
                                struct wm_error *error)
{
    for (*number = 0; *number < streams->count; ++*number)
        if (streams->numbers[*number] == stream)
            return WM_OK;
    return WM_ARRAY_ADD(streams->numbers, streams->count, streams->room, stream)
               ? WM_OK
               : wm_fail_no_memory(error, "importing a trace");
}

static void write_event(struct wm_recording_writer *writer, const struct wm_accelsim_line *line)
{
    static const enum wm_recorded_event_kind kinds[] = {
        [WM_ACCELSIM_HOST_WRITE] = WM_RECORDED_HOST_WRITE,
        [WM_ACCELSIM_HOST_READ] = WM_RECORDED_HOST_READ,
        [WM_ACCELSIM_DEVICE_COPY] = WM_RECORDED_DEVICE_COPY,
        [WM_ACCELSIM_DEVICE_FILL] = WM_RECORDED_DEVICE_FILL,
    };
    const struct wm_recorded_event event = {.kind = kinds[line->kind],
                                            .address = line->address,
                                            .from = line->from,
                                            .bytes = line->bytes};
    wm_recording_write_event(writer, &event);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static enum wm_status write_lines(struct wm_accelsim_files *files,
                                  struct wm_recording_writer *writer, struct streams *streams,
                                  struct wm_error *error)
{
    struct wm_accelsim_warps *warps;
    WM_TRY(wm_accelsim_warps_new(files->import, writer, &warps, error));
    enum wm_status status = number_of(streams, 0, &(uint32_t){0}, error);
    for (uint64_t i = 0; i < files->list.count && status == WM_OK; i++) {
        const struct wm_accelsim_line *line = &files->list.lines[i];
        if (line->kind != WM_ACCELSIM_KERNEL) {
            write_event(writer, line);
            continue;
        }
        const struct wm_accelsim_file *file = files->files[i];
        uint32_t stream = 0;
        status = number_of(streams, file->header.stream, &stream, error);
        if (status == WM_OK && !file->code->written)
            status =
                wm_accelsim_code_write(file->code, base_name(files->import->path), writer, error);
        if (status == WM_OK)
            status = wm_accelsim_warps_launch(warps, file, stream, error);
        files->import->launches++;
    }
    wm_accelsim_warps_free(warps);
    return status;
}

// The recording, to `path`.
static enum wm_status write_recording(struct wm_accelsim_files *files, const char *path,
                                      struct wm_error *error)
{
    const char *command[] = {files->import->path, NULL};
    const struct wm_recording_header header = {.writer = files->import->writer,
                                               .source = "accel-sim",
                                               .machine = "",
                                               .machine_yaml = "",
                                               .command = command,
                                               .lanes = 32};
    struct wm_recording_writer *writer;
    WM_TRY(wm_recording_writer_new(path, &header, &writer, error));
    struct streams streams = {0};
    enum wm_status status = write_lines(files, writer, &streams, error);
    free(streams.numbers);
    if (status == WM_OK)
        return wm_recording_writer_finish(writer, error);
    // When a block cannot be begun the writer has the error, which says more.
    enum wm_status written = wm_recording_writer_status(writer, error);
    wm_recording_writer_free(writer);
    return written != WM_OK ? written : status;
}

enum wm_status wm_accelsim_import(struct wm_accelsim_import *import, struct wm_error *error)
{
    struct wm_error own;
    error = error != NULL ? error : &own;
    if (import->most_blocks == 0)
        import->most_blocks = WM_ACCELSIM_MOST_BLOCKS;
    struct wm_accelsim_files files;
    enum wm_status status = wm_accelsim_files_read(&files, import, error);
    import->kernels = files.code_count;
    if (status == WM_OK)
        status = write_recording(&files, import->output, error);
    wm_accelsim_files_release(&files);
    return status;
}
