#include "ptx/ptx.h"

const char *wm_ptx_opcode_text(enum wm_ptx_opcode opcode)
{
    static const char *const texts[] = {
        "unknown",
#define WM_PTX_OPCODE(name) #name,
#include "ptx/opcodes.def"
#undef WM_PTX_OPCODE
    };
    return texts[opcode];
}
