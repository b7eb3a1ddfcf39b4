// Fat binaries: the containers in which CUDA compilers put device code. Nothing of one is trusted:
// every size and offset is checked against the bytes that are known to be there.
//
// A container is a 16-byte header (magic 0xBA55ED50, version 1) and entries one after the other;
// each entry has a header, an optional name and option string, and a payload: PTX text or an ELF
// image, raw, as one LZ4 block or as a zstd frame. Where a container is expected, PTX text may
// stand instead (clang's -fcuda-include-gpubinary).
#ifndef WM_SOURCE_PROGRAM_FATBINARY_H
#define WM_SOURCE_PROGRAM_FATBINARY_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

#define WM_FATBINARY_MAGIC UINT32_C(0xBA55ED50)
#define WM_FATBINARY_WRAPPER_MAGIC UINT32_C(0x466243B1)

enum {
    WM_FATBINARY_HEADER_BYTES = 16,
    WM_FATBINARY_ENTRY_BYTES = 64,
    WM_FATBINARY_WRAPPER_BYTES = 24,
};
// Larger images than this are refused before anything is allocated for them; the largest seen in
// 2,169 containers of public programs is 22 MB.
#define WM_FATBINARY_MAX_IMAGE_BYTES (UINT64_C(256) << 20)

enum wm_image_kind { WM_IMAGE_PTX = 1, WM_IMAGE_ELF = 2 };
enum wm_image_compression { WM_IMAGE_RAW, WM_IMAGE_LZ4, WM_IMAGE_ZSTD };

// One image of a container. Pointers borrow from the container's bytes.
struct wm_fatbinary_entry {
    uint32_t kind;                         // enum wm_image_kind; other numbers may occur
    uint32_t architecture;                 // 75 for sm_75; 0 for plain PTX text
    uint32_t version_major, version_minor; // of the PTX ISA, or of the ELF format
    enum wm_image_compression compression;
    const uint8_t *payload;
    uint64_t payload_bytes; // exact when compressed, padded with zero bytes when raw
    uint64_t image_bytes;   // after decompression
    const char *name;       // source file, not NUL-terminated; NULL when there is none
    uint32_t name_bytes;
    const char *options; // the assembler's options, not NUL-terminated; NULL when there are none
    uint32_t options_bytes;
};

// The wrapper that a program registers: version 1 holds one container; version 2 (device-linked,
// -rdc=true) also a NULL-terminated array of one container a translation unit.
struct wm_fatbinary_wrapper {
    uint32_t version;
    uint64_t container; // address
    uint64_t prelinked; // address of the array of addresses, 0 in version 1
};

struct wm_fatbinary {
    const uint8_t *data;
    uint64_t size_bytes; // of the whole container, checked to be there; of the text if plain
    uint64_t offset;     // of the next entry
    bool plain_text;     // PTX text instead of a container
};

// `available` bytes are there. WM_INVALID for a bad magic, version or header size.
enum wm_status wm_fatbinary_wrapper_read(const uint8_t *data, uint64_t available,
                                         struct wm_fatbinary_wrapper *wrapper,
                                         struct wm_error *error);

// Opens the container (or plain PTX) that starts at `data`, of which at most `available` bytes are
// readable; borrowed as long as `fatbinary` is used. WM_INVALID when it is neither.
enum wm_status wm_fatbinary_open(const uint8_t *data, uint64_t available,
                                 struct wm_fatbinary *fatbinary, struct wm_error *error);
// The next entry, checked. WM_NOT_FOUND (and no error filled) after the last.
enum wm_status wm_fatbinary_next(struct wm_fatbinary *fatbinary, struct wm_fatbinary_entry *entry,
                                 struct wm_error *error);
// The PTX to run on a device of `capability` (70 for 7.0): the newest that is not newer than the
// device, else the oldest there is, since the interpreter is not bound to a capability.
// WM_NOT_FOUND when there is no PTX: the error says whether there was machine code and how to
// rebuild.
enum wm_status wm_fatbinary_choose_ptx(const uint8_t *data, uint64_t available, uint32_t capability,
                                       struct wm_fatbinary_entry *entry, struct wm_error *error);
// The image, decompressed, with a NUL byte after it; PTX ends at its first NUL. The caller frees
// *image with free(). WM_INVALID for corrupt data, WM_NO_MEMORY.
enum wm_status wm_fatbinary_extract(const struct wm_fatbinary_entry *entry, char **image,
                                    uint64_t *image_bytes, struct wm_error *error);

#endif
