#include "source/sass/opcode.h"

#include <string.h>

struct row {
    const char *name; // the first word
    enum wm_sass_class class;
    enum wm_access_kind kind;
    enum wm_address_space space;
    bool generic;
};

#define LOAD WM_ACCESS_LOAD
#define STORE WM_ACCESS_STORE
#define ATOMIC WM_ACCESS_ATOMIC
#define REDUCTION WM_ACCESS_REDUCTION
#define MEMORY(name, kind, space)                           \
    {                                                       \
        name, WM_SASS_MEMORY, kind, WM_SPACE_##space, false \
    }
#define GENERIC(name, kind)                               \
    {                                                     \
        name, WM_SASS_MEMORY, kind, WM_SPACE_GLOBAL, true \
    }
#define UNTOLD(name)                                       \
    {                                                      \
        name, WM_SASS_UNTOLD, LOAD, WM_SPACE_GLOBAL, false \
    }

static const struct row rows[] = {
    MEMORY("LDG", LOAD, GLOBAL),
    MEMORY("LDGSTS", LOAD, GLOBAL),
    MEMORY("LDU", LOAD, GLOBAL),
    MEMORY("STG", STORE, GLOBAL),
    MEMORY("ATOMG", ATOMIC, GLOBAL),
    GENERIC("RED", REDUCTION),
    MEMORY("REDG", REDUCTION, GLOBAL),
    GENERIC("ATOM", ATOMIC),
    GENERIC("LD", LOAD),
    GENERIC("ST", STORE),
    MEMORY("LDL", LOAD, LOCAL),
    MEMORY("STL", STORE, LOCAL),
    MEMORY("LDS", LOAD, SHARED),
    MEMORY("LDSM", LOAD, SHARED),
    MEMORY("LDSLK", LOAD, SHARED),
    MEMORY("STS", STORE, SHARED),
    MEMORY("STSM", STORE, SHARED),
    MEMORY("STSUL", STORE, SHARED),
    MEMORY("STSCUL", STORE, SHARED),
    MEMORY("ATOMS", ATOMIC, SHARED),
    MEMORY("LDC", LOAD, CONSTANT),
    {"BAR", WM_SASS_BARRIER, LOAD, WM_SPACE_GLOBAL, false},
    {"EXIT", WM_SASS_EXIT, LOAD, WM_SPACE_GLOBAL, false},
    UNTOLD("TEX"),
    UNTOLD("TLD"),
    UNTOLD("TLD4"),
    UNTOLD("TXD"),
    UNTOLD("SULD"),
    UNTOLD("SUST"),
    UNTOLD("SUATOM"),
    UNTOLD("SURED"),
    UNTOLD("UTMALDG"),
    UNTOLD("UTMASTG"),
    UNTOLD("UTMAPF"),
    UNTOLD("UTMAREDG"),
    UNTOLD("UBLKCP"),
    UNTOLD("UBLKPF"),
    UNTOLD("UBLKRED"),
};

static bool is(const char *word, size_t length, const char *name)
{
    return strlen(name) == length && memcmp(word, name, length) == 0;
}

static const struct row *find(const char *word, size_t length)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (is(word, length, rows[i].name))
            return &rows[i];
    return NULL;
}

// "64", "U8", "S16", "F64": the bytes they mean; 0 for other words.
static uint32_t bytes_of(const char *word, size_t length)
{
    if (length > 0 && (*word == 'U' || *word == 'S' || *word == 'F')) {
        word++;
        length--;
    }
    static const struct {
        const char *bits;
        uint32_t bytes;
    } widths[] = {{"8", 1}, {"16", 2}, {"32", 4}, {"64", 8}, {"128", 16}, {"256", 32}};
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++)
        if (is(word, length, widths[i].bits))
            return widths[i].bytes;
    return 0;
}

struct words {
    bool strong, gpu, cta, constant, evict_first, last_use, no_allocate;
    uint32_t bytes; // of the first word that says it
    uint32_t matrices;
    bool arrives; // BAR.ARV
};

static void read_word(const char *word, size_t length, struct words *words)
{
    words->strong |= is(word, length, "STRONG");
    words->gpu |= is(word, length, "GPU");
    words->cta |= is(word, length, "CTA") || is(word, length, "SM");
    words->constant |= is(word, length, "CONSTANT");
    words->evict_first |= is(word, length, "EF");
    words->last_use |= is(word, length, "LU");
    words->no_allocate |= is(word, length, "NA");
    words->arrives |= is(word, length, "ARV");
    if (is(word, length, "2") || is(word, length, "4"))
        words->matrices = (uint32_t)(*word - '0');
    if (words->bytes == 0)
        words->bytes = bytes_of(word, length);
}

static enum wm_cache_hint hint_of(const struct words *words)
{
    if (words->strong && !words->cta)
        return words->gpu ? WM_HINT_L2_ONLY : WM_HINT_VOLATILE;
    if (words->constant)
        return WM_HINT_READ_ONLY;
    if (words->evict_first)
        return WM_HINT_STREAMING;
    if (words->last_use)
        return WM_HINT_LAST_USE;
    return words->no_allocate ? WM_HINT_NO_L1 : WM_HINT_DEFAULT;
}

static void set_rows(const struct words *words, struct wm_sass_opcode *opcode)
{
    // ldmatrix (PTX ISA 9.7.14.5): lanes 0 to 7 give the rows of the first matrix, 8 to 15 of the
    // second; a row is 16 bytes.
    opcode->bytes = 16;
    opcode->lanes = words->matrices == 4 ? UINT32_MAX : (words->matrices == 2 ? 0xFFFF : 0xFF);
}

void wm_sass_opcode(const char *name, size_t length, struct wm_sass_opcode *opcode)
{
    *opcode = (struct wm_sass_opcode){.lanes = UINT32_MAX};
    const char *end = name + length, *word = name;
    const char *dot = memchr(name, '.', length);
    const struct row *row = find(name, dot != NULL ? (size_t)(dot - name) : length);
    opcode->is_gmma = memmem(name, length, "GMMA", 4) != NULL;
    if (row == NULL)
        return;
    struct words words = {0};
    while (dot != NULL) {
        word = dot + 1;
        dot = memchr(word, '.', (size_t)(end - word));
        read_word(word, (size_t)((dot != NULL ? dot : end) - word), &words);
    }
    opcode->class = row->class;
    opcode->kind = row->kind;
    opcode->space = row->space;
    opcode->generic = row->generic;
    opcode->is_tma = row->class == WM_SASS_UNTOLD && row->name[0] == 'U';
    if (row->class == WM_SASS_BARRIER && words.arrives)
        opcode->class = WM_SASS_OTHER;
    if (row->class != WM_SASS_MEMORY)
        return;
    opcode->bytes = words.bytes;
    if (row->kind == LOAD || row->kind == STORE)
        opcode->hint = hint_of(&words);
    if (is(row->name, strlen(row->name), "LDSM") || is(row->name, strlen(row->name), "STSM"))
        set_rows(&words, opcode);
}
