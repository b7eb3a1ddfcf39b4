// Random kernels made of the forms of forms/isa.txt: straight code, branches that part a warp and
// meet again, and short loops, over all registers. Plain C, AVX2 and AVX-512 lanes leave the same
// bits in every register of every thread.
//
// RANDOM_FORMS=n runs the first n kernels, RANDOM_FORMS_SEED=n one of them.
#include "exec_harness.h"
#include "forms.h"

enum {
    HALVES = 8,
    WORDS = 12,
    DOUBLES = 8,
    PREDICATES = 5, // %p5 to %p7 guard what the generator adds itself
    THREADS = 64,
    MOST_DEPTH = 3,
    REGISTER_BYTES = 2 * HALVES + 4 * WORDS + 8 * DOUBLES + 4,
    SLOT_BYTES = 160, // a thread's registers in memory, in whole 8 bytes
    MOST_FORMS = 1000,
};

static char *forms[MOST_FORMS];
static unsigned form_count;

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

static void read_forms(void)
{
    cr_assert(forms_each_line("isa.txt", add_form, NULL));
    cr_assert_gt(form_count, 200);
}

static void release_forms(void)
{
    while (form_count > 0)
        free(forms[--form_count]);
}

// One of the alternatives of each <a|b>.
static void choose(const char *line, struct wm_random *random, char *chosen)
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
        for (uint64_t skipped = wm_random_below(random, count); skipped > 0; skipped--)
            line = strchr(line, '|') + 1;
        while (*line != '|' && *line != '>')
            *chosen++ = *line++;
        line = end + 1;
    }
    *chosen = '\0';
}

// Other registers of the same kinds.
static void draw_registers(const char *chosen, struct wm_random *random, struct wm_text *text)
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
        wm_text_format(text, "%%%c%u", chosen[1], (unsigned)wm_random_below(random, count));
        chosen += 2;
        while (*chosen >= '0' && *chosen <= '9')
            chosen++;
    }
}

static void add_instruction(struct wm_random *random, struct wm_text *text)
{
    char chosen[1024];
    choose(forms[wm_random_below(random, form_count)], random, chosen);
    // Two results in one register have no order (p|p).
    if (wm_random_below(random, 6) == 0 && !strchr(chosen, '|'))
        wm_text_format(text, "@%s%%p%u ", wm_random_below(random, 2) ? "!" : "",
                       (unsigned)wm_random_below(random, PREDICATES));
    if (strstr(chosen, "%p0|%p1"))
        wm_text_format(text, "%.*s %%p0|%%p1%s;\n", (int)strcspn(chosen, " "), chosen,
                       strstr(chosen, "%p0|%p1") + 7);
    else if (strstr(chosen, "%r0|%p0"))
        wm_text_format(text, "%s;\n", chosen);
    else {
        draw_registers(chosen, random, text);
        wm_text_add(text, ";\n");
    }
}

static unsigned label;

static void add_code(struct wm_random *random, unsigned depth, struct wm_text *text)
{
    uint64_t count = 2 + wm_random_below(random, 6);
    for (uint64_t i = 0; i < count; i++)
        add_instruction(random, text);
    if (depth == MOST_DEPTH)
        return;
    unsigned own = label++, predicate = (unsigned)wm_random_below(random, PREDICATES);
    switch (wm_random_below(random, 3)) {
    case 0: // if and else
        wm_text_format(text, "@%%p%u bra A%u;\n", predicate, own);
        add_code(random, depth + 1, text);
        wm_text_format(text, "bra B%u;\nA%u:\n", own, own);
        add_code(random, depth + 1, text);
        wm_text_format(text, "B%u:\n", own);
        break;
    case 1: // a loop of one to three rounds, by lane
        wm_text_format(text, "and.b32 %%n%u, %%r%u, 1;\nC%u:\n", depth,
                       (unsigned)wm_random_below(random, WORDS), own);
        add_code(random, depth + 1, text);
        wm_text_format(text,
                       "add.u32 %%n%u, %%n%u, 1;\nsetp.lt.u32 %%p%u, %%n%u, 3;\n@%%p%u bra C%u;\n",
                       depth, depth, PREDICATES + depth, depth, PREDICATES + depth, own);
        break;
    default: break;
    }
    for (uint64_t i = 0; i < count; i++)
        add_instruction(random, text);
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

static char *draw(uint64_t seed)
{
    struct wm_random random;
    struct wm_text text;
    wm_random_init(&random, seed, "forms");
    wm_text_init(&text);
    label = 0;
    wm_text_format(&text,
                   ".visible .entry k(.param .u64 io) {\n.reg .pred %%p<8>; .reg .b16 %%h<%u>;\n"
                   ".reg .b32 %%r<%u>, %%n<4>, %%i, %%s; .reg .b64 %%d<%u>, %%a, %%o;\n"
                   "ld.param.u64 %%a, [io]; mov.u32 %%i, %%tid.x; mul.wide.u32 %%o, %%i, %u;\n"
                   "add.u64 %%a, %%a, %%o;\n",
                   HALVES, WORDS, DOUBLES, SLOT_BYTES);
    move_registers("ld.global", true, &text);
    for (unsigned p = 0; p < PREDICATES; p++)
        wm_text_format(&text, "and.b32 %%s, %%r%u, %u; setp.ne.u32 %%p%u, %%s, 0;\n", p, 1u << p,
                       p);
    add_code(&random, 0, &text);
    move_registers("st.global", false, &text);
    wm_text_add(&text, "mov.u32 %s, 0;\n");
    for (unsigned p = 0; p < PREDICATES; p++)
        wm_text_format(&text, "@%%p%u or.b32 %%s, %%s, %u;\n", p, 1u << p);
    wm_text_format(&text, "st.global.u32 [%%a+%u], %%s;\nret;\n}\n", REGISTER_BYTES - 4);
    return wm_text_take(&text);
}

// Zeros, ones, ends of ranges, floats of each width, or anything.
static uint64_t awkward(struct wm_random *random)
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
    uint64_t chosen = wm_random_below(random, 2 * sizeof(values) / sizeof(values[0]));
    return chosen < sizeof(values) / sizeof(values[0]) ? values[chosen] : wm_random_u64(random);
}

static void run(const char *source, uint64_t seed, enum wm_lane_isa isa, bool private_registers,
                uint8_t registers[THREADS * SLOT_BYTES])
{
    struct harness harness;
    struct wm_random random;
    wm_random_init(&random, seed, "values");
    harness_init(&harness, source, 32, isa, private_registers);
    uint64_t *io = harness_allocate(&harness, THREADS * SLOT_BYTES);
    for (unsigned i = 0; i < THREADS * SLOT_BYTES / 8; i++)
        io[i] = awkward(&random);
    HARNESS_RUN(&harness, "k", 1, THREADS, ADDRESS(io));
    memcpy(registers, io, (size_t)THREADS * SLOT_BYTES);
    harness_release(&harness);
}

static void check_seed(uint64_t seed)
{
    static uint8_t plain[THREADS * SLOT_BYTES], fast[THREADS * SLOT_BYTES];
    char *source = draw(seed);
    run(source, seed, WM_LANE_C, true, plain);
    for (enum wm_lane_isa isa = WM_LANE_C; isa <= wm_lane_best_isa(); isa++) {
        run(source, seed, isa, false, fast);
        for (unsigned i = 0; i < THREADS * SLOT_BYTES; i++)
            if (plain[i] != fast[i]) {
                cr_log_error("seed %llu, %s: byte %u of thread %u: %02x, plain C %02x in\n%s",
                             (unsigned long long)seed, wm_lane_isa_name(isa), i % SLOT_BYTES,
                             i / SLOT_BYTES, fast[i], plain[i], source);
                cr_assert_fail("the builds differ");
            }
    }
    free(source);
}

Test(random_forms, give_the_same_bits_in_every_build, .init = read_forms, .fini = release_forms)
{
    const char *one = getenv("RANDOM_FORMS_SEED"), *many = getenv("RANDOM_FORMS");
    uint64_t count = many ? strtoull(many, NULL, 10) : 60;
    if (one)
        check_seed(strtoull(one, NULL, 10));
    for (uint64_t seed = 1; !one && seed <= count; seed++)
        check_seed(seed);
}
