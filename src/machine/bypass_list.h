// The value of gpu.l1.bypass_list: which instructions of which kernels. "none", or selectors with
// commas between them, each KERNEL:pcN, KERNEL:ptxN or KERNEL:lineN: the instruction's number, or
// its line in the PTX or in the source. KERNEL is the symbol, the plain name of a C++ function, or
// "*".
//
// In a machine file and in a setting it may be "@FILE": a text with one selector a line, "#" before
// comments. What is kept is the list, as if it had been written in place.
//
// "=ca", "=cg" or a priority of PTX ISA 9.7.9.2 behind a selector ("=L1::no_allocate",
// "=L2::evict_first"): the instruction does not bypass in the machine's sense, but does as one with
// this cache operator or priority. Of several selectors that name an instruction the last counts,
// at each level: what is said of L2 leaves what is said of L1.
//
// KERNEL:hash=H, with 16 hexadecimal digits, names no instruction: what follows it of this kernel,
// up to its next hash, is meant for the kernel whose module's PTX has this hash (that of
// recordings, wm_hash_bytes of the text), and a kernel of this name whose PTX has none of its
// hashes is an error where it runs: the list is another program's.
#ifndef WM_MACHINE_BYPASS_LIST_H
#define WM_MACHINE_BYPASS_LIST_H

#include "base/error.h"
#include "base/text/text.h"
#include "mem/system/memory_spec.h"
#include "warpmem/plugin.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WM_BYPASS_LIST_BYTES = 16384 + 1 }; // with the NUL

enum wm_bypass_place { WM_BYPASS_PC, WM_BYPASS_PTX, WM_BYPASS_LINE, WM_BYPASS_HASH };

// What a selector says of an instruction.
struct wm_bypass_word {
    const char *word; // "cg", "L2::evict_first"; "": it bypasses in the machine's sense
    bool l2;          // it is about L2, not about L1
    enum wm_bypass_list_entry listed; // of L1; WM_BYPASS_LISTED_NOT where it is about L2
    // At its level, in place of what the instruction's own text says; `keeps`: the text's stays.
    enum wm_eviction_priority priority;
    bool keeps;
};

// One selector of a list; the texts lie in the list.
struct wm_bypass_selector {
    const char *text; // as it was written, `length` bytes
    size_t length;
    const char *kernel;
    size_t kernel_length;
    enum wm_bypass_place place;
    uint32_t number;
    const struct wm_bypass_word *says;
    uint64_t hash; // WM_BYPASS_HASH alone
};

// WM_INVALID, with the selector that cannot be read and a hint.
enum wm_status wm_bypass_list_check(const char *list, struct wm_error *error);
// The same; and WM_INVALID when it has an eviction priority for a level of these that obeys none,
// where it would do nothing.
enum wm_status wm_bypass_list_check_for(const char *list, const struct wm_memory_spec *memory,
                                        struct wm_error *error);
// Whether that cache's replacement obeys eviction priorities: `priority`, or a plug-in's, which
// may.
bool wm_obeys_priorities(const struct wm_cache_spec *cache);
// Whether the list counts: the bypass entry is `per-pc` or a plug-in's.
bool wm_bypass_list_counts(const struct wm_memory_spec *memory);

// The first selector of a checked list or of the rest of one; returns the rest behind it, NULL when
// there was none.
const char *wm_bypass_list_next(const char *list, struct wm_bypass_selector *selector);

// Whether the selector means the kernel with this symbol; and in a kernel that it means, this
// instruction. A line that is not known is 0: lines are counted from 1.
bool wm_bypass_means_kernel(const struct wm_bypass_selector *selector, const char *symbol);
bool wm_bypass_means_place(const struct wm_bypass_selector *selector, uint32_t pc,
                           uint32_t ptx_line, uint32_t source_line);

// What a list has for one kernel. Borrows its texts.
struct wm_bypass_reader {
    const char *rest, *symbol;
    uint64_t ptx_hash;
    uint32_t number; // in the list, from 0, of the selector read last
    bool skips;      // the last hash of this kernel's is another
};

// `ptx_hash` of the kernel's module, read only where wm_bypass_names_ptx.
void wm_bypass_reader_init(struct wm_bypass_reader *reader, const char *list, const char *symbol,
                           uint64_t ptx_hash);
// The next selector of instructions that means this kernel; false after the last.
bool wm_bypass_reader_next(struct wm_bypass_reader *reader, struct wm_bypass_selector *selector);

// Whether a checked list has hashes for the kernel with this symbol.
bool wm_bypass_names_ptx(const char *list, const char *symbol);
// WM_INVALID when it has, and the kernel's module has another PTX than all of them; 0: it has none.
enum wm_status wm_bypass_check_ptx(const char *list, const char *symbol, uint64_t ptx_hash,
                                   struct wm_error *error);

// Reads a file of selectors to a list; `list` is empty before. WM_INVALID with place FILE:LINE and
// the line, or without a place when it is no file; WM_NOT_FOUND, WM_IO, WM_NO_MEMORY without a
// place.
enum wm_status wm_bypass_list_read(const char *path, struct wm_text *list, struct wm_error *error);
// The same of a text in memory, `length` bytes, that errors call `file`.
enum wm_status wm_bypass_list_read_text(const char *text, size_t length, const char *file,
                                        struct wm_text *list, struct wm_error *error);

#endif
