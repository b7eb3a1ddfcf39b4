// A 64-bit x86 ELF file, read in place: sections, the dynamic section and the functions and
// variables of the symbol table, every offset checked.
#ifndef WM_SOURCE_PROGRAM_ELF_FILE_H
#define WM_SOURCE_PROGRAM_ELF_FILE_H

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

// The symbol table (.symtab), which `strip` takes away: not the dynamic one.
struct wm_elf_symbols {
    struct wm_elf_part table, names;
};

struct wm_elf_symbol {
    const char *name;             // NUL-terminated in the file
    uint64_t address, size_bytes; // as linked: what the file was moved by is to be added
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
// The value, an address or a number of bytes, of the dynamic section's first entry with this tag;
// false when there is none.
bool wm_elf_dynamic_value(const struct wm_elf_file *file, int64_t tag, uint64_t *value);
// Of a checked file: its bytes that are loaded at an address (as linked), up to the end of its
// segment. False when there are none.
bool wm_elf_loaded_at(const struct wm_elf_file *file, uint64_t address, struct wm_elf_part *part);
// Of a checked file: false when it has no symbol table.
bool wm_elf_symbols_open(const struct wm_elf_file *file, struct wm_elf_symbols *symbols);
// Whether the symbol table's strings hold this name: much faster than a look at each symbol.
bool wm_elf_symbols_mention(const struct wm_elf_symbols *symbols, const char *name);
// The functions, or the variables with bytes, that the file defines, local and global ones, in the
// order of the table: `from` is 0 at first. False after the last.
bool wm_elf_function_next(const struct wm_elf_symbols *symbols, uint32_t *from,
                          struct wm_elf_symbol *function);
bool wm_elf_variable_next(const struct wm_elf_symbols *symbols, uint32_t *from,
                          struct wm_elf_symbol *variable);
// Whether the dynamic string table holds this string.
bool wm_elf_mentions(const struct wm_elf_file *file, const char *symbol);

#endif
