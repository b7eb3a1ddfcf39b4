// Which machines CUDA programs run on at all, by the width of their warps.
#ifndef WM_EXEC_WARP_WIDTH_H
#define WM_EXEC_WARP_WIDTH_H

#include "base/error.h"

// Whether programs run in warps of so many lanes (gpu.sm.warp_width): WM_UNSUPPORTED, with a hint.
// To be called before a program is started; loading one checks it too.
enum wm_status wm_program_check_width(unsigned warp_width, struct wm_error *error);

#endif
