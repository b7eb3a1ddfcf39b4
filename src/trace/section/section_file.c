#include "trace/section/section_file.h"

#include "base/containers/array.h"
#include "trace/section/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

uint64_t wm_section_checksum(const uint8_t *stored, size_t length)
{
    return XXH3_64bits(stored, length);
}

static enum wm_status system_error(const struct wm_section_file *file, const char *what,
                                   struct wm_error *error)
{
    wm_fail(error, WM_IO, "cannot %s it: %s", what, strerror(errno));
    return wm_error_place(error, "%s", file->path);
}

static bool read_at(const struct wm_section_file *file, uint64_t offset, void *data, size_t length)
{
    char *to = data;
    while (length > 0) {
        ssize_t got = pread(file->descriptor, to, length, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        to += got;
        offset += (uint64_t)got;
        length -= (size_t)got;
    }
    return true;
}

// --- Finding the sections ---

bool wm_section_list_append(struct wm_section_list *list, const struct wm_section *section)
{
    return WM_ARRAY_ADD(list->sections, list->count, list->capacity, *section);
}

// Whether there can be a section like that at its place.
static bool plausible(const struct wm_section_file *file, const struct wm_section *section)
{
    uint64_t after = section->offset + WM_SECTION_HEADER_BYTES;
    return section->type > 0 && section->type < WM_SECTION_TYPES &&
           section->bytes <= WM_SECTION_MOST_BYTES && after <= file->file_bytes &&
           after > section->offset && section->stored_bytes <= file->file_bytes - after;
}

static bool read_header(const struct wm_section_file *file, uint64_t offset,
                        struct wm_section *section, uint64_t *checksum)
{
    uint8_t header[WM_SECTION_HEADER_BYTES];
    if (offset > file->file_bytes || file->file_bytes - offset < sizeof header ||
        !read_at(file, offset, header, sizeof header))
        return false;
    *section = (struct wm_section){.type = (enum wm_section_type)wm_get_u32(header + 4),
                                   .offset = offset,
                                   .stored_bytes = wm_get_u64(header + 8),
                                   .bytes = wm_get_u64(header + 16)};
    *checksum = wm_get_u64(header + 24);
    return memcmp(header, WM_SECTION_MARK, 4) == 0 && plausible(file, section) &&
           wm_get_u64(header + 32) == wm_section_header_hash(header, offset);
}

// One by one, as far as they are whole: what was being written last is left out.
static enum wm_status scan(struct wm_section_file *file, struct wm_error *error)
{
    uint64_t offset = WM_SECTION_HEAD_BYTES, checksum;
    struct wm_section section;
    struct wm_bytes content = {0};
    enum wm_status status = WM_OK;
    while (read_header(file, offset, &section, &checksum) && section.type != WM_SECTION_INDEX) {
        if (wm_section_read(file, &section, &content, error) != WM_OK)
            break;
        if (!wm_section_list_append(&file->list, &section)) {
            status = wm_fail_no_memory(error, "the list of sections");
            break;
        }
        offset += WM_SECTION_HEADER_BYTES + section.stored_bytes;
    }
    wm_bytes_release(&content);
    if (status == WM_OK)
        wm_error_clear(error);
    file->readable_bytes = offset;
    return status;
}

// The list as the index has it; false when it does not hold together.
static bool read_index(struct wm_section_file *file, const struct wm_bytes *content)
{
    struct wm_cursor cursor = wm_cursor_of(content->data, content->length);
    uint64_t count = wm_cursor_number(&cursor), offset = WM_SECTION_HEAD_BYTES;
    for (uint64_t i = 0; i < count && !cursor.bad; i++) {
        struct wm_section section = {
            .type = (enum wm_section_type)wm_cursor_number_to(&cursor, WM_SECTION_TYPES - 1),
            .offset = offset};
        section.stored_bytes = wm_cursor_number(&cursor);
        section.bytes = wm_cursor_number(&cursor);
        if (cursor.bad || !plausible(file, &section) ||
            !wm_section_list_append(&file->list, &section))
            return false;
        offset += WM_SECTION_HEADER_BYTES + section.stored_bytes;
    }
    file->readable_bytes = offset;
    return !cursor.bad && wm_cursor_left(&cursor) == 0;
}

static bool find_index(struct wm_section_file *file, struct wm_section *section)
{
    uint8_t tail[WM_SECTION_TAIL_BYTES];
    uint64_t checksum;
    if (file->file_bytes < WM_SECTION_HEAD_BYTES + WM_SECTION_TAIL_BYTES ||
        !read_at(file, file->file_bytes - sizeof tail, tail, sizeof tail) ||
        memcmp(tail + 8, WM_SECTION_TAIL, 8) != 0)
        return false;
    uint64_t offset = wm_get_u64(tail);
    return read_header(file, offset, section, &checksum) && section->type == WM_SECTION_INDEX &&
           offset + WM_SECTION_HEADER_BYTES + section->stored_bytes + sizeof tail ==
               file->file_bytes;
}

static enum wm_status find_sections(struct wm_section_file *file, struct wm_error *error)
{
    struct wm_section index;
    struct wm_bytes content = {0};
    file->complete = find_index(file, &index) &&
                     wm_section_read(file, &index, &content, NULL) == WM_OK &&
                     read_index(file, &content) && file->readable_bytes == index.offset;
    wm_bytes_release(&content);
    if (file->complete)
        return WM_OK;
    file->list.count = 0;
    return scan(file, error);
}

static enum wm_status check_head(const struct wm_section_file *file, struct wm_error *error)
{
    uint8_t head[WM_SECTION_HEAD_BYTES];
    if (file->file_bytes < sizeof head || !read_at(file, 0, head, sizeof head) ||
        memcmp(head, WM_SECTION_MAGIC, 8) != 0) {
        wm_fail(error, WM_INVALID,
                file->file_bytes == 0 ? "the file is empty" : "this is no recording of warpmem");
        wm_error_place(error, "%s", file->path);
        return wm_error_hint(error,
                             "make one with warpmem record, or bring another tool's trace in "
                             "with warpmem import");
    }
    uint32_t version = wm_get_u32(head + 8);
    if (version == WM_RECORDING_VERSION)
        return WM_OK;
    wm_fail(error, WM_UNSUPPORTED,
            "the recording has version %" PRIu32
            " of the format, and this warpmem reads version %d",
            version, (int)WM_RECORDING_VERSION);
    wm_error_place(error, "%s", file->path);
    return wm_error_hint(error, "record the program again with this warpmem");
}

// With its descriptor, or what failed to give one, and path.
static enum wm_status read_sections(struct wm_section_file *file, struct wm_error *error)
{
    if (file->descriptor < 0) {
        wm_fail(error, errno == ENOENT ? WM_NOT_FOUND : WM_IO, "cannot open it: %s",
                strerror(errno));
        return wm_error_place(error, "%s", file->path);
    }
    struct stat facts;
    enum wm_status status = WM_OK;
    if (fstat(file->descriptor, &facts) != 0) {
        status = system_error(file, "read", error);
    } else if (!S_ISREG(facts.st_mode)) {
        wm_fail(error, WM_INVALID, "this is no file");
        status = wm_error_place(error, "%s", file->path);
    } else {
        file->file_bytes = (uint64_t)facts.st_size;
        status = check_head(file, error);
    }
    if (status == WM_OK)
        status = find_sections(file, error);
    if (status != WM_OK)
        wm_section_file_close(file);
    return status;
}

enum wm_status wm_section_file_open(struct wm_section_file *file, const char *path,
                                    struct wm_error *error)
{
    *file = (struct wm_section_file){.descriptor = -1};
    if (strlen(path) >= sizeof file->path)
        return wm_fail(error, WM_INVALID, "the path has more than %zu bytes", sizeof file->path);
    memcpy(file->path, path, strlen(path) + 1);
    file->descriptor = open(path, O_RDONLY | O_CLOEXEC);
    return read_sections(file, error);
}

enum wm_status wm_section_file_open_again(struct wm_section_file *file,
                                          const struct wm_section_file *opened,
                                          struct wm_error *error)
{
    *file = (struct wm_section_file){.descriptor = -1};
    memcpy(file->path, opened->path, sizeof file->path);
    file->descriptor = fcntl(opened->descriptor, F_DUPFD_CLOEXEC, 0);
    return read_sections(file, error);
}

void wm_section_file_close(struct wm_section_file *file)
{
    if (file->descriptor >= 0)
        close(file->descriptor);
    file->descriptor = -1;
    free(file->list.sections);
    file->list = (struct wm_section_list){0};
}

// --- Reading one ---

static enum wm_status damaged(const struct wm_section_file *file, uint64_t offset,
                              struct wm_error *error)
{
    wm_fail(error, WM_INVALID, "the section at byte %" PRIu64 " is damaged", offset);
    wm_error_place(error, "%s", file->path);
    return wm_error_hint(error, "copy the file again, or record the program again");
}

// For a whole section and little more, that the next may fit, too: what is never read is never
// written, but hosts with large pages make it all the same.
static bool make_room(struct wm_bytes *content, size_t bytes)
{
    if (content->capacity > bytes)
        return true;
    size_t room = bytes + bytes / 16 + 1;
    wm_bytes_release(content);
    content->data = malloc(room);
    content->capacity = content->data != NULL ? room : 0;
    return content->data != NULL;
}

enum wm_status wm_section_read_stored(const struct wm_section_file *file,
                                      const struct wm_section *section, struct wm_bytes *stored,
                                      struct wm_error *error)
{
    struct wm_section found;
    uint64_t checksum;
    size_t length = (size_t)section->stored_bytes;
    stored->length = 0;
    if (!read_header(file, section->offset, &found, &checksum) ||
        found.stored_bytes != section->stored_bytes)
        return damaged(file, section->offset, error);
    if (!wm_bytes_reserve(stored, length))
        return wm_fail_no_memory(error, "a section of %zu bytes", length);
    if (!read_at(file, section->offset + WM_SECTION_HEADER_BYTES, stored->data, length) ||
        wm_section_checksum(stored->data, length) != checksum)
        return damaged(file, section->offset, error);
    stored->length = length;
    return WM_OK;
}

enum wm_status wm_section_read(const struct wm_section_file *file, const struct wm_section *section,
                               struct wm_bytes *content, struct wm_error *error)
{
    struct wm_section found;
    uint64_t checksum;
    content->length = 0;
    if (!read_header(file, section->offset, &found, &checksum) || found.type != section->type ||
        found.stored_bytes != section->stored_bytes || found.bytes != section->bytes)
        return damaged(file, section->offset, error);
    size_t stored = (size_t)section->stored_bytes, bytes = (size_t)section->bytes;
    uint8_t *packed = malloc(stored + 1);
    if (packed == NULL || !make_room(content, bytes)) {
        free(packed);
        return wm_fail_no_memory(error, "a section of %zu bytes", bytes);
    }
    bool good = read_at(file, section->offset + WM_SECTION_HEADER_BYTES, packed, stored) &&
                wm_section_checksum(packed, stored) == checksum &&
                ZSTD_decompress(content->data, bytes, packed, stored) == bytes;
    free(packed);
    if (!good)
        return damaged(file, section->offset, error);
    content->length = bytes;
    return WM_OK;
}
