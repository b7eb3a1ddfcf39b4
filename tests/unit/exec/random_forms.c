#include "random_forms.h"

#include "forms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    HALVES = 8,
    WORDS = 12,
    DOUBLES = 8,
    PREDICATES = 5, // %p5 to %p7 guard what the generator adds itself
    MOST_DEPTH = 3,
    REGISTER_BYTES = 2 * HALVES + 4 * WORDS + 8 * DOUBLES + 4,
    MOST_FORMS = 1000,
};

static char *forms[MOST_FORMS];
static unsigned form_count;

uint64_t form_choose(struct form_choices *choices, uint64_t below)
{
    uint64_t value = 0;
    size_t bytes = below == 0 ? 8 : below <= 256 ? 1 : 2;
    if (choices->count == 0 && choices->random)
        return below ? wm_random_below(choices->random, below) : wm_random_u64(choices->random);
    for (; bytes > 0 && choices->count > 0; bytes--, choices->count--)
        value = value << 8 | *choices->bytes++;
    return below ? value % below : value;
}

// Lines of registers alone: no memory, no control, nothing that other lanes take part in.
static bool is_arithmetic(const char *line)
{
    static const char *const others[] = {
        "[",          "bra",      "bar",       "block",        "brkpt", "mov",        "fence",
        "membar",     "trap",     "nanosleep", "_|",           "vote",  "setmaxnreg", "griddep",
        "activemask", "shfl",     "pmevent",   "createpolicy", "elect", "wmma",       "mma.",
        "movmatrix",  "cp.async", "match",     "redux",        "slot",  "isspacep",   "cvta"};
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (strstr(line, others[i]))
            return false;
    return true;
}

static void add_form(void *context, const char *line)
{
    (void)context;
    if (is_arithmetic(line) && form_count < MOST_FORMS)
        forms[form_count++] = strdup(line);
}

bool random_forms_read(void)
{
    return form_count > 0 || forms_each_line("isa.txt", add_form, NULL);
}

void random_forms_release(void)
{
    while (form_count > 0)
        free(forms[--form_count]);
}

// One of the alternatives of each <a|b>.
static void choose_alternatives(const char *line, struct form_choices *choices, char *chosen)
{
    while (*line) {
        if (*line != '<') {
            *chosen++ = *line++;
            continue;
        }
        const char *end = strchr(line, '>'), *at = ++line;
        uint64_t count = 1;
        for (; at < end; at++)
            count += *at == '|';
        for (uint64_t skipped = form_choose(choices, count); skipped > 0; skipped--)
            line = strchr(line, '|') + 1;
        while (*line != '|' && *line != '>')
            *chosen++ = *line++;
        line = end + 1;
    }
    *chosen = '\0';
}

// Other registers of the same kinds.
static void draw_registers(const char *chosen, struct form_choices *choices, struct wm_text *text)
{
    while (*chosen) {
        unsigned count = chosen[1] == 'h'   ? HALVES
                         : chosen[1] == 'r' ? WORDS
                         : chosen[1] == 'd' ? DOUBLES
                                            : PREDICATES;
        if (*chosen != '%') {
            wm_text_format(text, "%c", *chosen++);
            continue;
        }
        wm_text_format(text, "%%%c%u", chosen[1], (unsigned)form_choose(choices, count));
        chosen += 2;
        while (*chosen >= '0' && *chosen <= '9')
            chosen++;
    }
}

static void add_instruction(struct form_choices *choices, struct wm_text *text)
{
    char chosen[FORMS_LONGEST];
    choose_alternatives(forms[form_choose(choices, form_count)], choices, chosen);
    // Two results in one register have no order (p|p).
    if (form_choose(choices, 6) == 0 && !strchr(chosen, '|'))
        wm_text_format(text, "@%s%%p%u ", form_choose(choices, 2) ? "!" : "",
                       (unsigned)form_choose(choices, PREDICATES));
    if (strstr(chosen, "%p0|%p1"))
        wm_text_format(text, "%.*s %%p0|%%p1%s;\n", (int)strcspn(chosen, " "), chosen,
                       strstr(chosen, "%p0|%p1") + 7);
    else if (strstr(chosen, "%r0|%p0"))
        wm_text_format(text, "%s;\n", chosen);
    else {
        draw_registers(chosen, choices, text);
        wm_text_add(text, ";\n");
    }
}

static unsigned label;

static void add_code(struct form_choices *choices, unsigned depth, struct wm_text *text)
{
    uint64_t count = 2 + form_choose(choices, 6);
    for (uint64_t i = 0; i < count; i++)
        add_instruction(choices, text);
    if (depth == MOST_DEPTH)
        return;
    unsigned own = label++, predicate = (unsigned)form_choose(choices, PREDICATES);
    switch (form_choose(choices, 3)) {
    case 0: // if and else
        wm_text_format(text, "@%%p%u bra A%u;\n", predicate, own);
        add_code(choices, depth + 1, text);
        wm_text_format(text, "bra B%u;\nA%u:\n", own, own);
        add_code(choices, depth + 1, text);
        wm_text_format(text, "B%u:\n", own);
        break;
    case 1: // a loop of one to three rounds, by lane
        wm_text_format(text, "and.b32 %%n%u, %%r%u, 1;\nC%u:\n", depth,
                       (unsigned)form_choose(choices, WORDS), own);
        add_code(choices, depth + 1, text);
        wm_text_format(text,
                       "add.u32 %%n%u, %%n%u, 1;\nsetp.lt.u32 %%p%u, %%n%u, 3;\n@%%p%u bra C%u;\n",
                       depth, depth, PREDICATES + depth, depth, PREDICATES + depth, own);
        break;
    default: break;
    }
    for (uint64_t i = 0; i < count; i++)
        add_instruction(choices, text);
}

static void move_registers(const char *instruction, bool load, struct wm_text *text)
{
    static const struct {
        char name;
        unsigned count, bytes;
    } kinds[] = {{'d', DOUBLES, 8}, {'r', WORDS, 4}, {'h', HALVES, 2}};
    unsigned at = 0;
    for (unsigned k = 0; k < 3; k++)
        for (unsigned i = 0; i < kinds[k].count; i++, at += kinds[k].bytes) {
            wm_text_format(text, "%s.b%u ", instruction, 8 * kinds[k].bytes);
            if (load)
                wm_text_format(text, "%%%c%u, [%%a+%u];\n", kinds[k].name, i, at);
            else
                wm_text_format(text, "[%%a+%u], %%%c%u;\n", at, kinds[k].name, i);
        }
}

char *random_forms_draw(struct form_choices *choices)
{
    struct wm_text text;
    wm_text_init(&text);
    label = 0;
    wm_text_format(&text,
                   ".visible .entry k(.param .u64 io) {\n.reg .pred %%p<8>; .reg .b16 %%h<%u>;\n"
                   ".reg .b32 %%r<%u>, %%n<4>, %%i, %%s; .reg .b64 %%d<%u>, %%a, %%o;\n"
                   "ld.param.u64 %%a, [io]; mov.u32 %%i, %%tid.x; mul.wide.u32 %%o, %%i, %u;\n"
                   "add.u64 %%a, %%a, %%o;\n",
                   HALVES, WORDS, DOUBLES, RANDOM_FORMS_SLOT_BYTES);
    move_registers("ld.global", true, &text);
    for (unsigned p = 0; p < PREDICATES; p++)
        wm_text_format(&text, "and.b32 %%s, %%r%u, %u; setp.ne.u32 %%p%u, %%s, 0;\n", p, 1u << p,
                       p);
    add_code(choices, 0, &text);
    move_registers("st.global", false, &text);
    wm_text_add(&text, "mov.u32 %s, 0;\n");
    for (unsigned p = 0; p < PREDICATES; p++)
        wm_text_format(&text, "@%%p%u or.b32 %%s, %%s, %u;\n", p, 1u << p);
    wm_text_format(&text, "st.global.u32 [%%a+%u], %%s;\nret;\n}\n", REGISTER_BYTES - 4);
    return wm_text_take(&text);
}

// Zeros, ones, ends of ranges, floats of each width, or anything.
static uint64_t awkward(struct form_choices *choices)
{
    static const uint64_t values[] = {
        0,
        1,
        UINT64_MAX,
        0x8000000080000000,
        0x7FFFFFFF7FFFFFFF,
        0x3FF000003F800000,
        0x7FF000007F800000,
        0x7FF800007FC00000,
        0x0000000100000001,
        0x3C003C007BFF7C00,
        0x80007E0000010400,
        0xBFF0000000000000,
        0x4000000040A00000,
    };
    uint64_t chosen = form_choose(choices, 2 * sizeof(values) / sizeof(values[0]));
    return chosen < sizeof(values) / sizeof(values[0]) ? values[chosen] : form_choose(choices, 0);
}

void random_forms_fill(struct form_choices *choices, uint64_t io[RANDOM_FORMS_WORDS])
{
    for (unsigned i = 0; i < RANDOM_FORMS_WORDS; i++)
        io[i] = awkward(choices);
}
