// Internal to src/ptx: the parts of the printer. Private to ptx/print/.
#ifndef WM_PTX_PRINT_PRINTER_H
#define WM_PTX_PRINT_PRINTER_H

#include "ptx/ptx.h"

// ".global .align 4 .b8 name[8] = {…}", without linkage and semicolon.
void wm_ptx_print_variable(const struct wm_ptx_symbol *symbol, struct wm_text *text);
// What stands behind the "=".
void wm_ptx_print_initializer(const struct wm_ptx_symbol *symbol, struct wm_text *text);

#endif
