// The parts of the issue table: reading one instruction's text. Private to engine/.
#ifndef WM_ENGINE_ISSUE_INSTRUCTION_TEXT_H
#define WM_ENGINE_ISSUE_INSTRUCTION_TEXT_H

#include "base/names/opcode_word.h"
#include "ptx/ptx.h"
#include "sm/issue/issue.h"

#include <stddef.h>

// Receives the registers of a text: destinations, then sources, in its order; one that stands there
// twice comes twice.
struct wm_issue_listener {
    // `bare`: a name without "%" in PTX, which is a register's only if some instruction of the
    // kernel writes it; others are variables, labels and functions.
    void (*take)(void *context, const char *name, size_t length, bool destination, bool bare);
    void *context;
};

// Of one PTX instruction without guard: "ld.global.f32 %f1, [%rd4]". All but the registers goes to
// `facts`.
void wm_issue_read_ptx(const char *text, const struct wm_issue_listener *listener,
                       struct wm_issue_facts *facts);
// Which opcode its first word names; WM_PTX_OP_unknown when none.
enum wm_ptx_opcode wm_issue_ptx_opcode(const char *opcode, size_t length);
// unit, passes, is_barrier and is_membar of an opcode with its modifiers, "add.cc.u32".
void wm_issue_ptx_unit(const char *opcode, size_t length, struct wm_issue_facts *facts);

// Of one SASS instruction as an import writes it: "LDG.E.64.SYS R4, [R2]".
void wm_issue_read_sass(const char *text, const struct wm_issue_listener *listener,
                        struct wm_issue_facts *facts);

#endif
