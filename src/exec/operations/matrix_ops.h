// Instructions on matrices that a warp holds together (private to exec/): mma, wmma, ldmatrix,
// stmatrix and movmatrix (PTX ISA 9.7.14).
//
// Fragments. With g = lane / 4, t = lane % 4 and e elements a register (a b1 counts 32 at a time),
// register r of an M × K matrix A has row g + 8 × (r mod M/8) and columns
// (r div M/8) × 4e + t × e + 0 … e - 1; of a K × N matrix B the same with rows and columns
// exchanged; element i of C and D has row g + 8 × (i div 2 mod M/8) and column
// 8 × (i div 2 div M/8) + 2t + i mod 2. For mma these are the ISA's figures. wmma's layout is
// opaque; there it is the same, and where a fragment of f16 has more registers than elements, the
// rest repeat the first.
#ifndef WM_EXEC_MATRIX_OPS_H
#define WM_EXEC_MATRIX_OPS_H

#include "exec/interpreter.h"

enum { WM_MATRIX_REGISTERS = 8 };

struct wm_fragment {
    wm_ptx_type type;
    unsigned count; // registers that hold elements
    unsigned given; // with those that repeat them
    uint32_t places[WM_MATRIX_REGISTERS];
};

struct wm_matrix_form {
    // Of instructions that move: a piece of a row a lane. The first member, for op->memory.
    struct wm_memory_form memory;
    unsigned m, n, k;
    struct wm_fragment a, b, c, d;
    enum wm_ptx_modifier rounding; // f64
    bool satfinite;
    bool both;            // b1: and, not xor
    bool quads;           // mma.m8n8k4 of f16: four matrices, one for each two groups of lanes
    bool a_column, b_row; // quads: the layouts that are not the usual ones
    bool transposed;      // ldmatrix, stmatrix
    // wmma.load and wmma.store of `d`: rows of memory, which lie `stride` elements apart, are moved
    // in pieces of memory.bytes, lane after lane.
    bool tile;
    unsigned rows, row_bits, element_bits;
    uint32_t stride;
    unsigned blocks; // of 8 rows, or of B columns
    bool result;     // C or D
    bool swapped;    // a row of memory is a column of the matrix, or of B a row
    bool store;
};

// Elements a register holds; b1 as words of 32.
unsigned wm_matrix_elements(wm_ptx_type type);

// op->matrix (mma) or op->memory is the form's; op->flags is WM_WARP_MATRIX. All live lanes of the
// warp take part: a path that comes first waits for the others.
wm_op_handler wm_run_matrix;
// The same when all have come, with the warp's mask at all of them: false after a fault.
// `stop`: set when the warp should stop behind it.
bool wm_matrix_execute(struct wm_warp *warp, const struct wm_op *op, bool *stop);

// Its parts.
struct wm_matrix_position {
    unsigned row, column;
};
// Element `i` of register `r` of A; of B with rows and columns exchanged.
struct wm_matrix_position wm_matrix_source_position(unsigned lane, unsigned r, unsigned i,
                                                    unsigned elements, unsigned blocks);
// Element `i` of C or D.
struct wm_matrix_position wm_matrix_result_position(unsigned lane, unsigned i, unsigned blocks);
bool wm_matrix_move_tile(struct wm_warp *warp, const struct wm_op *op,
                         const struct wm_matrix_form *form, bool *stop);
bool wm_matrix_move_rows(struct wm_warp *warp, const struct wm_op *op,
                         const struct wm_matrix_form *form);
void wm_matrix_transpose(const struct wm_warp *warp, const struct wm_matrix_form *form);

#endif
