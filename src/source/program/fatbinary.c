#include "source/program/fatbinary.h"

#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

// Bits of an entry's flags that say how the payload is stored.
#define FLAG_LZ4 UINT64_C(0x2000)
#define FLAG_ZSTD UINT64_C(0x8000)
#define FLAG_BINARY_OPTIONS UINT64_C(0x1000000) // the options block is a table, not text

// Fields are read byte by byte: a container may stand anywhere, and the file may come from
// anywhere.
static uint64_t little_endian(const uint8_t *data, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = bytes; i-- > 0;)
        value = value << 8 | data[i];
    return value;
}

static uint16_t read_u16(const uint8_t *data)
{
    return (uint16_t)little_endian(data, 2);
}

static uint32_t read_u32(const uint8_t *data)
{
    return (uint32_t)little_endian(data, 4);
}

static uint64_t read_u64(const uint8_t *data)
{
    return little_endian(data, 8);
}

enum wm_status wm_fatbinary_wrapper_read(const uint8_t *data, uint64_t available,
                                         struct wm_fatbinary_wrapper *wrapper,
                                         struct wm_error *error)
{
    if (available < WM_FATBINARY_WRAPPER_BYTES)
        return wm_fail(error, WM_INVALID, "fat binary wrapper is cut off after %llu bytes",
                       (unsigned long long)available);
    if (read_u32(data) != WM_FATBINARY_WRAPPER_MAGIC)
        return wm_fail(error, WM_INVALID,
                       "fat binary wrapper has the magic number 0x%08x instead of 0x%08x",
                       (unsigned)read_u32(data), (unsigned)WM_FATBINARY_WRAPPER_MAGIC);
    wrapper->version = read_u32(data + 4);
    if (wrapper->version != 1 && wrapper->version != 2)
        return wm_fail(error, WM_INVALID, "fat binary wrapper has version %u; known are 1 and 2",
                       (unsigned)wrapper->version);
    wrapper->container = read_u64(data + 8);
    wrapper->prelinked = wrapper->version == 2 ? read_u64(data + 16) : 0;
    return WM_OK;
}

// PTX text is printable and names its version before anything else but comments, so it starts
// with '/', '.' or white space.
static bool starts_like_ptx(const uint8_t *data, uint64_t available)
{
    for (uint64_t i = 0; i < available && i < 64; i++) {
        uint8_t byte = data[i];
        bool blank = byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
        if (!blank)
            return byte == '.' || byte == '/';
    }
    return false;
}

enum wm_status wm_fatbinary_open(const uint8_t *data, uint64_t available,
                                 struct wm_fatbinary *fatbinary, struct wm_error *error)
{
    memset(fatbinary, 0, sizeof *fatbinary);
    fatbinary->data = data;
    if (available >= 4 && read_u32(data) != WM_FATBINARY_MAGIC &&
        starts_like_ptx(data, available)) {
        const uint8_t *end = memchr(data, 0, available);
        fatbinary->plain_text = true;
        fatbinary->size_bytes = end ? (uint64_t)(end - data) : available;
        return WM_OK;
    }
    if (available < WM_FATBINARY_HEADER_BYTES)
        return wm_fail(error, WM_INVALID, "fat binary is cut off after %llu bytes",
                       (unsigned long long)available);
    if (read_u32(data) != WM_FATBINARY_MAGIC)
        return wm_fail(error, WM_INVALID,
                       "fat binary has the magic number 0x%08x instead of 0x%08x, and is no PTX",
                       (unsigned)read_u32(data), (unsigned)WM_FATBINARY_MAGIC);
    if (read_u16(data + 4) != 1)
        return wm_fail(error, WM_INVALID, "fat binary has version %u; known is 1",
                       (unsigned)read_u16(data + 4));
    uint32_t header_bytes = read_u16(data + 6);
    if (header_bytes != WM_FATBINARY_HEADER_BYTES)
        return wm_fail(error, WM_INVALID, "fat binary has a header of %u bytes instead of %d",
                       (unsigned)header_bytes, (int)WM_FATBINARY_HEADER_BYTES);
    uint64_t entries_bytes = read_u64(data + 8);
    if (entries_bytes > available - WM_FATBINARY_HEADER_BYTES)
        return wm_fail(error, WM_INVALID,
                       "fat binary claims %llu bytes of images where only %llu are left",
                       (unsigned long long)entries_bytes,
                       (unsigned long long)(available - WM_FATBINARY_HEADER_BYTES));
    fatbinary->size_bytes = WM_FATBINARY_HEADER_BYTES + entries_bytes;
    fatbinary->offset = WM_FATBINARY_HEADER_BYTES;
    return WM_OK;
}

static enum wm_status plain_entry(struct wm_fatbinary *fatbinary, struct wm_fatbinary_entry *entry)
{
    if (fatbinary->offset > 0)
        return WM_NOT_FOUND;
    fatbinary->offset = fatbinary->size_bytes + 1;
    *entry = (struct wm_fatbinary_entry){
        .kind = WM_IMAGE_PTX,
        .payload = fatbinary->data,
        .payload_bytes = fatbinary->size_bytes,
        .image_bytes = fatbinary->size_bytes,
    };
    return WM_OK;
}

static enum wm_status entry_fail(const struct wm_fatbinary *fatbinary, struct wm_error *error,
                                 const char *what, uint64_t value)
{
    wm_fail(error, WM_INVALID, "fat binary image %s (%llu)", what, (unsigned long long)value);
    return wm_error_place(error, "byte %llu", (unsigned long long)fatbinary->offset);
}

// The option string lies between the fixed header and the payload: `header_bytes` bound it.
static enum wm_status read_options(const struct wm_fatbinary *fatbinary, const uint8_t *at,
                                   uint32_t header_bytes, struct wm_fatbinary_entry *entry,
                                   struct wm_error *error)
{
    uint32_t block = read_u32(at + 0x14);
    uint32_t name = read_u32(at + 0x20), name_bytes = read_u32(at + 0x24);
    if (name != 0) {
        if (name < WM_FATBINARY_ENTRY_BYTES || name > header_bytes ||
            name_bytes > header_bytes - name)
            return entry_fail(fatbinary, error, "has a name outside its header", name);
        entry->name = (const char *)at + name;
        entry->name_bytes = name_bytes;
    }
    if (block == 0 || (read_u64(at + 0x28) & FLAG_BINARY_OPTIONS) != 0)
        return WM_OK;
    if (block < WM_FATBINARY_ENTRY_BYTES || block > header_bytes || header_bytes - block < 8)
        return entry_fail(fatbinary, error, "has an options block outside its header", block);
    uint32_t options = read_u32(at + block), options_bytes = read_u32(at + block + 4);
    if (options_bytes == 0)
        return WM_OK;
    if (options < WM_FATBINARY_ENTRY_BYTES || options > header_bytes ||
        options_bytes > header_bytes - options)
        return entry_fail(fatbinary, error, "has options outside its header", options);
    entry->options = (const char *)at + options;
    entry->options_bytes = options_bytes;
    return WM_OK;
}

static enum wm_status read_sizes(const struct wm_fatbinary *fatbinary, const uint8_t *at,
                                 struct wm_fatbinary_entry *entry, struct wm_error *error)
{
    uint64_t flags = read_u64(at + 0x28);
    uint64_t compressed = read_u32(at + 0x10), uncompressed = read_u64(at + 0x38);
    if ((flags & FLAG_LZ4) != 0 && (flags & FLAG_ZSTD) != 0)
        return entry_fail(fatbinary, error, "claims two compressions at once", flags);
    entry->compression = WM_IMAGE_RAW;
    entry->image_bytes = entry->payload_bytes;
    if ((flags & (FLAG_LZ4 | FLAG_ZSTD)) == 0)
        return WM_OK;
    entry->compression = (flags & FLAG_LZ4) != 0 ? WM_IMAGE_LZ4 : WM_IMAGE_ZSTD;
    if (compressed == 0 || compressed > entry->payload_bytes)
        return entry_fail(fatbinary, error, "has a compressed size beyond its payload", compressed);
    if (uncompressed == 0)
        return entry_fail(fatbinary, error, "is compressed but has no size", uncompressed);
    entry->payload_bytes = compressed;
    entry->image_bytes = uncompressed;
    return WM_OK;
}

enum wm_status wm_fatbinary_next(struct wm_fatbinary *fatbinary, struct wm_fatbinary_entry *entry,
                                 struct wm_error *error)
{
    if (fatbinary->plain_text)
        return plain_entry(fatbinary, entry);
    uint64_t left = fatbinary->size_bytes - fatbinary->offset;
    if (left == 0)
        return WM_NOT_FOUND;
    if (left < WM_FATBINARY_ENTRY_BYTES)
        return entry_fail(fatbinary, error, "header is cut off: bytes left", left);
    const uint8_t *at = fatbinary->data + fatbinary->offset;
    uint32_t header_bytes = read_u32(at + 4);
    uint64_t payload_bytes = read_u64(at + 8);
    if (header_bytes < WM_FATBINARY_ENTRY_BYTES || header_bytes > left)
        return entry_fail(fatbinary, error, "has an impossible header size", header_bytes);
    if (payload_bytes > left - header_bytes)
        return entry_fail(fatbinary, error, "has a payload beyond the container", payload_bytes);
    memset(entry, 0, sizeof *entry);
    entry->kind = read_u16(at);
    entry->version_minor = read_u16(at + 0x18);
    entry->version_major = read_u16(at + 0x1A);
    entry->architecture = read_u32(at + 0x1C);
    entry->payload = at + header_bytes;
    entry->payload_bytes = payload_bytes;
    WM_TRY(read_options(fatbinary, at, header_bytes, entry, error));
    WM_TRY(read_sizes(fatbinary, at, entry, error));
    fatbinary->offset += header_bytes + payload_bytes;
    return WM_OK;
}

static bool better_ptx(uint32_t candidate, uint32_t current, uint32_t capability)
{
    bool fits = candidate <= capability, current_fits = current <= capability;
    if (fits != current_fits)
        return fits;
    return fits ? candidate > current : candidate < current;
}

enum wm_status wm_fatbinary_choose_ptx(const uint8_t *data, uint64_t available, uint32_t capability,
                                       struct wm_fatbinary_entry *entry, struct wm_error *error)
{
    struct wm_fatbinary fatbinary;
    WM_TRY(wm_fatbinary_open(data, available, &fatbinary, error));
    bool found = false;
    uint32_t machine_code = 0; // architecture of an ELF image seen
    struct wm_fatbinary_entry candidate;
    enum wm_status status;
    while ((status = wm_fatbinary_next(&fatbinary, &candidate, error)) == WM_OK) {
        if (candidate.kind == WM_IMAGE_ELF)
            machine_code = candidate.architecture;
        if (candidate.kind != WM_IMAGE_PTX)
            continue;
        if (!found || better_ptx(candidate.architecture, entry->architecture, capability))
            *entry = candidate;
        found = true;
    }
    if (status != WM_NOT_FOUND)
        return status;
    if (found)
        return WM_OK;
    if (machine_code == 0)
        return wm_fail(error, WM_NOT_FOUND, "fat binary holds no device code");
    wm_fail(error, WM_NOT_FOUND, "fat binary holds machine code (sm_%u) but no PTX",
            (unsigned)machine_code);
    return wm_error_hint(error, "rebuild with PTX inside: nvcc -gencode "
                                "'arch=compute_75,code=[sm_75,compute_75]'");
}

static enum wm_status decompress(const struct wm_fatbinary_entry *entry, char *image,
                                 struct wm_error *error)
{
    if (entry->compression == WM_IMAGE_LZ4) {
        // A raw block without frame: LZ4_decompress_safe stays inside both buffers.
        if (entry->payload_bytes > LZ4_MAX_INPUT_SIZE)
            return wm_fail(error, WM_INVALID, "LZ4 block of a fat binary is too large");
        int made = LZ4_decompress_safe((const char *)entry->payload, image,
                                       (int)entry->payload_bytes, (int)entry->image_bytes);
        if (made < 0 || (uint64_t)made != entry->image_bytes)
            return wm_fail(error, WM_INVALID, "LZ4 block of a fat binary is corrupt");
        return WM_OK;
    }
    size_t made = ZSTD_decompress(image, entry->image_bytes, entry->payload, entry->payload_bytes);
    if (ZSTD_isError(made))
        return wm_fail(error, WM_INVALID, "zstd frame of a fat binary is corrupt: %s",
                       ZSTD_getErrorName(made));
    if (made != entry->image_bytes)
        return wm_fail(error, WM_INVALID,
                       "zstd frame of a fat binary holds %zu bytes instead of %llu", made,
                       (unsigned long long)entry->image_bytes);
    return WM_OK;
}

enum wm_status wm_fatbinary_extract(const struct wm_fatbinary_entry *entry, char **image,
                                    uint64_t *image_bytes, struct wm_error *error)
{
    *image = NULL;
    *image_bytes = 0;
    if (entry->image_bytes > WM_FATBINARY_MAX_IMAGE_BYTES)
        return wm_fail(error, WM_INVALID,
                       "fat binary image claims %llu bytes; more than %llu is refused",
                       (unsigned long long)entry->image_bytes,
                       (unsigned long long)WM_FATBINARY_MAX_IMAGE_BYTES);
    char *text = malloc(entry->image_bytes + 1);
    if (!text)
        return wm_fail_no_memory(error, "a fat binary image of %llu bytes",
                                 (unsigned long long)entry->image_bytes);
    text[entry->image_bytes] = '\0';
    if (entry->compression == WM_IMAGE_RAW) {
        if (entry->image_bytes > 0)
            memcpy(text, entry->payload, entry->image_bytes);
    } else {
        enum wm_status status = decompress(entry, text, error);
        if (status != WM_OK) {
            free(text);
            return status;
        }
    }
    *image = text;
    *image_bytes = entry->kind == WM_IMAGE_PTX ? strlen(text) : entry->image_bytes;
    return WM_OK;
}
