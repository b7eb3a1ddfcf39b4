// ldmatrix, stmatrix, movmatrix, wmma.load and wmma.store: see matrix_ops.h.
#include "exec/operations/matrix_ops.h"

#include "exec/memory/spaces.h"
#include "exec/operations/memory_ops.h"

enum { LANES = 32, MOST_PIECES = 64, PIECE_BYTES = 16 };

// --- ldmatrix, stmatrix, movmatrix ---

// Two 16-bit elements a lane of an 8 × 8 matrix in rows of 8.
static void fragment_place(unsigned lane, bool transposed, unsigned places[2])
{
    unsigned g = lane / 4, t = lane % 4 * 2;
    places[0] = transposed ? t * 8 + g : g * 8 + t;
    places[1] = transposed ? (t + 1) * 8 + g : g * 8 + t + 1;
}

static void matrix_to_lanes(const struct wm_warp *warp, const uint16_t *matrix, bool transposed,
                            uint32_t place)
{
    uint32_t *d = wm_at(warp, place);
    for (uint64_t rest = warp->mask & UINT32_MAX; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest), places[2];
        fragment_place(lane, transposed, places);
        d[lane] = matrix[places[0]] | (uint32_t)matrix[places[1]] << 16;
    }
}

static void lanes_to_matrix(const struct wm_warp *warp, uint32_t place, bool transposed,
                            uint16_t *matrix)
{
    const uint32_t *d = wm_at(warp, place);
    for (unsigned lane = 0; lane < LANES; lane++) {
        unsigned places[2];
        uint32_t bits = warp->mask >> lane & 1 ? d[lane] : 0;
        fragment_place(lane, transposed, places);
        matrix[places[0]] = (uint16_t)bits;
        matrix[places[1]] = (uint16_t)(bits >> 16);
    }
}

// Lane 8r + i names row i of matrix r.
bool wm_matrix_move_rows(struct wm_warp *warp, const struct wm_op *op,
                         const struct wm_matrix_form *form)
{
    const struct wm_fragment *fragment = &form->d;
    uint64_t lanes = ((UINT64_C(1) << (8 * fragment->count)) - 1) & warp->mask;
    char *host[WM_MAX_LANES];
    uint16_t matrices[4][64] = {0};
    wm_spaces_addresses(warp, &form->memory);
    if (form->memory.space == WM_PTX_none)
        wm_spaces_of_generic(warp); // an address outside of shared memory is found to be so
    if (!wm_spaces_resolve(warp, op, WM_PTX_shared, lanes, host))
        return false;
    for (unsigned r = 0; form->store && r < fragment->count; r++)
        lanes_to_matrix(warp, fragment->places[r], form->transposed, matrices[r]);
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest);
        uint16_t *row = &matrices[lane / 8][lane % 8 * 8];
        memcpy(form->store ? (void *)host[lane] : row, form->store ? (void *)row : host[lane], 16);
    }
    for (unsigned r = 0; !form->store && r < fragment->count; r++)
        matrix_to_lanes(warp, matrices[r], form->transposed, fragment->places[r]);
    wm_memory_report(warp, op, WM_PTX_shared, lanes);
    return true;
}

void wm_matrix_transpose(const struct wm_warp *warp, const struct wm_matrix_form *form)
{
    uint16_t matrix[64];
    lanes_to_matrix(warp, form->a.places[0], false, matrix);
    matrix_to_lanes(warp, matrix, true, form->d.places[0]);
}

// --- wmma.load, wmma.store ---

struct tile {
    uint64_t words[MOST_PIECES * PIECE_BYTES / 8]; // rows one behind another
};

static unsigned piece_count(const struct wm_matrix_form *form)
{
    return form->rows * form->row_bits / 8 / form->memory.bytes;
}

// Addresses of 32 pieces from `first` on; returns the lanes that have one.
static uint64_t address_pieces(struct wm_warp *warp, const struct wm_matrix_form *form,
                               unsigned first)
{
    const uint32_t *strides = wm_at(warp, form->stride);
    unsigned a_row = form->row_bits / 8 / form->memory.bytes, count = piece_count(form);
    uint64_t lanes = 0;
    wm_spaces_addresses(warp, &form->memory);
    for (unsigned lane = 0; lane < LANES && first + lane < count; lane++) {
        uint64_t row = (first + lane) / a_row, piece = (first + lane) % a_row;
        warp->addresses[lane] +=
            row * strides[lane] * form->element_bits / 8 + piece * form->memory.bytes;
        lanes |= UINT64_C(1) << lane;
    }
    return lanes & warp->mask;
}

static bool move_pieces(struct wm_warp *warp, const struct wm_op *op,
                        const struct wm_matrix_form *form, wm_ptx_space space, uint64_t lanes,
                        char *pieces, bool *stop)
{
    char *host[WM_MAX_LANES];
    size_t bytes = form->memory.bytes;
    if (!lanes)
        return true;
    if (!wm_spaces_resolve(warp, op, space, lanes, host))
        return false;
    for (uint64_t rest = lanes; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest);
        char *piece = pieces + lane * bytes;
        memcpy(form->store ? host[lane] : piece, form->store ? piece : host[lane], bytes);
    }
    *stop |= wm_memory_report(warp, op, space, lanes);
    return true;
}

static bool move_tile(struct wm_warp *warp, const struct wm_op *op,
                      const struct wm_matrix_form *form, struct tile *tile, bool *stop)
{
    for (unsigned first = 0; first < piece_count(form); first += LANES) {
        uint64_t lanes = address_pieces(warp, form, first);
        char *pieces = (char *)tile->words + (size_t)first * form->memory.bytes;
        wm_ptx_space space = form->memory.space;
        if (space != WM_PTX_none) {
            if (!move_pieces(warp, op, form, space, lanes, pieces, stop))
                return false;
            continue;
        }
        // Addresses of other spaces are found to be no global ones.
        struct wm_lanes_by_space spaces = wm_spaces_of_generic(warp);
        if (!move_pieces(warp, op, form, WM_PTX_shared, lanes & spaces.shared, pieces, stop) ||
            !move_pieces(warp, op, form, WM_PTX_global, lanes & ~spaces.shared, pieces, stop))
            return false;
    }
    return true;
}

// Element i of a lane's register r as the number of its first bit in the tile.
static unsigned place_in_tile(const struct wm_matrix_form *form, unsigned lane, unsigned r,
                              unsigned i)
{
    unsigned elements = wm_matrix_elements(form->d.type);
    struct wm_matrix_position at =
        form->result ? wm_matrix_result_position(lane, r * elements + i, form->blocks)
                     : wm_matrix_source_position(lane, r, i, elements, form->blocks);
    if (form->d.type == WM_PTX_b1)
        at.column *= 32; // a register is one element of 32 bits
    return form->swapped ? at.column * form->row_bits + at.row * form->element_bits
                         : at.row * form->row_bits + at.column * form->element_bits;
}

static unsigned bits_at_once(const struct wm_matrix_form *form)
{
    return form->d.type == WM_PTX_b1 ? 32 : form->element_bits;
}

static uint64_t read_register(const struct wm_matrix_form *form, const struct tile *tile,
                              unsigned lane, unsigned r)
{
    unsigned bits = bits_at_once(form);
    uint64_t value = 0;
    for (unsigned i = 0; i < wm_matrix_elements(form->d.type); i++) {
        unsigned at = place_in_tile(form, lane, r, i);
        uint64_t element = tile->words[at / 64] >> at % 64 & UINT64_MAX >> (64 - bits);
        value |= element << i * bits;
    }
    return value;
}

static void write_register(const struct wm_matrix_form *form, struct tile *tile, unsigned lane,
                           unsigned r, uint64_t value)
{
    unsigned bits = bits_at_once(form);
    for (unsigned i = 0; i < wm_matrix_elements(form->d.type); i++) {
        unsigned at = place_in_tile(form, lane, r, i);
        uint64_t element = value >> i * bits & UINT64_MAX >> (64 - bits);
        tile->words[at / 64] |= element << at % 64;
    }
}

static void exchange_registers(const struct wm_warp *warp, const struct wm_matrix_form *form,
                               struct tile *tile)
{
    const struct wm_fragment *fragment = &form->d;
    bool wide = fragment->type == WM_PTX_f64;
    for (unsigned r = 0; r < (form->store ? fragment->count : fragment->given); r++) {
        void *place = wm_at(warp, fragment->places[r]);
        for (uint64_t rest = warp->mask & UINT32_MAX; rest; rest &= rest - 1) {
            unsigned lane = (unsigned)__builtin_ctzll(rest);
            if (form->store)
                write_register(form, tile, lane, r,
                               wide ? ((uint64_t *)place)[lane] : ((uint32_t *)place)[lane]);
            else if (wide)
                ((uint64_t *)place)[lane] = read_register(form, tile, lane, r);
            else
                ((uint32_t *)place)[lane] =
                    (uint32_t)read_register(form, tile, lane, r % fragment->count);
        }
    }
}

bool wm_matrix_move_tile(struct wm_warp *warp, const struct wm_op *op,
                         const struct wm_matrix_form *form, bool *stop)
{
    struct tile tile = {{0}};
    if (form->store)
        exchange_registers(warp, form, &tile);
    if (!move_tile(warp, op, form, &tile, stop))
        return false;
    if (!form->store)
        exchange_registers(warp, form, &tile);
    return true;
}
