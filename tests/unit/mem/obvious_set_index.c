#include "obvious_set_index.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t obvious_long_division(uint64_t value, uint64_t polynomial, unsigned degree)
{
    for (unsigned bit = 64; bit-- > degree;)
        if (value >> bit & 1)
            value ^= polynomial << (bit - degree);
    return value;
}

// The powers of x, counted until they come back to 1: all 2^n - 1 residues for a primitive one.
static uint64_t order_of_x(uint64_t polynomial, unsigned degree)
{
    uint64_t power = degree == 1 ? 1 : 2, order = 1;
    for (; power != 1 && order < UINT64_C(1) << degree; order++)
        power = obvious_long_division(power << 1, polynomial, degree);
    return order;
}

uint64_t obvious_primitive_polynomial(unsigned degree)
{
    static uint64_t found[17];
    uint64_t residues = (UINT64_C(1) << degree) - 1;
    for (uint64_t tried = (UINT64_C(1) << degree) + 1; found[degree] == 0; tried += 2)
        if (order_of_x(tried, degree) == residues)
            found[degree] = tried;
    return found[degree];
}

// `bits` from bit 0 on, each with that of its number in `others` over it.
static uint32_t folded(uint64_t low, unsigned bits, uint64_t high, const unsigned *others)
{
    uint32_t set = 0;
    for (unsigned bit = 0; bit < bits; bit++)
        set |= (uint32_t)((low >> bit ^ high >> others[bit]) & 1) << bit;
    return set;
}

// Nugteren and others, HPCA 2014, section 4.3: bits of the address.
static uint32_t fermi_hash(uint64_t line, uint32_t line_bytes, uint32_t sets)
{
    static const unsigned others[] = {13, 14, 15, 17, 19};
    uint64_t address = line * line_bytes;
    uint32_t set = folded(line, 5, address, others);
    return sets == 64 ? set + (uint32_t)(address / 4096 % 2) * 32 : set;
}

static uint32_t next_field(uint64_t line, unsigned bits)
{
    unsigned others[32];
    for (unsigned bit = 0; bit < bits; bit++)
        others[bit] = bits + bit;
    return folded(line, bits, line, others);
}

// Of a number of sets that is no power of two, the power of two in it is hashed, the odd rest is
// the quotient's.
uint32_t obvious_set_index(const char *name, uint64_t line, uint32_t line_bytes, uint32_t sets)
{
    uint32_t power = 1, hash = 0;
    unsigned bits = 0;
    while (sets % (2 * power) == 0) {
        power *= 2;
        bits++;
    }
    if (strcmp(name, "modulo") == 0)
        return (uint32_t)(line % sets);
    if (strcmp(name, "fermi-hash") == 0)
        return fermi_hash(line, line_bytes, sets);
    if (strcmp(name, "xor") == 0)
        hash = next_field(line, bits);
    else if (strcmp(name, "ipoly") == 0 && bits > 0)
        hash = (uint32_t)obvious_long_division(line, obvious_primitive_polynomial(bits), bits);
    else if (strcmp(name, "ipoly") != 0) {
        fprintf(stderr, "obvious_set_index.c has no model of '%s': write one\n", name);
        abort();
    }
    return (uint32_t)(line / power % (sets / power)) * power + hash;
}
