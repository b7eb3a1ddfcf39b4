#include "cli/cc/ptx_container.h"

#include "source/program/fatbinary.h"

#include <ctype.h>
#include <stdint.h>

// The container of CUDA 13's nvcc, as found by decoding its output; all fields little-endian, as
// the host is. A header, then entries; the entry of a PTX text has a header of 80 bytes, of which
// the last 16 are an empty block of assembler options.
struct container_header {
    uint32_t magic;
    uint16_t version;
    uint16_t header_bytes;
    uint64_t entries_bytes;
};

struct entry_header {
    uint16_t kind; // enum wm_image_kind
    uint16_t always_0x0101;
    uint32_t header_bytes;
    uint64_t payload_bytes; // padded to 8
    uint32_t compressed_bytes;
    uint32_t options_offset;
    uint16_t minor, major; // of the PTX ISA
    uint32_t architecture;
    uint32_t name_offset, name_bytes;
    uint64_t flags;
    uint64_t always_zero;
    uint64_t uncompressed_bytes;
    uint32_t options_text_offset, options_text_bytes;
    uint64_t padding;
};
_Static_assert(sizeof(struct container_header) == WM_FATBINARY_HEADER_BYTES,
               "a container's header has 16 bytes");
_Static_assert(sizeof(struct entry_header) == 80, "an entry's header with options has 80 bytes");

enum { ENTRY_FLAGS = 0x11 }; // 64-bit, Linux

// Reads the decimal number after `directive` and its blanks and `prefix`; stops behind it. The text
// is NUL-terminated.
static const char *number_after(const char *text, const char *directive, const char *prefix,
                                unsigned *number)
{
    const char *at = strstr(text, directive);
    if (!at)
        return NULL;
    at += strlen(directive);
    at += strspn(at, " \t");
    if (strncmp(at, prefix, strlen(prefix)) != 0)
        return NULL;
    at += strlen(prefix);
    char *end;
    unsigned long value = strtoul(at, &end, 10);
    if (end == at || value > UINT16_MAX)
        return NULL;
    *number = (unsigned)value;
    return end;
}

enum wm_status wm_cc_fatbinary(const char *ptx, size_t length, struct wm_text *container,
                               struct wm_error *error)
{
    unsigned major, minor, architecture;
    const char *dot = strlen(ptx) == length ? number_after(ptx, ".version", "", &major) : NULL;
    if (!dot || *dot != '.' || !isdigit((unsigned char)dot[1]) ||
        !number_after(ptx, ".target", "sm_", &architecture)) {
        wm_fail(error, WM_INVALID, "the compiler's output is not PTX");
        return wm_error_hint(error, "look at it with --ptx");
    }
    minor = (unsigned)(dot[1] - '0');
    size_t padded = (length + 1 + 7) / 8 * 8; // one NUL at least
    struct entry_header entry = {
        .kind = WM_IMAGE_PTX,
        .always_0x0101 = 0x0101,
        .header_bytes = sizeof entry,
        .payload_bytes = padded,
        .options_offset = offsetof(struct entry_header, options_text_offset),
        .minor = (uint16_t)minor,
        .major = (uint16_t)major,
        .architecture = architecture,
        .flags = ENTRY_FLAGS,
        .options_text_offset = offsetof(struct entry_header, padding),
    };
    struct container_header header = {
        .magic = WM_FATBINARY_MAGIC,
        .version = 1,
        .header_bytes = sizeof header,
        .entries_bytes = sizeof entry + padded,
    };
    static const char zeros[8];
    wm_text_append(container, (const char *)&header, sizeof header);
    wm_text_append(container, (const char *)&entry, sizeof entry);
    wm_text_append(container, ptx, length);
    wm_text_append(container, zeros, padded - length);
    if (container->failed)
        return wm_fail_no_memory(error, "packing PTX");
    return WM_OK;
}
