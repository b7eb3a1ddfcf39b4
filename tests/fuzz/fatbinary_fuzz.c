// Fat binaries: whatever the bytes, an answer; what is refused says why; nothing outside is read.
// The first byte chooses the simulated capability, the rest is the container.
#include "source/program/fatbinary.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static bool inside(const void *at, uint64_t bytes, const uint8_t *data, size_t size)
{
    const uint8_t *start = at;
    return start >= data && bytes <= size && start <= data + size - bytes;
}

static void check_entry(const struct wm_fatbinary_entry *entry, const uint8_t *data, size_t size)
{
    require(inside(entry->payload, entry->payload_bytes, data, size));
    require(!entry->name || inside(entry->name, entry->name_bytes, data, size));
    require(!entry->options || inside(entry->options, entry->options_bytes, data, size));
    // Large claims cost only time here: the limit itself has a test of its own.
    enum { MOST_BYTES = 1 << 20 };
    if (entry->image_bytes > MOST_BYTES)
        return;
    struct wm_error error;
    char *image;
    uint64_t image_bytes;
    wm_error_clear(&error);
    if (wm_fatbinary_extract(entry, &image, &image_bytes, &error) == WM_OK)
        require(image_bytes <= entry->image_bytes && image[entry->image_bytes] == '\0');
    else
        require(!image && error.message[0]);
    free(image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    uint32_t capability = data[0];
    data++, size--;
    struct wm_fatbinary fatbinary;
    struct wm_fatbinary_entry entry, chosen;
    struct wm_error error;
    wm_error_clear(&error);
    enum wm_status status = wm_fatbinary_open(data, size, &fatbinary, &error);
    bool any_ptx = false;
    while (status == WM_OK && (status = wm_fatbinary_next(&fatbinary, &entry, &error)) == WM_OK) {
        check_entry(&entry, data, size);
        any_ptx |= entry.kind == WM_IMAGE_PTX;
    }
    bool whole = status == WM_NOT_FOUND;
    require(whole || error.message[0]);
    wm_error_clear(&error);
    status = wm_fatbinary_choose_ptx(data, size, capability, &chosen, &error);
    require((status == WM_OK) == (whole && any_ptx));
    require(status == WM_OK || error.message[0]);
    return 0;
}
