// Struct copies in LLVM's text form, made into loads and stores of their members.
//
// clang copies a struct with a call of llvm.memcpy. Its optimizer forwards such a copy from place
// to place but splits one only where a member is used, and its PTX back end makes each rest of it
// accesses of 8 bytes at most: `o[i] = a[i]` on float4 becomes two 8-byte loads, and a changed
// member sends the others through local memory. nvcc gives one ld.global.v4. Before the optimizer
// runs, the calls are therefore replaced by what the members need: one vector access for members of
// one size that lie together as the alignment allows (PTX ISA, "Vectors": .v2 and .v4 up to 16
// bytes, naturally aligned), an access each otherwise.
#ifndef WM_CLI_CC_STRUCT_COPIES_H
#define WM_CLI_CC_STRUCT_COPIES_H

#include "base/error.h"
#include "base/text/text.h"

#include <stddef.h>

// Appends the module of `length` bytes to `output`, with its struct copies replaced. What is not
// understood (a later LLVM's opaque pointers, a type without layout, a copy of unknown length)
// stays as it is: right, only slower. WM_NO_MEMORY is the one failure.
enum wm_status wm_cc_lower_struct_copies(const char *module, size_t length, struct wm_text *output,
                                         struct wm_error *error);

#endif
