#include "form_state.h"

#include "coverage.h"
#include "forms.h"
#include "lanes/lanes_check.h"

#include <stdlib.h>

static struct wm_ptx_module *parsed;
static const struct wm_ptx_function *parsed_kernel;

void form_release(void)
{
    wm_ptx_module_free(parsed);
    parsed = NULL;
}

const struct wm_ptx_instruction *form_parse(const char *form)
{
    struct wm_text text;
    struct wm_error error;
    form_release();
    wm_text_init(&text);
    forms_module(form, &text);
    cr_assert_eq(wm_ptx_parse(text.data, text.length, "form", &parsed, &error), WM_OK, "%s: %s",
                 form, error.message);
    wm_text_release(&text);
    parsed_kernel = wm_ptx_module_function(parsed, "k");
    for (uint32_t i = 0; i < parsed_kernel->statement_count; i++)
        if (parsed_kernel->statements[i].kind == WM_PTX_STATEMENT_INSTRUCTION)
            return parsed_kernel->statements[i].instruction;
    cr_assert_fail("%s is no instruction", form);
    return NULL;
}

char form_register(const struct wm_ptx_operand *operand, unsigned *number)
{
    cr_assert_eq(operand->kind, WM_PTX_OPERAND_REGISTER);
    const char *name = parsed_kernel->registers[operand->index].name;
    *number = (unsigned)strtoul(name + 2, NULL, 10);
    cr_assert_lt(*number, FORM_REGISTERS);
    return name[1];
}

bool form_is_wanted(const struct wm_ptx_instruction *instruction)
{
    const char *without = getenv("PTX_WITHOUT");
    char name[COVERAGE_LONGEST];
    forms_name(instruction, name, sizeof(name));
    return !without || strcmp(name, without) == 0;
}

// … or those that the lane kernel of that name computes.
static bool uses_wanted_kernel(const struct wm_ptx_instruction *instruction)
{
    const char *without = getenv("PTX_WITHOUT");
    struct wm_lane_key key = wm_lane_key_of(instruction);
    char name[COVERAGE_LONGEST];
    forms_lane_name(&key, name, sizeof(name));
    return without && strcmp(name, without) == 0;
}

void form_draw(struct form_state threads[FORM_THREADS], struct wm_random *random)
{
    for (unsigned t = 0; t < FORM_THREADS; t++) {
        struct form_state *state = &threads[t];
        for (unsigned i = 0; i < FORM_REGISTERS; i++) {
            bool is_float = wm_random_below(random, 2);
            state->d[i] = awkward_value(random, 64, is_float);
            state->r[i] = (uint32_t)awkward_value(random, 32, is_float);
            if (wm_random_below(random, 4) == 0) // a pair of halves
                state->r[i] = (uint32_t)awkward_value(random, 16, is_float) << 16 |
                              (uint32_t)awkward_value(random, 16, is_float);
            state->h[i] = (uint16_t)awkward_value(random, 16, is_float);
        }
        state->p = (uint32_t)wm_random_below(random, 1 << FORM_PREDICATES);
        state->unused = 0;
        for (unsigned i = 0; i < FORM_IMAGE_BYTES / 8; i++)
            state->image[i] = awkward_value(random, 64, false);
        for (unsigned i = 0; i < 2 * FORM_WIDE; i++) // often equal to memory, for cas
            state->q[i / 2][i % 2] =
                wm_random_below(random, 2) ? state->image[i % 2] : wm_random_u64(random);
    }
}

// Loads or stores all registers.
static void move_registers(const char *instruction, bool load, struct wm_text *text)
{
    static const char letters[] = "drh";
    unsigned at = 0;
    for (unsigned k = 0; k < 3; k++)
        for (unsigned i = 0; i < FORM_REGISTERS; i++, at += 8u >> k) {
            wm_text_format(text, "%s.b%u ", instruction, 64u >> k);
            if (load)
                wm_text_format(text, "%%%c%u, [%%a+%u];\n", letters[k], i, at);
            else
                wm_text_format(text, "[%%a+%u], %%%c%u;\n", at, letters[k], i);
        }
}

static void move_wide_registers(bool load, struct wm_text *text)
{
    for (unsigned i = 0; i < FORM_WIDE; i++) {
        unsigned at = (unsigned)offsetof(struct form_state, q) + 16 * i;
        wm_text_format(text,
                       load ? "ld.global.b64 %%t, [%%a+%u]; ld.global.b64 %%u, [%%a+%u];\n"
                              "mov.b128 %%q%u, {%%t, %%u};\n"
                            : "mov.b128 {%%t, %%u}, %%q%3$u; st.global.b64 [%%a+%1$u], %%t;\n"
                              "st.global.b64 [%%a+%2$u], %%u;\n",
                       at, at + 8, i);
    }
}

// Copies the image between its place in the state and %m in the space.
static void move_image(const char *space, bool in, struct wm_text *text)
{
    unsigned at = (unsigned)offsetof(struct form_state, image);
    for (unsigned i = 0; i < FORM_IMAGE_BYTES; i += 8)
        wm_text_format(text,
                       in ? "ld.global.b64 %%t, [%%a+%u]; st.%s.b64 [%%m+%u], %%t;\n"
                          : "ld.%2$s.b64 %%t, [%%m+%3$u]; st.global.b64 [%%a+%1$u], %%t;\n",
                       at + i, space, i);
}

static const char *const spaces[] = {"", "global", "shared", "local", "const"};
static const char *const areas[] = {"", "area", "block", "mine", "fixed"};

static void write_kernel(const char *guard, const char *form, enum form_space space,
                         struct wm_text *text)
{
    wm_text_format(text,
                   ".const .align 16 .b8 fixed[%u];\n.global .align 16 .b8 area[%u];\n"
                   ".visible .entry k(.param .u64 io)\n{\n.reg .pred %%p<%u>; .reg .b16 %%h<%u>;\n"
                   ".reg .b32 %%r<%u>, %%i, %%s; .reg .b64 %%d<%u>, %%a, %%o, %%m, %%t, %%u;\n.reg "
                   ".b128 %%q<%u>;\n"
                   ".shared .align 16 .b8 block[%u]; .local .align 16 .b8 mine[%u];\n"
                   "ld.param.u64 %%a, [io]; mov.u32 %%i, %%tid.x; mul.wide.u32 %%o, %%i, %u;\n"
                   "add.u64 %%a, %%a, %%o;\n",
                   FORM_IMAGE_BYTES * FORM_THREADS, FORM_IMAGE_BYTES * FORM_THREADS,
                   FORM_PREDICATES, FORM_REGISTERS, FORM_REGISTERS, FORM_REGISTERS, FORM_WIDE,
                   FORM_IMAGE_BYTES * FORM_THREADS, FORM_IMAGE_BYTES,
                   (unsigned)sizeof(struct form_state));
    move_registers("ld.global", true, text);
    move_wide_registers(true, text);
    wm_text_format(text, "ld.global.u32 %%s, [%%a+%u];\n",
                   (unsigned)offsetof(struct form_state, p));
    for (unsigned p = 0; p < FORM_PREDICATES; p++)
        wm_text_format(text, "and.b32 %%i, %%s, %u; setp.ne.u32 %%p%u, %%i, 0;\n", 1u << p, p);
    if (space != FORM_NO_SPACE) {
        wm_text_format(text, "mov.u64 %%m, %s; mov.u32 %%i, %%tid.x; mul.wide.u32 %%o, %%i, %u;\n",
                       areas[space], space == FORM_LOCAL ? 0 : FORM_IMAGE_BYTES);
        wm_text_add(text, "add.u64 %m, %m, %o; mov.u64 %d9, %m; cvt.u32.u64 %r9, %m;\n");
        if (space != FORM_CONST)
            move_image(spaces[space], true, text);
    }
    wm_text_format(text, "%s%s;\n", guard, form);
    if (space != FORM_NO_SPACE && space != FORM_CONST)
        move_image(spaces[space], false, text);
    move_registers("st.global", false, text);
    move_wide_registers(false, text);
    wm_text_add(text, "mov.u32 %s, 0;\n");
    for (unsigned p = 0; p < FORM_PREDICATES; p++)
        wm_text_format(text, "@%%p%u or.b32 %%s, %%s, %u;\n", p, 1u << p);
    wm_text_format(text, "st.global.u32 [%%a+%u], %%s;\nret;\n}\n",
                   (unsigned)offsetof(struct form_state, p));
}

uint64_t form_run(const char *guard, const char *form, enum form_space space, enum wm_lane_isa isa,
                  struct form_state threads[FORM_THREADS])
{
    struct harness harness;
    struct wm_text text;
    wm_text_init(&text);
    write_kernel(guard, form, space, &text);
    harness_init(&harness, text.data, 32, isa, false);
    wm_text_release(&text);
    struct form_state *io = harness_allocate(&harness, FORM_THREADS * sizeof(*io));
    memcpy(io, threads, FORM_THREADS * sizeof(*io));
    if (space == FORM_CONST) {
        uint64_t address, bytes;
        cr_assert(wm_program_variable(harness.program, "fixed", &address, &bytes));
        for (unsigned t = 0; t < FORM_THREADS; t++)
            memcpy((char *)(uintptr_t)address + (size_t)t * FORM_IMAGE_BYTES, threads[t].image,
                   FORM_IMAGE_BYTES);
    }
    HARNESS_RUN(&harness, "k", 1, FORM_THREADS, ADDRESS(io));
    memcpy(threads, io, FORM_THREADS * sizeof(*io));
    harness_release(&harness);
    return harness.result.warp_instructions;
}

static void expect_equal(const char *form, unsigned thread, enum form_space space,
                         const struct form_state *expected, const struct form_state *got)
{
    bool address = space != FORM_NO_SPACE;
    for (unsigned i = 0; i < FORM_REGISTERS; i++) {
        cr_assert_eq(got->h[i], expected->h[i], "%s: thread %u: %%h%u is %x, expected %x", form,
                     thread, i, got->h[i], expected->h[i]);
        if (address && i == 9)
            continue;
        cr_assert_eq(got->r[i], expected->r[i], "%s: thread %u: %%r%u is %x, expected %x", form,
                     thread, i, got->r[i], expected->r[i]);
        cr_assert_eq(got->d[i], expected->d[i], "%s: thread %u: %%d%u is %llx, expected %llx", form,
                     thread, i, (unsigned long long)got->d[i], (unsigned long long)expected->d[i]);
    }
    cr_assert_eq(got->p, expected->p, "%s: thread %u: predicates %x, expected %x", form, thread,
                 got->p, expected->p);
    for (unsigned i = 0; i < 2 * FORM_WIDE; i++)
        cr_assert_eq(got->q[i / 2][i % 2], expected->q[i / 2][i % 2],
                     "%s: thread %u: half %u of %%q%u is %llx, expected %llx", form, thread, i % 2,
                     i / 2, (unsigned long long)got->q[i / 2][i % 2],
                     (unsigned long long)expected->q[i / 2][i % 2]);
    for (unsigned i = 0; i < FORM_IMAGE_BYTES / 8; i++)
        cr_assert_eq(got->image[i], expected->image[i],
                     "%s: thread %u: memory at %u is %llx, expected %llx", form, thread, 8 * i,
                     (unsigned long long)got->image[i], (unsigned long long)expected->image[i]);
}

void form_expect(const char *form, enum form_space space, const struct form_state *before,
                 const struct form_state *expected, const struct form_state *got)
{
    for (unsigned t = 0; t < FORM_THREADS; t++)
        expect_equal(form, t, space, &expected[t], &got[t]);
    cr_assert(!before || memcmp(before, expected, FORM_THREADS * sizeof(*before)) != 0,
              "%s changes nothing: no test of it", form);
}

uint64_t form_source(const struct form_state *thread, const struct wm_ptx_operand *operand)
{
    unsigned number;
    if (operand->kind != WM_PTX_OPERAND_REGISTER) {
        cr_assert_eq(operand->kind, WM_PTX_OPERAND_INTEGER);
        return operand->bits;
    }
    switch (form_register(operand, &number)) {
    case 'd': return thread->d[number];
    case 'r': return thread->r[number];
    case 'h': return thread->h[number];
    default: return (thread->p >> number & 1) ^ (operand->negated ? 1u : 0u);
    }
}

void form_write(struct form_state *thread, const struct wm_ptx_operand *operand, uint64_t value)
{
    unsigned number;
    if (operand->kind == WM_PTX_OPERAND_SINK)
        return;
    switch (form_register(operand, &number)) {
    case 'd': thread->d[number] = value; break;
    case 'r': thread->r[number] = (uint32_t)value; break;
    case 'h': thread->h[number] = (uint16_t)value; break;
    default: thread->p &= ~(1u << number); thread->p |= (uint32_t)(value & 1) << number;
    }
}

struct family_check {
    const struct form_family *family;
    unsigned count;
};

static void check_guarded(const struct form_family *family, const char *form, const char *guard,
                          struct wm_random *random)
{
    static struct form_state before[FORM_THREADS], expected[FORM_THREADS], got[FORM_THREADS];
    const struct wm_ptx_instruction *instruction = form_parse(form);
    enum form_space space = family->space ? family->space(instruction) : FORM_NO_SPACE;
    form_draw(before, random);
    memcpy(expected, before, sizeof(before));
    memcpy(got, before, sizeof(before));
    for (unsigned t = 0; t < FORM_THREADS; t++)
        if (!*guard || !(before[t].p >> 6 & 1))
            family->apply(instruction, &expected[t]);
    form_run(guard, form, space, wm_host_best_isa(), got);
    form_expect(form, space, *guard ? NULL : before, expected, got);
}

static void check_form(void *context, const char *form)
{
    struct family_check *check = context;
    const struct wm_ptx_instruction *instruction = form_parse(form);
    struct wm_random random;
    if (!check->family->includes(instruction) ||
        !(form_is_wanted(instruction) || uses_wanted_kernel(instruction)))
        return;
    wm_random_init(&random, 2, form);
    check_guarded(check->family, form, "", &random);
    check_guarded(check->family, form, "@!%p6 ", &random);
    check->count++;
}

void form_check_family(const struct form_family *family, unsigned least)
{
    struct family_check check = {.family = family};
    cr_assert(forms_each("isa.txt", check_form, &check));
    cr_assert(forms_each("measured.txt", check_form, &check));
    cr_assert(check.count >= least || getenv("PTX_WITHOUT"), "only %u forms", check.count);
    form_release();
}
