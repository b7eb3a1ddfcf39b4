// The listed forms that leave registers and memory alone, that turn addresses of one kind into
// another, and that carry from one instruction to the next.
#include "coverage.h"
#include "exec/memory/spaces.h"
#include "form_state.h"
#include "forms.h"

#include <stdlib.h>

static struct form_state before[FORM_THREADS], expected[FORM_THREADS], got[FORM_THREADS];

static void draw(const char *form)
{
    struct wm_random random;
    wm_random_init(&random, 3, form);
    form_draw(before, &random);
}

static void each_form(form_function *function, unsigned *count, unsigned least)
{
    for (unsigned i = 0; i < 2; i++)
        cr_assert(forms_each(i ? "measured.txt" : "isa.txt", function, count));
    cr_assert(*count >= least || getenv("PTX_WITHOUT"), "only %u forms", *count);
    form_release();
}

// --- no effect on registers and memory: one instruction more is executed ---

static bool is_quiet(const struct wm_ptx_instruction *instruction)
{
    switch (instruction->opcode) {
    case WM_PTX_OP_applypriority:
    case WM_PTX_OP_discard:
    case WM_PTX_OP_fence:
    case WM_PTX_OP_griddepcontrol:
    case WM_PTX_OP_membar:
    case WM_PTX_OP_nanosleep:
    case WM_PTX_OP_pmevent:
    case WM_PTX_OP_prefetch:
    case WM_PTX_OP_prefetchu:
    case WM_PTX_OP_setmaxnreg: return true;
    // A barrier's last warp goes on at once; there is only one.
    case WM_PTX_OP_bar:
    case WM_PTX_OP_barrier: return !wm_ptx_has(instruction, WM_PTX_red);
    case WM_PTX_OP_cp:
        return wm_ptx_has(instruction, WM_PTX_commit_group) ||
               wm_ptx_has(instruction, WM_PTX_wait_group) ||
               wm_ptx_has(instruction, WM_PTX_wait_all);
    default: return false;
    }
}

// Numbers of barriers and threads, and members of warps, that the block has.
static void set_plausible(const struct wm_ptx_instruction *instruction)
{
    for (unsigned t = 0; t < FORM_THREADS; t++) {
        before[t].r[0] = wm_ptx_has(instruction, WM_PTX_warp) ? UINT32_MAX : 3;
        before[t].r[1] = FORM_THREADS;
    }
}

static void check_quiet(void *context, const char *form)
{
    const struct wm_ptx_instruction *instruction = form_parse(form);
    unsigned *count = context;
    // Who arrives alone lets 64 threads wait in vain, and that is another test's (control_flow).
    bool others = strstr(form, "64") && strstr(form, "bar");
    if (!form_is_wanted(instruction) || !is_quiet(instruction) || others ||
        wm_ptx_has(instruction, WM_PTX_arrive))
        return;
    draw(form);
    set_plausible(instruction);
    memcpy(got, before, sizeof(got));
    uint64_t without = form_run("", "", FORM_GLOBAL, wm_host_best_isa(), got);
    memcpy(got, before, sizeof(got));
    uint64_t with = form_run("", form, FORM_GLOBAL, wm_host_best_isa(), got);
    form_expect(form, FORM_GLOBAL, NULL, before, got);
    cr_assert_eq(with, without + 1, "%s is %d instructions", form, (int)(with - without));
    ++*count;
}

Test(form_effects, none_on_registers_and_memory)
{
    unsigned count = 0;
    each_form(check_quiet, &count, 60);
}

// --- addresses ---

static uint64_t window_of(wm_ptx_space space)
{
    switch ((int)space) {
    case WM_PTX_shared:
    case WM_PTX_shared_cta:
    case WM_PTX_shared_cluster: return WM_SHARED_WINDOW;
    case WM_PTX_local: return WM_LOCAL_WINDOW;
    case WM_PTX_param:
    case WM_PTX_param_entry: return WM_PARAMETER_WINDOW;
    default: return 0;
    }
}

static bool is_address_conversion(const struct wm_ptx_instruction *instruction)
{
    return instruction->opcode == WM_PTX_OP_cvta &&
           instruction->operands[1].kind == WM_PTX_OPERAND_REGISTER;
}

static void convert_address(const struct wm_ptx_instruction *instruction, struct form_state *thread)
{
    uint64_t window = window_of(instruction->space);
    uint64_t address = form_source(thread, &instruction->operands[1]);
    form_write(thread, &instruction->operands[0],
               wm_ptx_has(instruction, WM_PTX_to) ? address - window : address + window);
}

Test(form_effects, cvta)
{
    form_check_family(&(struct form_family){is_address_conversion, NULL, convert_address}, 16);
}

static bool is_of_clusters(const struct wm_ptx_instruction *instruction)
{
    return instruction->opcode == WM_PTX_OP_mapa || instruction->opcode == WM_PTX_OP_getctarank;
}

// A cluster of one block: every address is the block's own, whose rank is 0.
static void in_cluster(const struct wm_ptx_instruction *instruction, struct form_state *thread)
{
    bool rank = instruction->opcode == WM_PTX_OP_getctarank;
    form_write(thread, &instruction->operands[0],
               rank ? 0 : form_source(thread, &instruction->operands[1]));
}

Test(form_effects, clusters)
{
    form_check_family(&(struct form_family){is_of_clusters, NULL, in_cluster}, 6);
}

// Each thread asks about an address of another space; constant memory's is in %d9.
static void check_isspacep(void *context, const char *form)
{
    static const wm_ptx_space spaces[] = {WM_PTX_global, WM_PTX_shared, WM_PTX_local, WM_PTX_param};
    const struct wm_ptx_instruction *instruction = form_parse(form);
    unsigned *count = context;
    if (!form_is_wanted(instruction) || instruction->opcode != WM_PTX_OP_isspacep)
        return;
    draw(form);
    char with_constant[FORMS_LONGEST + 64];
    snprintf(with_constant, sizeof(with_constant), "@%%p7 mov.b64 %%d0, %%d9; %s", form);
    for (unsigned t = 0; t < FORM_THREADS; t++) {
        uint64_t window = window_of(spaces[t % 4]);
        before[t].d[0] = window ? window + 16 : 0x200;
        before[t].p = t % 8 == 4 ? 0x80 : t % 3 & 1;
    }
    memcpy(got, before, sizeof(got));
    form_run("", with_constant, FORM_CONST, wm_host_best_isa(), got);
    for (unsigned t = 0; t < FORM_THREADS; t++) {
        bool constant = before[t].p & 0x80;
        bool holds = instruction->space == WM_PTX_const ? constant
                     : constant                         ? instruction->space == WM_PTX_global
                                : window_of(instruction->space) == window_of(spaces[t % 4]);
        cr_assert_eq(got[t].p & 1, holds, "%s of %llx", form, (unsigned long long)got[t].d[0]);
    }
    ++*count;
}

Test(form_effects, isspacep)
{
    unsigned count = 0;
    each_form(check_isspacep, &count, 8);
}

// A policy is opaque: not what was there before, the same for all threads.
static void check_policy(void *context, const char *form)
{
    const struct wm_ptx_instruction *instruction = form_parse(form);
    unsigned *count = context;
    if (!form_is_wanted(instruction) || instruction->opcode != WM_PTX_OP_createpolicy)
        return;
    draw(form);
    memcpy(got, before, sizeof(got));
    form_run("", form, FORM_GLOBAL, wm_host_best_isa(), got);
    uint64_t policy = got[0].d[0];
    memcpy(expected, before, sizeof(expected));
    for (unsigned t = 0; t < FORM_THREADS; t++)
        expected[t].d[0] = policy;
    form_expect(form, FORM_GLOBAL, before, expected, got);
    ++*count;
}

Test(form_effects, createpolicy)
{
    unsigned count = 0;
    each_form(check_policy, &count, 20);
}

// --- carries ---

typedef unsigned __int128 wide;

static uint64_t product_part(const struct wm_ptx_instruction *instruction, uint64_t a, uint64_t b,
                             unsigned bits)
{
    wide product = (wide)a * b;
    if (wm_ptx_type_is_signed(instruction->type) && bits == 64)
        product = (wide)((__int128)(int64_t)a * (int64_t)b);
    else if (wm_ptx_type_is_signed(instruction->type))
        product = (wide)((__int128)(int32_t)a * (int32_t)b);
    return (uint64_t)(wm_ptx_has(instruction, WM_PTX_hi) ? product >> bits : product);
}

// The instruction with the carry (or borrow) `in`; the one behind it.
static bool with_carry(const struct wm_ptx_instruction *instruction, struct form_state *thread,
                       bool in)
{
    const struct wm_ptx_operand *operands = instruction->operands;
    unsigned bits = 8 * wm_ptx_type_bytes(instruction->type), next = 2;
    uint64_t ones = bits == 64 ? UINT64_MAX : UINT32_MAX;
    uint64_t a = form_source(thread, &operands[1]);
    bool reads = instruction->opcode == WM_PTX_OP_addc || instruction->opcode == WM_PTX_OP_subc ||
                 instruction->opcode == WM_PTX_OP_madc;
    bool subtracts = instruction->opcode == WM_PTX_OP_sub || instruction->opcode == WM_PTX_OP_subc;
    if (instruction->operand_count == 4)
        a = product_part(instruction, a, form_source(thread, &operands[next++]), bits) & ones;
    uint64_t b = form_source(thread, &operands[next]);
    wide result = subtracts ? (wide)a - b - (reads && in) : (wide)a + b + (reads && in);
    form_write(thread, &operands[0], (uint64_t)result & ones);
    return wm_ptx_has(instruction, WM_PTX_cc) ? (bool)(result >> bits & 1) : in;
}

static bool carries(const struct wm_ptx_instruction *instruction)
{
    return wm_ptx_has(instruction, WM_PTX_cc) || instruction->opcode == WM_PTX_OP_addc ||
           instruction->opcode == WM_PTX_OP_subc || instruction->opcode == WM_PTX_OP_madc;
}

static void check_carry(void *context, const char *form)
{
    const struct wm_ptx_instruction *instruction = form_parse(form);
    unsigned *count = context;
    char chain[FORMS_LONGEST + 128];
    if (!form_is_wanted(instruction) || !carries(instruction))
        return;
    draw(form);
    // Own names, so that the form's can be left out.
    snprintf(chain, sizeof(chain),
             "mov.b32 %%r10, 0; @%%p5 mov.b32 %%r10, 1; %s %%r11, %%r10, -1;\n%s;\n%s %%r12, 0, 0",
             strncmp(form, "add.cc.u32", 10) ? "add.cc.u32" : "add.cc.s32", form,
             strncmp(form, "addc.u32", 8) ? "addc.u32" : "addc.s32");
    memcpy(expected, before, sizeof(expected));
    memcpy(got, before, sizeof(got));
    for (unsigned t = 0; t < FORM_THREADS; t++) {
        bool in = before[t].p >> 5 & 1;
        expected[t].r[10] = in;
        expected[t].r[11] = in - 1u;
        expected[t].r[12] = with_carry(instruction, &expected[t], in);
    }
    form_run("", chain, FORM_NO_SPACE, wm_host_best_isa(), got);
    form_expect(form, FORM_NO_SPACE, before, expected, got);
    ++*count;
}

Test(form_effects, carries)
{
    unsigned count = 0;
    each_form(check_carry, &count, 40);
}
