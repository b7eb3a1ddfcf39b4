// A 64-bit x86 ELF file, read in place: sections and the dynamic section, every offset checked.
#ifndef WM_SOURCE_ELF_FILE_H
#define WM_SOURCE_ELF_FILE_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct wm_elf_file {
    const uint8_t *data; // the whole file, mapped
    uint64_t size_bytes;
};

struct wm_elf_part {
    const char *name; // NUL-terminated in the file
    const uint8_t *data;
    uint64_t size_bytes;
};

// Maps the file. WM_IO when it cannot be read; WM_INVALID when it is empty.
enum wm_status wm_elf_open(const char *path, struct wm_elf_file *file, struct wm_error *error);
void wm_elf_close(struct wm_elf_file *file);

bool wm_elf_has_magic(const struct wm_elf_file *file);
// WM_UNSUPPORTED for 32 bits or another processor, WM_INVALID for what is neither a program nor a
// shared object nor an object file, or has tables outside the file.
enum wm_status wm_elf_check(const struct wm_elf_file *file, struct wm_error *error);
// Of a checked file: whether it is an object file, which cannot be run.
bool wm_elf_is_object(const struct wm_elf_file *file);

// The section of that name with bytes in the file; false when there is none (a file without section
// headers has none). `from` is where the search starts, 0 at first, and moves behind what it found.
bool wm_elf_section(const struct wm_elf_file *file, const char *name, uint32_t *from,
                    struct wm_elf_part *part);
// The entries of the dynamic section in order: `from` is 0 at first. Texts (NEEDED, RPATH, …) come
// in `text`, or NULL. False after the last.
bool wm_elf_dynamic(const struct wm_elf_file *file, uint32_t *from, int64_t *tag,
                    const char **text);
// Whether the dynamic string table holds this string.
bool wm_elf_mentions(const struct wm_elf_file *file, const char *symbol);

#endif
