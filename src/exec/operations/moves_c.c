// The C build of the moves, and the choice among the builds.
#include "exec/operations/moves_plain.inc"

const struct wm_move_table wm_moves_c = MOVE_TABLE;

wm_move_function *wm_move_find(enum wm_lane_isa isa, bool store, bool wide_address, bool wide)
{
    const struct wm_move_table *table = isa == WM_LANE_AVX512 ? &wm_moves_avx512
                                        : isa == WM_LANE_AVX2 ? &wm_moves_avx2
                                                              : &wm_moves_c;
    return table->moves[store][wide_address][wide];
}
