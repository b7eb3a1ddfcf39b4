// Every listed form of mbarrier and cp.async (PTX ISA 9.7.9.25, 9.7.13.15) in a warp whose lanes
// have an object each: phases against a counter of threads and bytes, copies
// against memcpy. Who waits for whom is test_async's.
#include "coverage.h"
#include "form_state.h"
#include "forms.h"

#include <stdlib.h>

static struct form_state before[FORM_THREADS], expected[FORM_THREADS], got[FORM_THREADS];

static bool has(const struct wm_ptx_instruction *instruction, enum wm_ptx_modifier modifier)
{
    return wm_ptx_has(instruction, modifier);
}

static void each_form(form_function *function, unsigned *count, unsigned least)
{
    cr_assert(forms_each("isa.txt", function, count));
    cr_assert(forms_each("measured.txt", function, count));
    cr_assert(*count >= least || getenv("PTX_WITHOUT"), "only %u forms", *count);
    form_release();
}

// The lists' forms without a space have a generic address in %d9.
static const char *address_for(const struct wm_ptx_instruction *instruction)
{
    return instruction->space == WM_PTX_none ? "cvta.shared.u64 %d9, %d9;\n" : "";
}

// --- mbarrier: what an object is, in numbers ---

struct model {
    unsigned pending, expected, bytes, phase;
};

static void settle(struct model *model)
{
    if (model->pending || model->bytes)
        return;
    model->phase++;
    model->pending = model->expected;
}

static void arrive(struct model *model, unsigned threads, unsigned bytes, bool drop)
{
    model->bytes += bytes;
    model->pending -= threads;
    model->expected -= drop ? threads : 0;
    settle(model);
}

static void complete_bytes(struct model *model, unsigned bytes)
{
    model->bytes -= bytes;
    settle(model);
}

// A kernel's text around the form, and what its lanes find: the same for all.
struct script {
    struct wm_text text;
    struct model model;
    // Of instructions around the form: another spelling than the form's own.
    const char *space;
    unsigned r[FORM_REGISTERS], predicates, known_predicates;
    bool known_r[FORM_REGISTERS];
};

static void begin(struct script *script, const struct wm_ptx_instruction *instruction)
{
    *script =
        (struct script){.space = instruction->space == WM_PTX_shared ? "shared::cta" : "shared"};
    wm_text_init(&script->text);
}

static void expect_register(struct script *script, unsigned number, unsigned value)
{
    script->r[number] = value;
    script->known_r[number] = true;
}

static void do_init(struct script *script, unsigned threads)
{
    wm_text_format(&script->text, "mbarrier.init.%s.b64 [%%m], %u;\n", script->space, threads);
    script->model = (struct model){.pending = threads, .expected = threads};
}

// The state it returns has what was pending, in register `number`.
static void do_arrive(struct script *script, unsigned threads, unsigned number)
{
    wm_text_format(&script->text,
                   "mbarrier.arrive.%s.b64 %%d%u, [%%m], %u;\n"
                   "mbarrier.pending_count.b64 %%r%u, %%d%u;\n",
                   script->space, number, threads, number, number);
    expect_register(script, number, script->model.pending);
    arrive(&script->model, threads, 0, false);
}

static void do_expect(struct script *script, unsigned bytes)
{
    wm_text_format(&script->text, "mbarrier.expect_tx.relaxed.cta.%s.b64 [%%m], %u;\n",
                   script->space, bytes);
    script->model.bytes += bytes;
}

static void do_complete(struct script *script, unsigned bytes)
{
    wm_text_format(&script->text, "mbarrier.complete_tx.relaxed.cta.%s.b64 [%%m], %u;\n",
                   script->space, bytes);
    complete_bytes(&script->model, bytes);
}

// Predicate `number`: the phases before this one are of odd number.
static void do_look(struct script *script, unsigned number)
{
    bool known = strcmp(script->space, "shared") == 0;
    wm_text_format(&script->text, "mbarrier.test_wait.parity%s.%s.b64 %%p%u, [%%m], 0;\n",
                   known ? "" : ".acquire.cta", script->space, number);
    script->predicates |= (script->model.phase & 1) << number;
    script->known_predicates |= 1u << number;
}

// Finds out the phase, what is pending, the bytes and the next phase's threads.
static void probe(struct script *script)
{
    do_look(script, 1);
    if (script->model.pending)
        do_arrive(script, 1, 10);
    do_look(script, 2);
    if (script->model.pending && script->model.phase < 1)
        do_arrive(script, script->model.pending, 11);
    do_look(script, 3);
    if (script->model.bytes)
        do_complete(script, script->model.bytes);
    do_look(script, 4);
    do_arrive(script, 1, 12);
}

static uint64_t run_script(struct script *script, const char *form)
{
    struct wm_random random;
    wm_random_init(&random, 5, form);
    form_draw(before, &random);
    for (unsigned t = 0; t < FORM_THREADS; t++) {
        before[t].p = 0x80 | (script->predicates ^ 0x1F); // %p7: another's
        before[t].r[0] = script->r[0];
    }
    memcpy(got, before, sizeof(got));
    uint64_t instructions = form_run("", script->text.data, FORM_SHARED, wm_host_best_isa(), got);
    for (unsigned t = 0; t < FORM_THREADS; t++) {
        for (unsigned i = 0; i < FORM_REGISTERS; i++)
            if (script->known_r[i])
                cr_assert_eq(got[t].r[i], script->r[i], "%s: thread %u: %%r%u is %u of\n%s", form,
                             t, i, got[t].r[i], script->text.data);
        cr_assert_eq(got[t].p & script->known_predicates, script->predicates,
                     "%s: thread %u: predicates %x, not %x of\n%s", form, t, got[t].p,
                     script->predicates, script->text.data);
        cr_assert_eq(got[t].p >> 5, 4, "%s: another predicate changes", form);
        for (unsigned i = 1; i < FORM_IMAGE_BYTES / 8; i++)
            cr_assert_eq(got[t].image[i], before[t].image[i], "%s writes beside its object", form);
    }
    wm_text_release(&script->text);
    return instructions;
}

static void add_form(struct script *script, const struct wm_ptx_instruction *instruction,
                     const char *form)
{
    wm_text_format(&script->text, "%s%s;\n", address_for(instruction), form);
}

// --- arrivals, and bytes ---

static bool is_arrival(const struct wm_ptx_instruction *instruction)
{
    return instruction->opcode == WM_PTX_OP_mbarrier &&
           (has(instruction, WM_PTX_arrive) || has(instruction, WM_PTX_arrive_drop) ||
            has(instruction, WM_PTX_expect_tx) || has(instruction, WM_PTX_complete_tx) ||
            has(instruction, WM_PTX_init));
}

// The number behind the address: %r0, a literal, or 1.
static unsigned number_of(const struct script *script, const struct wm_ptx_instruction *instruction)
{
    const struct wm_ptx_operand *last = &instruction->operands[instruction->operand_count - 1];
    return last->kind == WM_PTX_OPERAND_INTEGER    ? (unsigned)last->bits
           : last->kind == WM_PTX_OPERAND_REGISTER ? script->r[0]
                                                   : 1;
}

static void apply(struct script *script, const struct wm_ptx_instruction *instruction)
{
    struct model *model = &script->model;
    unsigned number = number_of(script, instruction);
    bool drop = has(instruction, WM_PTX_arrive_drop), bytes = has(instruction, WM_PTX_expect_tx);
    if (has(instruction, WM_PTX_init))
        *model = (struct model){.pending = number, .expected = number};
    else if (drop || has(instruction, WM_PTX_arrive))
        arrive(model, bytes ? 1 : number, bytes ? number : 0, drop);
    else if (bytes)
        model->bytes += number;
    else
        complete_bytes(model, number);
}

// The form with `spare` threads to come behind it.
static void check_arrival_with(const struct wm_ptx_instruction *instruction, const char *form,
                               unsigned spare)
{
    struct script script;
    begin(&script, instruction);
    script.r[0] = 2;
    unsigned number = number_of(&script, instruction);
    bool gives_state = instruction->operands[0].kind == WM_PTX_OPERAND_REGISTER;
    unsigned threads = has(instruction, WM_PTX_expect_tx) ? 1 : number;
    if (!has(instruction, WM_PTX_init))
        do_init(&script, 1 + threads + spare);
    if (has(instruction, WM_PTX_complete_tx))
        do_expect(&script, number + (spare ? 8 : 0));
    if (!has(instruction, WM_PTX_init))
        do_arrive(&script, 1, 13);
    if (has(instruction, WM_PTX_complete_tx) && !spare)
        do_arrive(&script, script.model.pending, 15);
    unsigned pending = script.model.pending;
    add_form(&script, instruction, form);
    apply(&script, instruction);
    if (gives_state) {
        wm_text_add(&script.text, "mbarrier.pending_count.b64 %r14, %d0;\n");
        expect_register(&script, 14, pending);
    }
    probe(&script);
    run_script(&script, form);
}

static void check_arrival(void *context, const char *form)
{
    const struct wm_ptx_instruction *instruction = form_parse(form);
    unsigned *count = context;
    if (!form_is_wanted(instruction) || !is_arrival(instruction))
        return;
    check_arrival_with(instruction, form, 3);
    if (!has(instruction, WM_PTX_noComplete)) // whose phase must go on
        check_arrival_with(instruction, form, 0);
    ++*count;
}

Test(form_async, arrivals_and_bytes)
{
    unsigned count = 0;
    each_form(check_arrival, &count, 50);
}

// --- arrivals of copies: those without .noinc count themselves in first ---

static uint64_t run_copies(const struct wm_ptx_instruction *instruction, const char *form,
                           bool without)
{
    struct script script;
    begin(&script, instruction);
    do_init(&script, 3);
    do_arrive(&script, 1, 13);
    if (without)
        wm_text_add(&script.text, address_for(instruction));
    else
        add_form(&script, instruction, form);
    if (!without && has(instruction, WM_PTX_noinc))
        arrive(&script.model, 1, 0, false);
    probe(&script);
    return run_script(&script, form);
}

static void check_copies_arrival(void *context, const char *form)
{
    const struct wm_ptx_instruction *instruction = form_parse(form);
    unsigned *count = context;
    if (!form_is_wanted(instruction) || instruction->opcode != WM_PTX_OP_cp ||
        !has(instruction, WM_PTX_mbarrier))
        return;
    uint64_t with = run_copies(instruction, form, false);
    if (!has(instruction, WM_PTX_noinc))
        cr_assert_eq(with, run_copies(instruction, form, true) + 1, "%s is not executed", form);
    ++*count;
}

Test(form_async, arrivals_of_copies)
{
    unsigned count = 0;
    each_form(check_copies_arrival, &count, 6);
}

// --- waits ---

static void check_wait_in(const struct wm_ptx_instruction *instruction, const char *form,
                          unsigned from, bool ends)
{
    struct script script;
    const struct wm_ptx_operand *named = &instruction->operands[2];
    begin(&script, instruction);
    do_init(&script, 2);
    if (from)
        do_arrive(&script, 2, 12);
    do_arrive(&script, 1, 13);
    script.r[0] = from;
    wm_text_add(&script.text, "mov.b64 %d0, %d13;\n");
    if (ends)
        do_arrive(&script, 1, 14);
    add_form(&script, instruction, form);
    // %d0 is the state of phase `from`, %r0 its parity.
    unsigned parity = named->kind == WM_PTX_OPERAND_INTEGER ? (unsigned)named->bits : from;
    script.predicates = (script.model.phase & 1) != parity;
    script.known_predicates = 1;
    do_look(&script, 1);
    run_script(&script, form);
}

static void check_wait(void *context, const char *form)
{
    const struct wm_ptx_instruction *instruction = form_parse(form);
    unsigned *count = context;
    if (!form_is_wanted(instruction) || instruction->opcode != WM_PTX_OP_mbarrier ||
        (!has(instruction, WM_PTX_test_wait) && !has(instruction, WM_PTX_try_wait)))
        return;
    bool suspends = has(instruction, WM_PTX_try_wait) && instruction->operand_count == 3;
    for (unsigned from = 0; from < 2; from++)
        for (unsigned ends = suspends; ends < 2; ends++)
            check_wait_in(instruction, form, from, ends);
    ++*count;
}

Test(form_async, waits)
{
    unsigned count = 0;
    each_form(check_wait, &count, 30);
}

// --- the end of an object ---

static void check_end(void *context, const char *form)
{
    const struct wm_ptx_instruction *instruction = form_parse(form);
    unsigned *count = context;
    if (!form_is_wanted(instruction) || instruction->opcode != WM_PTX_OP_mbarrier ||
        !has(instruction, WM_PTX_inval))
        return;
    struct harness harness;
    char source[512];
    snprintf(source, sizeof(source),
             ".shared .align 8 .b8 s[8];\n.visible .entry k() { .reg .b64 %%d<16>;\n"
             "mov.u64 %%d9, s; mbarrier.init.shared.b64 [%%d9], 4;\n"
             "mbarrier.arrive.shared.b64 %%d0, [%%d9];\n%s%s;\n"
             "mbarrier.arrive.shared.b64 %%d0, [s]; ret; }\n",
             address_for(instruction), form);
    harness_init(&harness, source, 32, wm_host_best_isa(), false);
    harness_launch(&harness, "k", 1, 1, NULL, 0);
    cr_assert_eq(harness.fault.kind, WM_FAULT_ILLEGAL_BARRIER, "%s", form);
    cr_assert(strstr(harness.fault.error.message, "has not been initialised"));
    harness_release(&harness);
    ++*count;
}

Test(form_async, no_arrival_behind_the_end)
{
    unsigned count = 0;
    each_form(check_end, &count, 3);
}

// --- copies: from global memory, where %d4 and %d5 are stored, to the thread's own bytes ---

static unsigned copied_bytes(const struct wm_ptx_instruction *instruction, unsigned bytes,
                             const struct form_state *thread)
{
    const struct wm_ptx_operand *fourth = &instruction->operands[3];
    unsigned number, count = instruction->operand_count;
    if (count - (has(instruction, WM_PTX_L2_cache_hint) ? 1 : 0) < 4)
        return bytes;
    if (form_register(fourth, &number) == 'p')
        return form_source(thread, fourth) ? 0 : bytes;
    return (unsigned)form_source(thread, fourth);
}

static void check_copy(void *context, const char *form)
{
    const struct wm_ptx_instruction *instruction = form_parse(form);
    unsigned *count = context, bytes;
    if (!form_is_wanted(instruction) || instruction->opcode != WM_PTX_OP_cp ||
        instruction->operand_count < 3)
        return;
    struct wm_random random;
    char text[FORMS_LONGEST + 256];
    bytes = (unsigned)instruction->operands[2].bits;
    snprintf(text, sizeof(text),
             "createpolicy.fractional.L2::evict_last.b64 %%d1, 1.0;\n"
             "mov.u64 %%d9, area; add.u64 %%d9, %%d9, %%o; st.global.v2.b64 [%%d9], {%%d4, %%d5};\n"
             "%s;\ncp.async.commit_group; cp.async.wait_group 0",
             form);
    wm_random_init(&random, 6, form);
    form_draw(before, &random);
    for (unsigned t = 0; t < FORM_THREADS; t++)
        before[t].r[0] = t % 17;
    memcpy(expected, before, sizeof(expected));
    memcpy(got, before, sizeof(got));
    form_run("", text, FORM_SHARED, wm_host_best_isa(), got);
    for (unsigned t = 0; t < FORM_THREADS; t++) {
        char *to = (char *)expected[t].image;
        memset(to, 0, bytes);
        memcpy(to, &before[t].d[4], copied_bytes(instruction, bytes, &before[t]));
        expected[t].d[1] = got[t].d[1];
    }
    form_expect(form, FORM_SHARED, before, expected, got);
    ++*count;
}

Test(form_async, copies)
{
    unsigned count = 0;
    each_form(check_copy, &count, 25);
}

// --- stores and reductions that complete bytes: 16 bytes behind the object ---

static uint64_t reduced(const struct wm_ptx_instruction *instruction, uint64_t old, uint64_t value)
{
    bool is_signed = wm_ptx_type_is_signed(instruction->type);
    uint32_t a = (uint32_t)old, b = (uint32_t)value;
    bool less = is_signed ? (int32_t)b < (int32_t)a : b < a;
    if (has(instruction, WM_PTX_add))
        return instruction->type == WM_PTX_u64 ? old + value : a + b;
    if (has(instruction, WM_PTX_inc))
        return a >= b ? 0 : a + 1;
    if (has(instruction, WM_PTX_dec))
        return a == 0 || a > b ? b : a - 1;
    if (has(instruction, WM_PTX_min))
        return less ? b : a;
    if (has(instruction, WM_PTX_max))
        return less ? a : b;
    return has(instruction, WM_PTX_and) ? (a & b) : has(instruction, WM_PTX_or) ? (a | b) : (a ^ b);
}

// What the instruction makes of a thread's bytes.
static void apply_access(const struct wm_ptx_instruction *instruction, struct form_state *thread)
{
    const struct wm_ptx_operand *value = &instruction->operands[1];
    bool vector = value->kind == WM_PTX_OPERAND_VECTOR;
    unsigned bytes = wm_ptx_type_bytes(instruction->type);
    char *to = (char *)&thread->image[2];
    for (unsigned i = 0; i < instruction->vector_length; i++, to += bytes) {
        uint64_t old = 0, next = form_source(thread, vector ? &value->list[i] : value);
        memcpy(&old, to, bytes);
        if (instruction->opcode == WM_PTX_OP_red)
            next = reduced(instruction, old, next);
        memcpy(to, &next, bytes);
    }
}

// Lanes whose guard holds complete all bytes of their object; the others' phase goes on.
static void check_access_with(const struct wm_ptx_instruction *instruction, const char *form,
                              bool guarded)
{
    struct wm_random random;
    char text[FORMS_LONGEST + 512];
    unsigned bytes = wm_ptx_type_bytes(instruction->type) * instruction->vector_length;
    snprintf(text, sizeof(text),
             "mbarrier.init.shared.b64 [%%m], 1;\n"
             "mbarrier.arrive.expect_tx.shared.b64 %%d15, [%%m], %u;\n"
             "mbarrier.test_wait.parity.shared.b64 %%p1, [%%m], 0;\n"
             "%s%s;\n"
             "mbarrier.test_wait.parity.shared.b64 %%p2, [%%m], 0;\n"
             "mbarrier.inval.shared.b64 [%%m]",
             bytes, guarded ? "@!%p3 " : "", form);
    wm_random_init(&random, 7, form);
    form_draw(before, &random);
    memcpy(expected, before, sizeof(expected));
    memcpy(got, before, sizeof(got));
    form_run("", text, FORM_SHARED, wm_host_best_isa(), got);
    for (unsigned t = 0; t < FORM_THREADS; t++) {
        struct form_state *thread = &expected[t];
        bool done = !guarded || (before[t].p >> 3 & 1) == 0;
        if (done)
            apply_access(instruction, thread);
        thread->image[0] = 0;
        thread->d[15] = got[t].d[15];
        thread->p = (thread->p & ~6u) | (done ? 4 : 0);
    }
    form_expect(form, FORM_SHARED, before, expected, got);
}

static void check_access(void *context, const char *form)
{
    const struct wm_ptx_instruction *instruction = form_parse(form);
    unsigned *count = context;
    if (!form_is_wanted(instruction) || !has(instruction, WM_PTX_async) ||
        (instruction->opcode != WM_PTX_OP_st && instruction->opcode != WM_PTX_OP_red))
        return;
    check_access_with(instruction, form, false);
    check_access_with(instruction, form, true);
    ++*count;
}

Test(form_async, accesses_that_complete_bytes)
{
    unsigned count = 0;
    each_form(check_access, &count, 50);
}
