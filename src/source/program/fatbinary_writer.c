#include "source/program/fatbinary_writer.h"

#include "base/containers/array.h"

#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

static enum wm_status out_of_memory(struct wm_error *error)
{
    return wm_fail_no_memory(error, "a fat binary with other PTX");
}

// One image of the container that is read.
struct image {
    struct wm_fatbinary_entry entry;
    const uint8_t *header;
    uint32_t header_bytes;
    uint64_t stored_bytes; // of the payload with its padding
    struct wm_text text;   // PTX: what is to stand in its place
    bool changed;
};

struct images {
    struct image *all; // owned
    uint32_t count, capacity;
    bool plain_text;
    uint64_t size_bytes; // of the whole container
};

static void release(struct images *images)
{
    for (uint32_t i = 0; i < images->count; i++)
        wm_text_release(&images->all[i].text);
    free(images->all);
}

static struct image *add(struct images *images)
{
    struct image *image = WM_ARRAY_PUSH(images->all, images->count, images->capacity);
    if (image != NULL)
        wm_text_init(&image->text);
    return image;
}

static enum wm_status rewrite_image(struct image *image, const struct wm_ptx_rewriter *rewriter,
                                    struct wm_error *error)
{
    char *text;
    uint64_t length;
    WM_TRY(wm_fatbinary_extract(&image->entry, &text, &length, error));
    enum wm_status status = rewriter->rewrite(rewriter->context, text, length, &image->text, error);
    if (status == WM_OK && image->text.failed)
        status = out_of_memory(error);
    image->changed = image->text.length != length ||
                     (length != 0 && memcmp(image->text.data, text, length) != 0);
    free(text);
    return status;
}

static enum wm_status read_images(const uint8_t *data, uint64_t available,
                                  const struct wm_ptx_rewriter *rewriter, struct images *images,
                                  struct wm_error *error)
{
    struct wm_fatbinary container;
    WM_TRY(wm_fatbinary_open(data, available, &container, error));
    images->plain_text = container.plain_text;
    images->size_bytes = container.size_bytes;
    for (;;) {
        struct wm_fatbinary_entry entry;
        uint64_t begin = container.offset;
        enum wm_status status = wm_fatbinary_next(&container, &entry, error);
        if (status == WM_NOT_FOUND)
            return WM_OK;
        if (status != WM_OK)
            return status;
        struct image *image = add(images);
        if (image == NULL)
            return out_of_memory(error);
        image->entry = entry;
        if (!images->plain_text) {
            image->header = data + begin;
            image->header_bytes = (uint32_t)(entry.payload - image->header);
            image->stored_bytes = container.offset - begin - image->header_bytes;
        }
        if (entry.kind == WM_IMAGE_PTX)
            WM_TRY(rewrite_image(image, rewriter, error));
    }
}

// Whether machine code of that architecture stands for a text that has changed.
static bool is_outdated(const struct images *images, uint32_t architecture)
{
    const struct image *source = NULL;
    for (uint32_t i = 0; i < images->count; i++) {
        const struct image *image = &images->all[i];
        if (image->entry.kind == WM_IMAGE_PTX && image->entry.architecture <= architecture &&
            (source == NULL || image->entry.architecture > source->entry.architecture))
            source = image;
    }
    return source != NULL && source->changed;
}

static bool names_option(const struct wm_fatbinary_entry *entry, const char *option)
{
    return entry->options != NULL &&
           memmem(entry->options, entry->options_bytes, option, strlen(option)) != NULL;
}

// --- Writing ---

static void put(struct wm_text *bytes, size_t offset, uint64_t value, unsigned width)
{
    for (unsigned i = 0; i < width && !bytes->failed; i++)
        bytes->data[offset + i] = (char)(value >> (8 * i));
}

static void pad(struct wm_text *bytes, size_t count)
{
    static const char zeros[8];
    wm_text_append(bytes, zeros, (8 - count % 8) % 8);
}

// Appends `length` bytes, packed as the image was; returns how many there are of them packed.
static size_t pack(enum wm_image_compression compression, const char *text, size_t length,
                   struct wm_text *bytes, struct wm_error *error)
{
    if (compression == WM_IMAGE_RAW) {
        wm_text_append(bytes, text, length);
        return bytes->failed ? 0 : length;
    }
    bool zstd = compression == WM_IMAGE_ZSTD;
    size_t most = zstd ? ZSTD_compressBound(length) : (size_t)LZ4_compressBound((int)length);
    char *room = wm_text_reserve(bytes, most);
    size_t packed = 0;
    if (room != NULL && zstd) {
        size_t made = ZSTD_compress(room, most, text, length, ZSTD_CLEVEL_DEFAULT);
        packed = ZSTD_isError(made) ? 0 : made;
    } else if (room != NULL) {
        packed = (size_t)LZ4_compress_default(text, room, (int)length, (int)most);
    }
    bytes->length += packed;
    if (packed == 0)
        out_of_memory(error);
    return packed;
}

// The header as it was but for the sizes; compressed text has one NUL behind it.
static enum wm_status write_changed(const struct image *image, struct wm_text *bytes,
                                    struct wm_error *error)
{
    size_t length = image->text.length + 1, header = bytes->length;
    if (length > WM_FATBINARY_MAX_IMAGE_BYTES)
        return wm_fail(error, WM_LIMIT, "rewritten PTX of %zu bytes is too long for a fat binary",
                       length);
    wm_text_append(bytes, (const char *)image->header, image->header_bytes);
    const char *text = image->text.data != NULL ? image->text.data : "";
    size_t packed = pack(image->entry.compression, text, length, bytes, error);
    if (packed == 0)
        return out_of_memory(error);
    pad(bytes, packed);
    put(bytes, header + 0x08, (packed + 7) / 8 * 8, 8);
    if (image->entry.compression != WM_IMAGE_RAW) {
        put(bytes, header + 0x10, packed, 4);
        put(bytes, header + 0x38, length, 8);
    }
    return WM_OK;
}

static enum wm_status write_images(const struct images *images, const uint8_t *data, bool all_code,
                                   struct wm_text *bytes, struct wm_fatbinary_rewritten *rewritten,
                                   struct wm_error *error)
{
    size_t begin = bytes->length;
    wm_text_append(bytes, (const char *)data, WM_FATBINARY_HEADER_BYTES);
    for (uint32_t i = 0; i < images->count; i++) {
        const struct image *image = &images->all[i];
        bool code = image->entry.kind == WM_IMAGE_ELF;
        rewritten->machine_code += code;
        if (code && (all_code || is_outdated(images, image->entry.architecture))) {
            rewritten->dropped++;
        } else if (image->changed) {
            WM_TRY(write_changed(image, bytes, error));
        } else {
            wm_text_append(bytes, (const char *)image->header, image->header_bytes);
            wm_text_append(bytes, (const char *)image->entry.payload, image->stored_bytes);
        }
    }
    put(bytes, begin + 8, bytes->length - begin - WM_FATBINARY_HEADER_BYTES, 8);
    return WM_OK;
}

enum wm_status wm_fatbinary_rewrite(const uint8_t *data, uint64_t available,
                                    const struct wm_ptx_rewriter *rewriter, bool all_code,
                                    struct wm_text *bytes, struct wm_fatbinary_rewritten *rewritten,
                                    struct wm_error *error)
{
    struct images images = {0};
    enum wm_status status = read_images(data, available, rewriter, &images, error);
    for (uint32_t i = 0; status == WM_OK && i < images.count; i++) {
        const struct image *image = &images.all[i];
        rewritten->modules += image->entry.kind == WM_IMAGE_PTX;
        rewritten->changed += image->changed;
        rewritten->relocatable |= image->changed && names_option(&image->entry, "--compile-only");
    }
    if (status == WM_OK && images.plain_text)
        wm_text_append(bytes, images.all[0].text.data != NULL ? images.all[0].text.data : "",
                       images.all[0].text.length + 1);
    else if (status == WM_OK)
        status = write_images(&images, data, all_code, bytes, rewritten, error);
    if (status == WM_OK && bytes->failed)
        status = out_of_memory(error);
    release(&images);
    return status;
}
