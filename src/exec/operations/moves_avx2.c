// The AVX2 build of the moves: the C code, which the compiler vectorises.
#include "exec/operations/moves_plain.inc"

const struct wm_move_table wm_moves_avx2 = MOVE_TABLE;
