// The code of a kernel, collected from its traces: each instruction is added when it executes
// first, and all of them, in order of address, are the kernel's code. Private to source/accelsim/.
#ifndef WM_SOURCE_ACCELSIM_CODE_H
#define WM_SOURCE_ACCELSIM_CODE_H

#include "base/containers/arena.h"
#include "source/accelsim/reader.h"
#include "trace/recording_writer.h"

enum { WM_ACCELSIM_MOST_INSTRUCTIONS = 1 << 20 }; // of one kernel

struct wm_accelsim_entry {
    uint64_t pc;
    const char *words; // in the arena
    size_t words_length;
    struct wm_sass_opcode opcode;
    uint32_t source_line;
    bool is_memory; // it has had addresses
    uint32_t order; // of first execution
    uint32_t index; // in the code, once that is complete
};

struct wm_accelsim_code {
    char *name; // in the arena
    uint32_t registers, binary_version;
    struct wm_arena arena;
    struct wm_accelsim_entry *entries; // owned; in order of first execution, later of address
    uint32_t count, capacity;
    uint32_t *buckets; // owned; index + 1
    uint32_t bucket_count;
    uint32_t last; // entry found last: the next search likely finds the one after it
    // Once complete.
    uint32_t *slot_before; // owned
    uint32_t number, slots;
    bool written;
};

enum wm_status wm_accelsim_code_init(struct wm_accelsim_code *code,
                                     const struct wm_accelsim_header *header,
                                     struct wm_error *error);
void wm_accelsim_code_release(struct wm_accelsim_code *code);
// The entry of an instruction, or NULL when there is none.
struct wm_accelsim_entry *wm_accelsim_code_find(struct wm_accelsim_code *code,
                                                const struct wm_accelsim_instruction *instruction);
// The same, made when it is new. WM_NO_MEMORY, WM_INVALID beyond the most instructions.
enum wm_status wm_accelsim_code_add(struct wm_accelsim_code *code,
                                    const struct wm_accelsim_instruction *instruction,
                                    struct wm_accelsim_entry **entry, struct wm_error *error);
// All have been added: sorts them and numbers the memory instructions.
enum wm_status wm_accelsim_code_complete(struct wm_accelsim_code *code, struct wm_error *error);
// Writes it to the recording and sets its number.
enum wm_status wm_accelsim_code_write(struct wm_accelsim_code *code, const char *module,
                                      struct wm_recording_writer *writer, struct wm_error *error);

#endif
