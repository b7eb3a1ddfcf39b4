// The registers and the unit of a SASS instruction as an import of an Accel-Sim trace writes it
// (docs/formats/accelsim.md): without predicates, immediates and constants, "_" where the trace has
// no destination, and of several registers the first.
//
// What is not in the vendor's documents: how many registers an operand has. Here the opcode
// decides. Data of memory instructions by their width, addresses by .E (64 bits); operands of
// 64-bit floating point and of .64 are pairs, as is the result of IMAD.WIDE, and its third source;
// fragments of matrices as mma of the same shape has them (PTX ISA 9.7.14, "Matrix Fragments");
// HMMA.884 as in Raihan, Goli and Aamodt, "Modeling deep learning accelerator enabled GPUs", ISPASS
// 2019.
#include "engine/issue/instruction_text.h"

#include "source/sass/opcode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// --- Units ---

struct row {
    const char *name; // the first word
    enum wm_unit unit;
};

// Others are integers', but those that source/sass/opcode.h lists as memory's. Units of Volta
// (Accel-Sim, ISA_Def/volta_opcode.h), in the classes of the vendor's throughput table.
static const struct row rows[] = {
    {"FADD", WM_UNIT_SINGLE},      {"FADD32I", WM_UNIT_SINGLE},    {"FCHK", WM_UNIT_SINGLE},
    {"FFMA", WM_UNIT_SINGLE},      {"FFMA32I", WM_UNIT_SINGLE},    {"FMNMX", WM_UNIT_SINGLE},
    {"FMUL", WM_UNIT_SINGLE},      {"FMUL32I", WM_UNIT_SINGLE},    {"FSEL", WM_UNIT_SINGLE},
    {"FSET", WM_UNIT_SINGLE},      {"FSETP", WM_UNIT_SINGLE},      {"FSWZADD", WM_UNIT_SINGLE},
    {"HADD2", WM_UNIT_SINGLE},     {"HADD2_32I", WM_UNIT_SINGLE},  {"HFMA2", WM_UNIT_SINGLE},
    {"HFMA2_32I", WM_UNIT_SINGLE}, {"HMNMX2", WM_UNIT_SINGLE},     {"HMUL2", WM_UNIT_SINGLE},
    {"HMUL2_32I", WM_UNIT_SINGLE}, {"HSET2", WM_UNIT_SINGLE},      {"HSETP2", WM_UNIT_SINGLE},
    {"DADD", WM_UNIT_DOUBLE},      {"DFMA", WM_UNIT_DOUBLE},       {"DMNMX", WM_UNIT_DOUBLE},
    {"DMUL", WM_UNIT_DOUBLE},      {"DSET", WM_UNIT_DOUBLE},       {"DSETP", WM_UNIT_DOUBLE},
    {"MUFU", WM_UNIT_SPECIAL},     {"F2F", WM_UNIT_SPECIAL},       {"F2I", WM_UNIT_SPECIAL},
    {"I2F", WM_UNIT_SPECIAL},      {"FRND", WM_UNIT_SPECIAL},      {"BREV", WM_UNIT_SPECIAL},
    {"FLO", WM_UNIT_SPECIAL},      {"POPC", WM_UNIT_SPECIAL},      {"MATCH", WM_UNIT_SPECIAL},
    {"REDUX", WM_UNIT_SPECIAL},    {"SHFL", WM_UNIT_SPECIAL},      {"CCTL", WM_UNIT_MEMORY},
    {"CCTLL", WM_UNIT_MEMORY},     {"MEMBAR", WM_UNIT_MEMORY},     {"BAR", WM_UNIT_CONTROL},
    {"BMOV", WM_UNIT_CONTROL},     {"BPT", WM_UNIT_CONTROL},       {"BRA", WM_UNIT_CONTROL},
    {"BREAK", WM_UNIT_CONTROL},    {"BRX", WM_UNIT_CONTROL},       {"BRXU", WM_UNIT_CONTROL},
    {"BSSY", WM_UNIT_CONTROL},     {"BSYNC", WM_UNIT_CONTROL},     {"CALL", WM_UNIT_CONTROL},
    {"DEPBAR", WM_UNIT_CONTROL},   {"ERRBAR", WM_UNIT_CONTROL},    {"EXIT", WM_UNIT_CONTROL},
    {"JMP", WM_UNIT_CONTROL},      {"JMX", WM_UNIT_CONTROL},       {"JMXU", WM_UNIT_CONTROL},
    {"KILL", WM_UNIT_CONTROL},     {"LDGDEPBAR", WM_UNIT_CONTROL}, {"NANOSLEEP", WM_UNIT_CONTROL},
    {"PMTRIG", WM_UNIT_CONTROL},   {"RET", WM_UNIT_CONTROL},       {"RTT", WM_UNIT_CONTROL},
    {"SSY", WM_UNIT_CONTROL},      {"SYNC", WM_UNIT_CONTROL},      {"WARPSYNC", WM_UNIT_CONTROL},
    {"YIELD", WM_UNIT_CONTROL},
};

// "HMMA", "IMMA", "DMMA", "HGMMA".
static bool multiplies_matrices(const char *opcode, size_t first)
{
    return first >= 4 && memcmp(opcode + first - 3, "MMA", 3) == 0;
}

static bool converts(const char *opcode, size_t first)
{
    return wm_opcode_is(opcode, first, "F2F") || wm_opcode_is(opcode, first, "F2I") ||
           wm_opcode_is(opcode, first, "I2F");
}

static bool has_wide_type(const char *opcode, size_t length)
{
    return wm_opcode_has_word(opcode, length, "F64") || wm_opcode_has_word(opcode, length, "S64") ||
           wm_opcode_has_word(opcode, length, "U64");
}

static void find_unit(const char *opcode, size_t length, size_t first,
                      const struct wm_sass_opcode *known, struct wm_issue_facts *facts)
{
    facts->unit = WM_UNIT_INTEGER;
    facts->passes = 1;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (wm_opcode_is(opcode, first, rows[i].name))
            facts->unit = rows[i].unit;
    if (known->class == WM_SASS_MEMORY || known->class == WM_SASS_UNTOLD)
        facts->unit = WM_UNIT_MEMORY;
    if (multiplies_matrices(opcode, first))
        facts->unit = WM_UNIT_TENSOR;
    if (converts(opcode, first) && has_wide_type(opcode, length))
        facts->unit = WM_UNIT_DOUBLE;
    facts->is_load = wm_opcode_is(opcode, first, "LD") || wm_opcode_is(opcode, first, "LDG") ||
                     wm_opcode_is(opcode, first, "LDL");
    facts->is_barrier = known->class == WM_SASS_BARRIER;
    facts->is_membar = wm_opcode_is(opcode, first, "MEMBAR");
}

// --- Registers of an operand ---

// How many 32-bit registers each operand has: what is written, then the sources.
struct widths {
    uint32_t written, sources[4];
};

static const struct {
    const char *name, *shape;
    struct widths widths; // of single precision, or 32-bit integers, as the sum
} fragments[] = {
    {"HMMA", "884", {2, {2, 2, 2}}},    {"HMMA", "1684", {4, {2, 1, 4}}},
    {"HMMA", "1688", {4, {2, 1, 4}}},   {"HMMA", "16816", {4, {4, 2, 4}}},
    {"IMMA", "8816", {2, {1, 1, 2}}},   {"IMMA", "8832", {2, {1, 1, 2}}},
    {"IMMA", "16816", {4, {2, 1, 4}}},  {"IMMA", "16832", {4, {4, 2, 4}}},
    {"IMMA", "16864", {4, {4, 2, 4}}},  {"DMMA", "884", {4, {2, 2, 4}}},
    {"BMMA", "88128", {2, {1, 1, 2}}},  {"BMMA", "168128", {4, {2, 1, 4}}},
    {"BMMA", "168256", {4, {4, 2, 4}}},
};

static struct widths of_matrices(const char *opcode, size_t length, size_t first)
{
    for (size_t i = 0; i < sizeof fragments / sizeof fragments[0]; i++) {
        if (!wm_opcode_is(opcode, first, fragments[i].name) ||
            !wm_opcode_has_word(opcode, length, fragments[i].shape))
            continue;
        struct widths widths = fragments[i].widths;
        if (wm_opcode_has_word(opcode, length, "TF32") && fragments[i].widths.sources[0] == 2 &&
            wm_opcode_is(fragments[i].shape, strlen(fragments[i].shape), "1688"))
            widths.sources[0] = 4, widths.sources[1] = 2;
        // Sums of half precision are packed; a step of HMMA.884 writes a pair of either.
        bool half = wm_opcode_is(opcode, first, "HMMA") &&
                    wm_opcode_has_word(opcode, length, "F16") &&
                    !wm_opcode_has_word(opcode, length, "F32");
        if (half && widths.written == 4)
            widths.written = widths.sources[2] = 2;
        return widths;
    }
    return (struct widths){1, {1, 1, 1, 1}};
}

// I2F.F64 is from 32 bits, F2I.F64 to 32 bits; F2F names what it is to, then what it is from.
static struct widths of_conversion(const char *opcode, size_t length, size_t first)
{
    bool f64 = wm_opcode_has_word(opcode, length, "F64");
    bool b64 =
        wm_opcode_has_word(opcode, length, "S64") || wm_opcode_has_word(opcode, length, "U64");
    bool to = wm_opcode_is(opcode, first, "F2I") ? b64 : f64,
         from = wm_opcode_is(opcode, first, "F2I") ? f64 : b64;
    if (wm_opcode_is(opcode, first, "F2F")) {
        to = first + 4 <= length && memcmp(opcode + first, ".F64", 4) == 0;
        from = f64 && !to;
    }
    return (struct widths){to ? 2 : 1, {from ? 2 : 1, 1, 1, 1}};
}

static struct widths of_memory(const char *opcode, size_t length,
                               const struct wm_sass_opcode *known)
{
    uint32_t data = known->bytes > 4 ? known->bytes / 4 : 1;
    // ldmatrix writes a register a matrix, stmatrix reads one.
    if (memcmp(opcode, "LDSM", 4) == 0 || memcmp(opcode, "STSM", 4) == 0)
        data = wm_opcode_has_word(opcode, length, "4")   ? 4
               : wm_opcode_has_word(opcode, length, "2") ? 2
                                                         : 1;
    uint32_t address = wm_opcode_has_word(opcode, length, "E") ? 2 : 1;
    return (struct widths){data, {address, data, data, 1}};
}

static struct widths widths_of(const char *opcode, size_t length, size_t first,
                               const struct wm_sass_opcode *known)
{
    const struct widths one = {1, {1, 1, 1, 1}}, pairs = {2, {2, 2, 2, 2}};
    if (known->class == WM_SASS_MEMORY)
        return of_memory(opcode, length, known);
    if (multiplies_matrices(opcode, first))
        return of_matrices(opcode, length, first);
    if (converts(opcode, first))
        return of_conversion(opcode, length, first);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (wm_opcode_is(opcode, first, rows[i].name) && rows[i].unit == WM_UNIT_DOUBLE)
            return pairs;
    if (wm_opcode_is(opcode, first, "IMAD") && wm_opcode_has_word(opcode, length, "WIDE"))
        return (struct widths){2, {1, 1, 2, 1}};
    return wm_opcode_has_word(opcode, length, "64") ? pairs : one;
}

// --- Texts ---

// "R4" and those behind it. Not registers: RZ, PT, URZ, UPT, and their numbers.
static void take(const char *name, size_t length, uint32_t width,
                 const struct wm_issue_listener *listener, bool destination)
{
    size_t letters = 0;
    while (letters < length && (name[letters] < '0' || name[letters] > '9'))
        letters++;
    unsigned long none = wm_opcode_is(name, letters, "R")    ? 255
                         : wm_opcode_is(name, letters, "UR") ? 63
                                                             : 7; // P, UP
    bool known = wm_opcode_is(name, letters, "R") || wm_opcode_is(name, letters, "UR") ||
                 wm_opcode_is(name, letters, "P") || wm_opcode_is(name, letters, "UP");
    if (!known || letters == length)
        return;
    unsigned long number = strtoul(name + letters, NULL, 10);
    for (uint32_t i = 0; i < width && number != none; i++, number++) {
        char text[32];
        int bytes = snprintf(text, sizeof text, "%.*s%lu", (int)letters, name, number);
        listener->take(listener->context, text, (size_t)bytes, destination, false);
    }
}

void wm_issue_read_sass(const char *text, const struct wm_issue_listener *listener,
                        struct wm_issue_facts *facts)
{
    size_t length = strcspn(text, " ");
    const char *dot = memchr(text, '.', length);
    size_t first = dot != NULL ? (size_t)(dot - text) : length;
    struct wm_sass_opcode known;
    wm_sass_opcode(text, length, &known);
    find_unit(text, length, first, &known, facts);
    struct widths widths = widths_of(text, length, first, &known);
    const char *at = text + length + strspn(text + length, " ");
    bool braces = *at == '{', written = *at != '[';
    for (uint32_t sources = 0; *at != '\0';) {
        at += strspn(at, " ,[]{}");
        size_t bytes = strcspn(at, " ,[]{}");
        uint32_t width = braces ? 1 : widths.written;
        if (!written)
            width = sources < 4 ? widths.sources[sources++] : 1;
        take(at, bytes, width, listener, written);
        at += bytes;
        // What is written ends with the first operand, or with its braces.
        written = written && braces && *at != '}';
    }
}
