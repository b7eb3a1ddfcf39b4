// The AVX2 build of the moves: the C code, which the compiler vectorises.
#include "exec/operations/moves_plain.inc"
#include "exec/operations/moves_rows.inc"

const struct wm_move_table wm_moves_avx2 = MOVE_TABLE;
const struct wm_row_move_table wm_row_moves_avx2 = ROW_MOVE_TABLE;
const struct wm_row_move_table wm_local_moves_avx2 = LOCAL_MOVE_TABLE;
