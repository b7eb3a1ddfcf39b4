// What the fuzz targets of recordings take: checksums would refuse nearly every change, so the
// input says what the sections contain and the file is written around it: of each section a byte
// (type), two bytes (length), the content. An input that begins as a recording does is a file as it
// is.
#ifndef WM_TESTS_RECORDING_INPUT_H
#define WM_TESTS_RECORDING_INPUT_H

#include "trace/section/layout.h"
#include "trace/section/section_file.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static bool write_sections(const char *path, const uint8_t *data, size_t size)
{
    struct wm_section_writer *writer;
    if (wm_section_writer_new(path, WM_OUTPUT_ATOMIC, 1, &writer, NULL) != WM_OK)
        return false;
    while (size >= 3) {
        enum wm_section_type type = (enum wm_section_type)(1 + data[0] % WM_SECTION_LAUNCH_END);
        if (data[0] > UINT8_MAX - 4) // numbered behind the index, which the file has by itself
            type = (enum wm_section_type)(WM_SECTION_ORDER + UINT8_MAX - data[0]);
        size_t length = (size_t)data[1] | (size_t)data[2] << 8;
        data += 3;
        size -= 3;
        length = length < size ? length : size;
        struct wm_bytes content = {0};
        wm_bytes_put(&content, data, length);
        wm_section_write(writer, type, &content, NULL);
        wm_bytes_release(&content);
        data += length;
        size -= length;
    }
    return wm_section_writer_finish(writer, NULL) == WM_OK;
}

// A file in memory, whose path is valid until its descriptor is closed; below 0 when there is none.
static int recording_of_input(const uint8_t *data, size_t size, char path[static 64])
{
    int descriptor = memfd_create("recording", MFD_CLOEXEC);
    if (descriptor < 0)
        return descriptor;
    snprintf(path, 64, "/proc/self/fd/%d", descriptor);
    bool written = size >= 8 && memcmp(data, WM_SECTION_MAGIC, 8) == 0
                       ? write(descriptor, data, size) == (ssize_t)size
                       : write_sections(path, data, size);
    if (written)
        return descriptor;
    close(descriptor);
    return -1;
}

#endif
