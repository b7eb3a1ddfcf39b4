// One struct copy as the loads and stores that it becomes.
#ifndef WM_CLI_CC_STRUCT_COPY_H
#define WM_CLI_CC_STRUCT_COPY_H

#include "base/text/text.h"
#include "cli/cc/ir_types.h"

#include <stdbool.h>
#include <stdint.h>

struct wm_struct_copy_side {
    struct wm_ir_slice operand; // an i8*
    uint32_t alignment;         // bytes
};

struct wm_struct_copy {
    struct wm_struct_copy_side to, from;
    uint64_t size;
    struct wm_ir_slice type, debug; // of what is copied; "!dbg !12", or empty
    struct wm_ir_layout layout;     // of type; as large as size
    uint32_t number;                // of the copy in its module, for the names
    bool is_assignment;             // of the language: bytes between members need not be copied
    bool is_of_one_member; // to a variable of which one member is used: the others need no access
    bool is_local;         // one side is a variable of the thread, which may come to be registers
};

// Appends the instructions. False, and nothing appended, when a copy of bytes is as good or has to
// stay: a union, bytes between members that count, too many members.
bool wm_struct_copy_write(const struct wm_struct_copy *copy, struct wm_text *output);

// The alignment that CUDA gives the vector type of this name ("%struct.float4"), 0 for any other.
uint32_t wm_struct_copy_vector_alignment(struct wm_ir_slice type);

#endif
