// Set indices as their papers describe them, bit by bit. What the entries of src/mem/set_index are
// held to, so it calls none of them.
#ifndef WM_TESTS_OBVIOUS_SET_INDEX_H
#define WM_TESTS_OBVIOUS_SET_INDEX_H

#include <stdint.h>

// The set, of `sets`, of a line of `line_bytes` under the entry of that name.
uint32_t obvious_set_index(const char *name, uint64_t line, uint32_t line_bytes, uint32_t sets);

// Polynomials over GF(2), as bits: the rest of a long division, one bit at a time; the primitive
// one of least value, with its highest term. `degree` is at most 16.
uint64_t obvious_long_division(uint64_t value, uint64_t polynomial, unsigned degree);
uint64_t obvious_primitive_polynomial(unsigned degree);

#endif
