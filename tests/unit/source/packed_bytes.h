// Bytes compressed as a file of that kind has them.
#ifndef WM_TESTS_PACKED_BYTES_H
#define WM_TESTS_PACKED_BYTES_H

#include <archive.h>
#include <archive_entry.h>
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>

struct packed_bytes {
    uint8_t *data; // free() it
    size_t size;
};

static inline struct packed_bytes pack_bytes(const void *bytes, size_t size, int filter)
{
    struct packed_bytes packed = {.data = malloc(2 * size + 4096)};
    struct archive *archive = archive_write_new();
    cr_assert_eq(archive_write_set_format_raw(archive), ARCHIVE_OK);
    cr_assert_eq(archive_write_add_filter(archive, filter), ARCHIVE_OK);
    archive_write_set_bytes_in_last_block(archive, 1);
    cr_assert_eq(archive_write_open_memory(archive, packed.data, 2 * size + 4096, &packed.size),
                 ARCHIVE_OK);
    struct archive_entry *entry = archive_entry_new();
    archive_entry_set_filetype(entry, AE_IFREG);
    cr_assert_eq(archive_write_header(archive, entry), ARCHIVE_OK);
    cr_assert_eq(archive_write_data(archive, bytes, size), (la_ssize_t)size);
    archive_entry_free(entry);
    cr_assert_eq(archive_write_close(archive), ARCHIVE_OK);
    archive_write_free(archive);
    return packed;
}

#endif
