// Types of LLVM's text form: how large one is, how it is aligned, and which scalars lie in it
// where. Read by the rules of the LLVM language reference ("Type System", "Structure Type") with
// the data layout of NVPTX, which aligns each scalar to its size.
#ifndef WM_CLI_CC_IR_TYPES_H
#define WM_CLI_CC_IR_TYPES_H

#include "base/containers/string_map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A part of the module's text, not NUL-terminated.
struct wm_ir_slice {
    const char *text;
    size_t length;
};

enum wm_ir_scalar_kind { WM_IR_INTEGER, WM_IR_FLOAT, WM_IR_POINTER, WM_IR_VECTOR };

struct wm_ir_scalar {
    uint32_t offset, size; // bytes
    enum wm_ir_scalar_kind kind;
    struct wm_ir_slice name; // its type as written
};

enum { WM_IR_SCALARS = 256 }; // a larger type is not laid out

struct wm_ir_layout {
    uint32_t size, alignment; // bytes; the alignment is the type's own, without attributes
    uint32_t count;
    bool has_union; // one of its parts is a union: the scalars are those of one member only
    struct wm_ir_scalar scalars[WM_IR_SCALARS]; // by offset
};

// The named types of a module: "%struct.float4" to what is written behind "= type".
struct wm_ir_types {
    struct wm_string_map names; // values are struct wm_ir_slice, borrowed
};

// The text of the type that begins at `text` and ends before `end`; of a pointer its full spelling,
// stars included. Length 0 when there is none.
struct wm_ir_slice wm_ir_type_at(const char *text, const char *end);

// Lays out `type`. False for a type that is unknown, opaque, no whole number of bytes or too large.
bool wm_ir_layout(const struct wm_ir_types *types, struct wm_ir_slice type,
                  struct wm_ir_layout *layout);

#endif
