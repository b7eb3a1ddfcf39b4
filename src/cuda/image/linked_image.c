#include "cuda/image/linked_image.h"

#include "base/containers/array.h"
#include "exec/exec.h"
#include "source/program/elf_file.h"
#include "source/program/fatbinary.h"

#include <ar.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TEXTS = 1 << 16 };

struct header {
    char maker[8];
    uint64_t bytes, count; // of the whole image; of texts
    uint64_t offsets[];    // of each
};
static const char maker[8] = "wmlinked";

void wm_link_release(struct wm_link *link)
{
    for (uint32_t i = 0; i < link->count; i++) {
        wm_ptx_module_free(link->texts[i].parsed);
        free(link->texts[i].text);
    }
    free(link->texts);
    free(link->image);
    *link = (struct wm_link){.capability = link->capability};
}

// ---- Inputs ------------------------------------------------------------------------------------

static wm_cuda_status no_memory(struct wm_error *error)
{
    wm_fail_no_memory(error, "what is linked");
    return cudaErrorMemoryAllocation;
}

// Takes `text` over.
static wm_cuda_status add_text(struct wm_link *link, char *text, uint64_t bytes, const char *name,
                               struct wm_error *error)
{
    struct wm_ptx_module *parsed = NULL;
    if (!text || !WM_ARRAY_RESERVE(link->texts, link->count, link->capacity, 1)) {
        free(text);
        return no_memory(error);
    }
    enum wm_status status = wm_ptx_parse(text, bytes, name, &parsed, error);
    if (status == WM_OK) {
        link->texts[link->count++] = (struct wm_linked_text){parsed, text, bytes};
        return cudaSuccess;
    }
    free(text);
    return status == WM_UNSUPPORTED ? cudaErrorUnsupportedPtxVersion
           : status == WM_NO_MEMORY ? cudaErrorMemoryAllocation
                                    : cudaErrorInvalidPtx;
}

static wm_cuda_status add_ptx(struct wm_link *link, const char *data, uint64_t bytes,
                              const char *name, struct wm_error *error)
{
    uint64_t length = strnlen(data, bytes);
    return add_text(link, strndup(data, length), length, name, error);
}

static wm_cuda_status container_status(enum wm_status status)
{
    return status == WM_OK          ? cudaSuccess
           : status == WM_NOT_FOUND ? cudaErrorNoKernelImageForDevice
           : status == WM_NO_MEMORY ? cudaErrorMemoryAllocation
                                    : cudaErrorInvalidKernelImage;
}

static wm_cuda_status add_container(struct wm_link *link, const uint8_t *data, uint64_t bytes,
                                    const char *name, struct wm_error *error)
{
    struct wm_fatbinary_entry entry;
    char *text = NULL;
    uint64_t text_bytes = 0;
    enum wm_status status = wm_fatbinary_choose_ptx(data, bytes, link->capability, &entry, error);
    if (status == WM_OK)
        status = wm_fatbinary_extract(&entry, &text, &text_bytes, error);
    return status == WM_OK ? add_text(link, text, text_bytes, name, error)
                           : container_status(status);
}

// The containers of a section, one behind the other at multiples of 8 bytes.
static wm_cuda_status add_section(struct wm_link *link, const struct wm_elf_part *section,
                                  const char *name, struct wm_error *error)
{
    wm_cuda_status status = cudaSuccess;
    for (uint64_t at = 0; at < section->size_bytes && status == cudaSuccess;) {
        struct wm_fatbinary container;
        const uint8_t *data = section->data + at;
        uint64_t left = section->size_bytes - at;
        enum wm_status opened = wm_fatbinary_open(data, left, &container, error);
        if (opened != WM_OK)
            return container_status(opened);
        status = add_container(link, data, container.size_bytes, name, error);
        at += (container.size_bytes + 7) & ~UINT64_C(7);
    }
    return status;
}

// Fat binaries of a whole program, and those of nvcc -dc.
static wm_cuda_status add_object(struct wm_link *link, const void *data, uint64_t bytes,
                                 const char *name, struct wm_error *error)
{
    static const char *const sections[] = {".nv_fatbin", "__nv_relfatbin"};
    struct wm_elf_file file = {data, bytes};
    bool any = false;
    if (!wm_elf_has_magic(&file)) {
        wm_fail(error, WM_INVALID, "it is no object file");
        wm_error_place(error, "%s", name);
        return cudaErrorInvalidKernelImage;
    }
    if (wm_elf_check(&file, error) != WM_OK)
        return cudaErrorInvalidKernelImage;
    for (int i = 0; i < 2; i++) {
        struct wm_elf_part part;
        for (uint32_t from = 0; wm_elf_section(&file, sections[i], &from, &part);) {
            wm_cuda_status status = add_section(link, &part, name, error);
            if (status != cudaSuccess)
                return status;
            any = true;
        }
    }
    if (any)
        return cudaSuccess;
    wm_fail(error, WM_NOT_FOUND, "the object file has no device code");
    wm_error_place(error, "%s", name);
    return cudaErrorNoKernelImageForDevice;
}

// Members without device code, or with machine code alone, are passed by: a library's are needed
// only where something refers to them.
static wm_cuda_status add_library(struct wm_link *link, const char *data, uint64_t bytes,
                                  const char *name, struct wm_error *error)
{
    if (bytes < SARMAG || memcmp(data, ARMAG, SARMAG) != 0) {
        wm_fail(error, WM_INVALID, "it is no library of object files");
        wm_error_place(error, "%s", name);
        return cudaErrorInvalidKernelImage;
    }
    for (uint64_t at = SARMAG; bytes - at >= sizeof(struct ar_hdr);) {
        struct ar_hdr member;
        memcpy(&member, data + at, sizeof member);
        at += sizeof member;
        char digits[sizeof member.ar_size + 1] = "";
        memcpy(digits, member.ar_size, sizeof member.ar_size);
        uint64_t size = strtoull(digits, NULL, 10);
        if (memcmp(member.ar_fmag, ARFMAG, sizeof member.ar_fmag) != 0 || size > bytes - at) {
            wm_fail(error, WM_INVALID, "a member of the library is not whole");
            wm_error_place(error, "%s", name);
            return cudaErrorInvalidKernelImage;
        }
        struct wm_elf_file file = {(const uint8_t *)data + at, size};
        wm_cuda_status status =
            wm_elf_has_magic(&file) ? add_object(link, data + at, size, name, error) : cudaSuccess;
        if (status != cudaSuccess && status != cudaErrorNoKernelImageForDevice)
            return status;
        at += size + size % 2;
        if (at > bytes)
            break;
    }
    wm_error_clear(error);
    return cudaSuccess;
}

static wm_cuda_status add_linked(struct wm_link *link, const void *data, uint64_t bytes,
                                 const char *name, struct wm_error *error)
{
    uint32_t count = wm_linked_image_count(data, bytes);
    wm_cuda_status status = cudaSuccess;
    if (count == 0) {
        wm_fail(error, WM_NOT_FOUND, "it is machine code, which is not run here");
        wm_error_place(error, "%s", name);
        wm_error_hint(error, "add its PTX");
        return cudaErrorNoKernelImageForDevice;
    }
    for (uint32_t i = 0; i < count && status == cudaSuccess; i++) {
        const char *text = wm_linked_image_text(data, i);
        status = add_ptx(link, text, strlen(text), name, error);
    }
    return status;
}

wm_cuda_status wm_link_add(struct wm_link *link, int input, const void *data, uint64_t bytes,
                           const char *name, struct wm_error *error)
{
    wm_error_clear(error);
    if (!data || bytes == 0 || link->image)
        return cudaErrorInvalidValue;
    switch (input) {
    case WM_LINK_CUBIN: return add_linked(link, data, bytes, name, error);
    case WM_LINK_PTX: return add_ptx(link, data, bytes, name, error);
    case WM_LINK_FATBINARY: return add_container(link, data, bytes, name, error);
    case WM_LINK_OBJECT: return add_object(link, data, bytes, name, error);
    case WM_LINK_LIBRARY: return add_library(link, data, bytes, name, error);
    default:
        wm_fail(error, WM_UNSUPPORTED, "inputs of kind %d are not supported", input);
        return cudaErrorNotSupported;
    }
}

// ---- The image ---------------------------------------------------------------------------------

static uint8_t *make_image(const struct wm_link *link, uint64_t *bytes)
{
    uint64_t end = sizeof(struct header) + link->count * sizeof(uint64_t);
    *bytes = end;
    for (uint32_t i = 0; i < link->count; i++)
        *bytes += link->texts[i].bytes + 1;
    struct header *made = calloc(1, *bytes);
    if (!made)
        return NULL;
    memcpy(made->maker, maker, sizeof maker);
    made->bytes = *bytes;
    made->count = link->count;
    for (uint32_t i = 0; i < link->count; i++) {
        made->offsets[i] = end;
        memcpy((uint8_t *)made + end, link->texts[i].text, link->texts[i].bytes);
        end += link->texts[i].bytes + 1;
    }
    return (uint8_t *)made;
}

wm_cuda_status wm_link_finish(struct wm_link *link, const void **image, size_t *bytes,
                              struct wm_error *error)
{
    wm_error_clear(error);
    if (link->count == 0) {
        wm_fail(error, WM_INVALID, "nothing was added that has device code");
        return cudaErrorInvalidValue;
    }
    struct wm_ptx_module **modules = calloc(link->count, sizeof(struct wm_ptx_module *));
    if (!modules)
        return no_memory(error);
    for (uint32_t i = 0; i < link->count; i++)
        modules[i] = link->texts[i].parsed;
    enum wm_status status = wm_program_check_link(modules, link->count, error);
    free(modules);
    if (status != WM_OK)
        return status == WM_NO_MEMORY ? cudaErrorMemoryAllocation : cudaErrorInvalidPtx;
    uint64_t size = 0;
    free(link->image);
    link->image = make_image(link, &size);
    if (!link->image)
        return no_memory(error);
    *image = link->image;
    *bytes = size;
    return cudaSuccess;
}

// An image of another kind may end before ours would say its length: not a byte beyond the first
// that differs is looked at.
static bool is_ours(const void *image)
{
    for (size_t i = 0; i < sizeof maker; i++)
        if (((const uint8_t *)image)[i] != (uint8_t)maker[i])
            return false;
    return true;
}

// Every offset lies inside and the last byte is a NUL, so every text ends inside.
uint32_t wm_linked_image_count(const void *image, uint64_t available)
{
    struct header header;
    if (available < sizeof header || !is_ours(image))
        return 0;
    memcpy(&header, image, sizeof header);
    if (header.bytes > available || header.count == 0 || header.count > MAX_TEXTS ||
        header.bytes <= sizeof header + header.count * sizeof(uint64_t) ||
        ((const uint8_t *)image)[header.bytes - 1] != 0)
        return 0;
    for (uint64_t i = 0; i < header.count; i++) {
        uint64_t offset;
        memcpy(&offset, (const uint8_t *)image + sizeof header + i * sizeof offset, sizeof offset);
        if (offset >= header.bytes)
            return 0;
    }
    return (uint32_t)header.count;
}

const char *wm_linked_image_text(const void *image, uint32_t index)
{
    uint64_t offset;
    memcpy(&offset, (const uint8_t *)image + sizeof(struct header) + index * sizeof offset,
           sizeof offset);
    return (const char *)image + offset;
}
