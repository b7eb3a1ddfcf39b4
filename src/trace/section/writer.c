#include "base/containers/array.h"
#include "base/numbers/hash.h"
#include "trace/section/layout.h"
#include "trace/section/section_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <zstd.h>

struct wm_section_writer {
    struct wm_output_file file;
    ZSTD_CCtx *compressor;
    struct wm_bytes packed;
    uint64_t offset; // bytes written
    struct wm_section_list list;
};

static enum wm_status write_all(struct wm_section_writer *writer, const void *data, size_t length,
                                struct wm_error *error)
{
    if (!wm_output_write(&writer->file, data, length))
        return wm_output_status(&writer->file, error);
    writer->offset += length;
    return WM_OK;
}

enum wm_status wm_section_writer_new(const char *path, enum wm_output_mode way, int level,
                                     struct wm_section_writer **result, struct wm_error *error)
{
    *result = NULL;
    struct wm_section_writer *writer;
    WM_TRY(WM_ARRAY_NEW(writer, 1, error, "a recording"));
    enum wm_status status = wm_output_open(&writer->file, path, way, error);
    if (status != WM_OK) {
        free(writer);
        return status;
    }
    writer->compressor = ZSTD_createCCtx();
    if (writer->compressor == NULL)
        status = wm_fail_no_memory(error, "a recording");
    if (status == WM_OK) {
        ZSTD_CCtx_setParameter(writer->compressor, ZSTD_c_compressionLevel, level);
        uint8_t head[WM_SECTION_HEAD_BYTES] = WM_SECTION_MAGIC;
        wm_put_u32(head + 8, WM_RECORDING_VERSION);
        wm_put_u32(head + 12, 0);
        status = write_all(writer, head, sizeof head, error);
    }
    if (status != WM_OK) {
        wm_section_writer_free(writer);
        return status;
    }
    *result = writer;
    return WM_OK;
}

static void put_header(uint8_t *header, const struct wm_section *section, const uint8_t *stored)
{
    memcpy(header, WM_SECTION_MARK, 4);
    wm_put_u32(header + 4, (uint32_t)section->type);
    wm_put_u64(header + 8, section->stored_bytes);
    wm_put_u64(header + 16, section->bytes);
    wm_put_u64(header + 24, wm_section_checksum(stored, (size_t)section->stored_bytes));
    wm_put_u64(header + 32, wm_section_header_hash(header, section->offset));
}

static enum wm_status list_section(struct wm_section_writer *writer,
                                   const struct wm_section *section, struct wm_error *error)
{
    if (!wm_section_list_append(&writer->list, section))
        return wm_fail_no_memory(error, "the recording's index");
    return WM_OK;
}

enum wm_status wm_section_write(struct wm_section_writer *writer, enum wm_section_type type,
                                const struct wm_bytes *content, struct wm_error *error)
{
    size_t most = ZSTD_compressBound(content->length);
    writer->packed.length = 0;
    if (content->failed || content->length > WM_SECTION_MOST_BYTES ||
        !wm_bytes_reserve(&writer->packed, WM_SECTION_HEADER_BYTES + most))
        return wm_fail_no_memory(error, "a section of the recording");
    uint8_t *header = writer->packed.data, *packed = header + WM_SECTION_HEADER_BYTES;
    size_t stored =
        ZSTD_compress2(writer->compressor, packed, most, content->data, content->length);
    if (ZSTD_isError(stored))
        return wm_fail(error, WM_NO_MEMORY, "cannot compress the recording: %s",
                       ZSTD_getErrorName(stored));
    struct wm_section section = {
        .type = type, .offset = writer->offset, .stored_bytes = stored, .bytes = content->length};
    put_header(header, &section, packed);
    WM_TRY(write_all(writer, header, WM_SECTION_HEADER_BYTES + stored, error));
    return type != WM_SECTION_INDEX ? list_section(writer, &section, error) : WM_OK;
}

enum wm_status wm_section_copy(struct wm_section_writer *writer, const struct wm_section_file *file,
                               const struct wm_section *from, struct wm_error *error)
{
    uint8_t header[WM_SECTION_HEADER_BYTES];
    struct wm_section section = *from;
    section.offset = writer->offset;
    WM_TRY(wm_section_read_stored(file, from, &writer->packed, error));
    put_header(header, &section, writer->packed.data);
    WM_TRY(write_all(writer, header, sizeof header, error));
    WM_TRY(write_all(writer, writer->packed.data, writer->packed.length, error));
    return list_section(writer, &section, error);
}

static enum wm_status write_index(struct wm_section_writer *writer, struct wm_error *error)
{
    struct wm_bytes index = {0};
    wm_bytes_put_number(&index, writer->list.count);
    for (uint64_t i = 0; i < writer->list.count; i++) {
        const struct wm_section *section = &writer->list.sections[i];
        wm_bytes_put_number(&index, section->type);
        wm_bytes_put_number(&index, section->stored_bytes);
        wm_bytes_put_number(&index, section->bytes);
    }
    uint8_t tail[WM_SECTION_TAIL_BYTES];
    wm_put_u64(tail, writer->offset);
    memcpy(tail + 8, WM_SECTION_TAIL, 8);
    enum wm_status status = wm_section_write(writer, WM_SECTION_INDEX, &index, error);
    wm_bytes_release(&index);
    return status == WM_OK ? write_all(writer, tail, sizeof tail, error) : status;
}

static void release(struct wm_section_writer *writer)
{
    ZSTD_freeCCtx(writer->compressor);
    wm_bytes_release(&writer->packed);
    free(writer->list.sections);
    free(writer);
}

enum wm_status wm_section_writer_finish(struct wm_section_writer *writer, struct wm_error *error)
{
    enum wm_status status = write_index(writer, error);
    enum wm_status closed =
        wm_output_close(&writer->file, status == WM_OK, status == WM_OK ? error : NULL);
    release(writer);
    return status != WM_OK ? status : closed;
}

void wm_section_writer_free(struct wm_section_writer *writer)
{
    if (writer == NULL)
        return;
    wm_output_close(&writer->file, false, NULL);
    release(writer);
}

uint64_t wm_section_writer_bytes(const struct wm_section_writer *writer)
{
    return writer->offset;
}
