// Moves between the lanes of a register and memory (private to exec/): the common case of a load
// or store, in which every lane's address lies in one range and is aligned. Three builds of one
// table, as for the lane kernels; the C build is the oracle.
#ifndef WM_EXEC_MOVES_H
#define WM_EXEC_MOVES_H

#include "exec/interpreter.h"

// Index: is a store, has 64-bit addresses, moves 8-byte elements (else 4-byte ones). Registers and
// memory have the same element size. Lanes store in ascending order: the last one wins.
struct wm_move_table {
    wm_move_function *moves[2][2][2];
};

extern const struct wm_move_table wm_moves_c, wm_moves_avx2, wm_moves_avx512;

wm_move_function *wm_move_find(enum wm_lane_isa isa, bool store, bool wide_address, bool wide);

#endif
