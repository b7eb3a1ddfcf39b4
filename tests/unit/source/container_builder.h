// Builds fat binaries by rule, for tests: entries of any kind, compression and size.
#ifndef WM_TESTS_CONTAINER_BUILDER_H
#define WM_TESTS_CONTAINER_BUILDER_H

#include "base/text/text.h"
#include "source/program/fatbinary.h"

#include <lz4.h>
#include <string.h>
#include <zstd.h>

static inline void put(uint8_t *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

// Starts a container; its size is settled by container_end.
static inline void container_begin(struct wm_text *container)
{
    uint8_t header[WM_FATBINARY_HEADER_BYTES] = {0};
    put(header, WM_FATBINARY_MAGIC, 4);
    put(header + 4, 1, 2);
    put(header + 6, sizeof header, 2);
    wm_text_append(container, (const char *)header, sizeof header);
}

static inline void container_end(struct wm_text *container)
{
    put((uint8_t *)container->data + 8, container->length - WM_FATBINARY_HEADER_BYTES, 8);
}

static inline size_t pack_image(enum wm_image_compression compression, const char *image,
                                size_t length, char *packed, size_t room)
{
    if (compression == WM_IMAGE_LZ4)
        return (size_t)LZ4_compress_default(image, packed, (int)length, (int)room);
    if (compression == WM_IMAGE_ZSTD)
        return ZSTD_compress(packed, room, image, length, 3);
    memcpy(packed, image, length);
    return length;
}

// An entry as nvcc writes it: fixed header, name, options, payload padded to 8 bytes.
static inline void container_add(struct wm_text *container, unsigned kind, unsigned architecture,
                                 enum wm_image_compression compression, const char *image,
                                 size_t length, const char *name, const char *options)
{
    size_t name_bytes = name ? (strlen(name) + 7) / 8 * 8 : 0;
    size_t option_bytes = options ? (strlen(options) + 7) / 8 * 8 : 0;
    size_t block = WM_FATBINARY_ENTRY_BYTES + name_bytes;
    size_t header_bytes = block + (options ? 8 + option_bytes : 0);
    size_t room = (length + 7) / 8 * 8 + ZSTD_compressBound(length) + 64;
    char *packed = calloc(1, room);
    size_t packed_bytes = pack_image(compression, image, length, packed, room);
    size_t payload = (packed_bytes + 7) / 8 * 8;
    uint8_t *header = calloc(1, header_bytes);
    put(header, kind, 2);
    put(header + 2, 0x0101, 2);
    put(header + 4, header_bytes, 4);
    put(header + 8, payload, 8);
    put(header + 0x1A, 9, 2);
    put(header + 0x1C, architecture, 4);
    uint64_t flags = 0x11 | (compression == WM_IMAGE_LZ4    ? 0x2000
                             : compression == WM_IMAGE_ZSTD ? 0x8000
                                                            : 0);
    put(header + 0x28, flags, 8);
    if (compression != WM_IMAGE_RAW) {
        put(header + 0x10, packed_bytes, 4);
        put(header + 0x38, length, 8);
    }
    if (name) {
        put(header + 0x20, WM_FATBINARY_ENTRY_BYTES, 4);
        put(header + 0x24, strlen(name), 4);
        memcpy(header + WM_FATBINARY_ENTRY_BYTES, name, strlen(name));
    }
    if (options) {
        put(header + 0x14, block, 4);
        put(header + block, block + 8, 4);
        put(header + block + 4, strlen(options), 4);
        memcpy(header + block + 8, options, strlen(options));
    }
    wm_text_append(container, (const char *)header, header_bytes);
    wm_text_append(container, packed, payload);
    free(header);
    free(packed);
}

#endif
