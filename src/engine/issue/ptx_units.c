// Which unit a PTX instruction goes to, and how often. Classes are those of the throughput table of
// the CUDA C++ Programming Guide ("Arithmetic Instructions"): what runs there as fast as the
// special functions goes to their unit (conversions between floating point and integers, population
// counts; Nsight Compute's documentation calls that unit XU, for transcendentals and conversions),
// and conversions from and to 64-bit types as fast as arithmetic of 64 bits.
//
// PTX has instructions that the hardware does not: `passes` is how many of the unit's such an
// instruction stands for.
//   - Integers of 64 bits are pairs of registers: an addition is IADD3 and IADD3.X, a product four
//     partial ones.
//   - Division of integers: up to 20 instructions (Programming Guide, "Integer Arithmetic"); of 64
//     bits an estimate, four times as many.
//   - Division, reciprocal and root of floating point, rounded as IEEE 754 has it: GPGPU-Sim's
//     tested configuration SM7_QV100 gives a division 39 cycles to an addition's 4, of 64 bits 330
//     to 8: 10 and 41. Approximate ones are one special function.
#include "engine/issue/instruction_text.h"

#include <string.h>

enum { WIDE_PASSES = 2, WIDE_PRODUCT_PASSES = 4 };
enum { INTEGER_DIVISION_PASSES = 20, WIDE_DIVISION_PASSES = 80 };
enum { SINGLE_DIVISION_PASSES = 10, DOUBLE_DIVISION_PASSES = 41 };

// The words of the opcode table's column "unit" (ptx/opcodes.def), which must have one: RULE_ alone
// is none.
enum rule {
    RULE_BY_TYPE,  // integer, single or double
    RULE_PRODUCT,  // by type; of 64-bit integers several
    RULE_INTEGER,  // of whatever type; twice for 64 bits
    RULE_ONE_PASS, // integer, of whatever type
    RULE_SPECIAL,  // special function; twice for 64-bit integers
    RULE_DIVISION, // div, rem, rcp, sqrt, rsqrt
    RULE_CONVERSION,
    RULE_TENSOR,
    RULE_MATRIX, // wmma: by its operation
    RULE_MEMORY,
    RULE_BARRIER,
    RULE_CONTROL,
    RULE_MEMBAR,
};

struct row {
    const char *name; // the first word
    size_t length;
    enum wm_ptx_opcode opcode; // WM_PTX_OP_unknown of those kept as text
    enum rule rule;
};

static const struct row rows[] = {
#define WM_PTX_OPCODE(name, section, family, operands, traits, unit, sass) \
    {#name, sizeof #name - 1, WM_PTX_OP_##name, RULE_##unit},
#define WM_PTX_OPCODE_AS_TEXT(name, section, unit) \
    {#name, sizeof #name - 1, WM_PTX_OP_unknown, RULE_##unit},
#include "ptx/opcodes.def"
};

static const struct row *find(const char *opcode, size_t length)
{
    const char *dot = memchr(opcode, '.', length);
    size_t first = dot != NULL ? (size_t)(dot - opcode) : length;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].length == first && memcmp(rows[i].name, opcode, first) == 0)
            return &rows[i];
    return NULL;
}

enum wm_ptx_opcode wm_issue_ptx_opcode(const char *opcode, size_t length)
{
    const struct row *row = find(opcode, length);
    return row != NULL ? row->opcode : WM_PTX_OP_unknown;
}

struct types {
    bool f64, single, b64; // single: of 32 bits and less
};

static struct types types_of(const char *opcode, size_t length)
{
    static const char *const singles[] = {"f32", "f16", "f16x2", "bf16", "bf16x2", "tf32", "f32x2"};
    struct types types = {.f64 = wm_opcode_has_word(opcode, length, "f64")};
    for (size_t i = 0; i < sizeof singles / sizeof singles[0]; i++)
        types.single |= wm_opcode_has_word(opcode, length, singles[i]);
    types.b64 = wm_opcode_has_word(opcode, length, "s64") ||
                wm_opcode_has_word(opcode, length, "u64") ||
                wm_opcode_has_word(opcode, length, "b64");
    return types;
}

static enum wm_unit unit_by_type(struct types types)
{
    if (types.f64)
        return WM_UNIT_DOUBLE;
    return types.single ? WM_UNIT_SINGLE : WM_UNIT_INTEGER;
}

static void divide(const char *opcode, size_t length, struct types types,
                   struct wm_issue_facts *facts)
{
    bool approximate =
        wm_opcode_has_word(opcode, length, "approx") || wm_opcode_has_word(opcode, length, "full");
    // rcp.approx.ftz.f64 is of the upper half alone; rsqrt.approx.f64 without ftz is emulated.
    if (types.f64)
        approximate = approximate && wm_opcode_has_word(opcode, length, "ftz");
    facts->unit = unit_by_type(types);
    facts->kind = approximate ? WM_ISSUE_OF_ONE_UNIT : WM_ISSUE_DIVISION;
    if (approximate)
        facts->unit = WM_UNIT_SPECIAL;
    else if (types.f64)
        facts->passes = DOUBLE_DIVISION_PASSES;
    else if (types.single)
        facts->passes = SINGLE_DIVISION_PASSES;
    else
        facts->passes = types.b64 ? WIDE_DIVISION_PASSES : INTEGER_DIVISION_PASSES;
}

static enum wm_unit conversion(struct types types)
{
    if (types.f64 || (types.single && types.b64))
        return WM_UNIT_DOUBLE;
    return types.single ? WM_UNIT_SPECIAL : WM_UNIT_INTEGER;
}

static void synchronize(const char *opcode, size_t length, struct wm_issue_facts *facts)
{
    facts->unit = WM_UNIT_CONTROL;
    facts->is_barrier = !wm_opcode_has_word(opcode, length, "arrive") &&
                        !wm_opcode_has_word(opcode, length, "warp") &&
                        !wm_opcode_has_word(opcode, length, "cluster");
}

static bool has_one_of(const char *opcode, size_t length, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (wm_opcode_has_word(opcode, length, words[i]))
            return true;
    return false;
}
#define HAS_ONE_OF(opcode, length, words) \
    has_one_of(opcode, length, words, sizeof(words) / sizeof *(words))

static const char *const of_shared[] = {"shared", "shared::cta", "shared::cluster"};
static const char *const of_others[] = {"global", "local", "const", "param"};

// Up to its first dot.
static size_t name_length(const char *opcode, size_t length)
{
    const char *dot = memchr(opcode, '.', length);
    return dot != NULL ? (size_t)(dot - opcode) : length;
}

// Loads of global and local memory, and those that do not say of which.
static bool loads_through_l1(const char *opcode, size_t length)
{
    size_t first = name_length(opcode, length);
    return (wm_opcode_is(opcode, first, "ld") || wm_opcode_is(opcode, first, "ldu")) &&
           !HAS_ONE_OF(opcode, length, of_shared) && !wm_opcode_has_word(opcode, length, "const");
}

static enum wm_issue_shared shared_access(const char *opcode, size_t length)
{
    if (HAS_ONE_OF(opcode, length, of_shared))
        return wm_opcode_is(opcode, name_length(opcode, length), "st") ? WM_SHARED_STORE
                                                                       : WM_SHARED_OTHER;
    return HAS_ONE_OF(opcode, length, of_others) ? WM_SHARED_NOTHING : WM_SHARED_OTHER;
}

static void apply(enum rule rule, const char *opcode, size_t length, struct wm_issue_facts *facts)
{
    struct types types = types_of(opcode, length);
    switch (rule) {
    case RULE_BY_TYPE: facts->unit = unit_by_type(types); break;
    case RULE_PRODUCT:
        facts->unit = unit_by_type(types);
        if (facts->unit == WM_UNIT_INTEGER)
            facts->kind = WM_ISSUE_PRODUCT;
        if (facts->unit == WM_UNIT_INTEGER && types.b64)
            facts->passes = WIDE_PRODUCT_PASSES;
        return;
    case RULE_INTEGER: facts->unit = WM_UNIT_INTEGER; break;
    case RULE_ONE_PASS: facts->unit = WM_UNIT_INTEGER; return;
    case RULE_SPECIAL: facts->unit = WM_UNIT_SPECIAL; break;
    case RULE_DIVISION: divide(opcode, length, types, facts); return;
    case RULE_CONVERSION: facts->unit = conversion(types); return;
    case RULE_TENSOR: facts->unit = WM_UNIT_TENSOR; return;
    case RULE_MATRIX:
        facts->unit = wm_opcode_has_word(opcode, length, "mma") ? WM_UNIT_TENSOR : WM_UNIT_MEMORY;
        return;
    case RULE_MEMORY:
        // Parameters of kernels are operands, those of functions registers.
        facts->unit =
            wm_opcode_has_word(opcode, length, "param") ? WM_UNIT_INTEGER : WM_UNIT_MEMORY;
        if (facts->unit == WM_UNIT_MEMORY) {
            facts->is_load = loads_through_l1(opcode, length);
            facts->shared = (uint8_t)shared_access(opcode, length);
        }
        return;
    case RULE_BARRIER: synchronize(opcode, length, facts); return;
    case RULE_CONTROL: facts->unit = WM_UNIT_CONTROL; return;
    case RULE_MEMBAR:
        facts->unit = WM_UNIT_MEMORY;
        facts->is_membar = true;
        return;
    }
    bool pairs = types.b64 && !types.f64 && !types.single;
    facts->passes = pairs ? WIDE_PASSES : 1;
}

void wm_issue_ptx_unit(const char *opcode, size_t length, struct wm_issue_facts *facts)
{
    facts->unit = WM_UNIT_INTEGER;
    facts->passes = 1;
    const struct row *row = find(opcode, length);
    if (row != NULL)
        apply(row->rule, opcode, length, facts);
}
