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

// The elements of the other moves, vectors and what is narrower than its registers: in memory, and
// in registers of 32 or (WIDE) 64 bits, of which a load to one of 16 bits (HALF) fills 16.
enum wm_move_element {
    WM_MOVE_U8,
    WM_MOVE_S8,
    WM_MOVE_S8_HALF,
    WM_MOVE_U16,
    WM_MOVE_S16,
    WM_MOVE_B32,
    WM_MOVE_U32_WIDE,
    WM_MOVE_S32_WIDE,
    WM_MOVE_B64,
    WM_MOVE_ELEMENTS,
};

// Index: is a store, the element, has 64-bit addresses, 1, 2 or 4 elements. Of more than one, the
// `data` of a move are pointers to the registers. NULL: there is none.
struct wm_row_move_table {
    wm_move_function *moves[2][WM_MOVE_ELEMENTS][2][3];
};

extern const struct wm_row_move_table wm_row_moves_c, wm_row_moves_avx2, wm_row_moves_avx512;
// Of local memory, of warps of 32 lanes that name one place. The range is a thread's, its `host`
// the warp's, with a row of words of all lanes for each word of a thread.
extern const struct wm_row_move_table wm_local_moves_c, wm_local_moves_avx2, wm_local_moves_avx512;

wm_move_function *wm_row_move_find(enum wm_lane_isa isa, bool store, bool wide_address,
                                   enum wm_move_element element, unsigned count);
wm_move_function *wm_local_move_find(enum wm_lane_isa isa, bool store, bool wide_address,
                                     enum wm_move_element element, unsigned count);

extern const struct wm_move_table wm_moves_c, wm_moves_avx2, wm_moves_avx512;

wm_move_function *wm_move_find(enum wm_lane_isa isa, bool store, bool wide_address, bool wide);

#endif
