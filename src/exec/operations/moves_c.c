// The C build of the moves, and the choice among the builds.
#include "exec/operations/moves_plain.inc"
#include "exec/operations/moves_rows.inc"

const struct wm_move_table wm_moves_c = MOVE_TABLE;
const struct wm_row_move_table wm_row_moves_c = ROW_MOVE_TABLE;
const struct wm_row_move_table wm_local_moves_c = LOCAL_MOVE_TABLE;

wm_move_function *wm_move_find(enum wm_lane_isa isa, bool store, bool wide_address, bool wide)
{
    const struct wm_move_table *table = isa == WM_HOST_AVX512 ? &wm_moves_avx512
                                        : isa == WM_HOST_AVX2 ? &wm_moves_avx2
                                                              : &wm_moves_c;
    return table->moves[store][wide_address][wide];
}

static wm_move_function *row_move_in(const struct wm_row_move_table *table, bool store,
                                     bool wide_address, enum wm_move_element element,
                                     unsigned count)
{
    if (count != 1 && count != 2 && count != 4)
        return NULL;
    return table->moves[store][element][wide_address][count / 2];
}

wm_move_function *wm_row_move_find(enum wm_lane_isa isa, bool store, bool wide_address,
                                   enum wm_move_element element, unsigned count)
{
    return row_move_in(isa == WM_HOST_AVX512 ? &wm_row_moves_avx512
                       : isa == WM_HOST_AVX2 ? &wm_row_moves_avx2
                                             : &wm_row_moves_c,
                       store, wide_address, element, count);
}

wm_move_function *wm_local_move_find(enum wm_lane_isa isa, bool store, bool wide_address,
                                     enum wm_move_element element, unsigned count)
{
    return row_move_in(isa == WM_HOST_AVX512 ? &wm_local_moves_avx512
                       : isa == WM_HOST_AVX2 ? &wm_local_moves_avx2
                                             : &wm_local_moves_c,
                       store, wide_address, element, count);
}
