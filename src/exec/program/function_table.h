// Addresses of a program's functions, and which of them are taken (private to exec/): what an
// indirect call may reach.
#ifndef WM_EXEC_FUNCTION_TABLE_H
#define WM_EXEC_FUNCTION_TABLE_H

#include "exec/program/symbol_addresses.h"

// Code has addresses of its own, apart from all memory: number i of program n is at
// WM_CODE_WINDOW + n × WM_CODE_PROGRAM_BYTES + (i + 1) × WM_CODE_STRIDE.
#define WM_CODE_WINDOW UINT64_C(0x130000000000)
#define WM_CODE_PROGRAM_BYTES (UINT64_C(1) << 28)
enum { WM_CODE_STRIDE = 16 };

struct wm_function_table {
    const struct wm_ptx_function **functions; // owned: definitions with a body, kernels too
    uint32_t count, capacity;
    uint64_t base;
    // Where addresses may be taken, and those of all functions' symbols: the program's.
    struct wm_ptx_module *const *modules;
    uint32_t module_count;
    const struct wm_symbol_addresses *addresses;
    bool *taken; // owned; by number: the address stands in code or in an initial value. NULL: not
                 // looked for yet
};

void wm_function_table_release(struct wm_function_table *table);
// False when out of memory. The address is the function's from then on.
bool wm_function_table_add(struct wm_function_table *table, const struct wm_ptx_function *function,
                           uint64_t *address);
uint64_t wm_function_table_address(const struct wm_function_table *table, uint32_t number);
// The function at an address, or NULL.
const struct wm_ptx_function *wm_function_at(const struct wm_function_table *table,
                                             uint64_t address);
// Finds the addresses taken, the first time it is called. False when out of memory.
bool wm_function_table_look(struct wm_function_table *table);

#endif
