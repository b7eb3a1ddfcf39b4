// Every form of arithmetic instruction that a lane kernel does, executed with and without a guard:
// the registers named in the text are the kernel's operands, its result goes to the one named
// first, and nothing else changes. What the kernels themselves compute is held to references in
// lanes/.
#include "exec/decode/operand_types.h"
#include "form_state.h"
#include "forms.h"
#include "lanes/lanes_check.h"

// 32 threads' values of an operand as a lane kernel wants them.
static const void *gather(const struct form_state *threads, const struct wm_ptx_operand *operand,
                          struct lane_array *array)
{
    unsigned number = 0;
    char letter = 'i';
    if (operand->kind == WM_PTX_OPERAND_REGISTER)
        letter = form_register(operand, &number);
    memset(array, 0, sizeof(*array));
    for (unsigned t = 0; t < FORM_THREADS; t++)
        switch (letter) {
        case 'd': array->wide[t] = threads[t].d[number]; break;
        case 'r': array->narrow[t] = threads[t].r[number]; break;
        case 'h': array->narrow[t] = threads[t].h[number]; break;
        case 'p': array->narrow[0] |= (threads[t].p >> number & 1) << t; break;
        default:
            cr_assert_eq(operand->kind, WM_PTX_OPERAND_INTEGER);
            array->narrow[t] = (uint32_t)operand->bits;
        }
    return array;
}

static void scatter(struct form_state *threads, const struct wm_ptx_operand *operand,
                    const struct lane_array *array, uint32_t mask)
{
    unsigned number;
    char letter = form_register(operand, &number);
    for (unsigned t = 0; t < FORM_THREADS; t++)
        switch (mask >> t & 1 ? letter : 'x') {
        case 'd': threads[t].d[number] = array->wide[t]; break;
        case 'r': threads[t].r[number] = array->narrow[t]; break;
        case 'h': threads[t].h[number] = (uint16_t)array->narrow[t]; break;
        case 'p':
            threads[t].p &= ~(1u << number);
            threads[t].p |= (array->narrow[0] >> t & 1) << number;
            break;
        default: break;
        }
}

// setp's p|q: the comparison and its opposite, each combined with the third source (9.7.6.2).
static void apply_pair(const struct wm_ptx_instruction *instruction, struct wm_lane_key key,
                       const struct lane_array source[4], struct form_state *threads, uint32_t mask)
{
    enum wm_ptx_modifier boolean = key.boolean;
    key.boolean = WM_PTX_none;
    key.boolean_negated = false;
    uint32_t results[2] = {0}, third = source[2].narrow[0];
    wm_lane_find(WM_HOST_C, &key)(&results[0], &source[0], &source[1], NULL, UINT32_MAX);
    results[1] = ~results[0];
    third = boolean != WM_PTX_none && instruction->operands[3].negated ? ~third : third;
    for (unsigned i = 0; i < 2; i++) {
        struct lane_array array = {.narrow = {boolean == WM_PTX_and   ? results[i] & third
                                              : boolean == WM_PTX_or  ? results[i] | third
                                              : boolean == WM_PTX_xor ? results[i] ^ third
                                                                      : results[i]}};
        scatter(threads, &instruction->operands[0].list[i], &array, mask);
    }
}

static void apply(const struct wm_ptx_instruction *instruction, struct form_state *threads,
                  uint32_t mask)
{
    struct wm_lane_key key = wm_lane_key_of(instruction);
    struct lane_array source[4], d = {0};
    for (unsigned i = 1; i < instruction->operand_count; i++)
        gather(threads, &instruction->operands[i], &source[i - 1]);
    if (instruction->operands[0].kind == WM_PTX_OPERAND_PAIR) {
        apply_pair(instruction, key, source, threads, mask);
        return;
    }
    struct wm_lane_pair pair = {&source[2], &source[3]};
    bool paired = instruction->operand_count == 5;
    wm_lane_find(WM_HOST_C, &key)(&d, &source[0], &source[1],
                                  paired ? (const void *)&pair : &source[2], mask);
    scatter(threads, &instruction->operands[0], &d, mask);
}

// What a not at a source means is the kernel's only where it combines predicates.
static void negate(const struct wm_ptx_instruction *instruction, struct form_state *threads)
{
    for (unsigned i = 1; i < instruction->operand_count; i++) {
        const struct wm_ptx_operand *operand = &instruction->operands[i];
        unsigned number;
        if (!operand->negated || instruction->opcode == WM_PTX_OP_setp ||
            instruction->opcode == WM_PTX_OP_set)
            continue;
        form_register(operand, &number);
        for (unsigned t = 0; t < FORM_THREADS; t++)
            threads[t].p ^= 1u << number;
    }
}

static void check_guarded(const char *form, const struct wm_ptx_instruction *instruction,
                          const char *guard, struct wm_random *random)
{
    static struct form_state before[FORM_THREADS], expected[FORM_THREADS], got[FORM_THREADS];
    uint32_t mask = UINT32_MAX;
    form_draw(before, random);
    if (*guard)
        for (unsigned t = 0; t < FORM_THREADS; t++)
            mask ^= (before[t].p >> 6 & 1) << t;
    memcpy(expected, before, sizeof(before));
    memcpy(got, before, sizeof(before));
    negate(instruction, expected);
    apply(instruction, expected, mask);
    negate(instruction, expected);
    form_run(guard, form, FORM_NO_SPACE, wm_host_best_isa(), got);
    form_expect(form, FORM_NO_SPACE, *guard ? NULL : before, expected, got);
}

// Registers and numbers alone: not special registers, addresses and vectors, and no flag from one
// instruction to the next (.cc, addc, subc: test_form_effects.c).
static bool is_of_lanes(const struct wm_ptx_instruction *instruction)
{
    struct wm_lane_key key = wm_lane_key_of(instruction);
    if (wm_ptx_has(instruction, WM_PTX_cc) || instruction->opcode == WM_PTX_OP_addc ||
        instruction->opcode == WM_PTX_OP_subc || !wm_lane_find(WM_HOST_C, &key) ||
        instruction->operand_count != wm_operand_count(instruction))
        return false;
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        enum wm_ptx_operand_kind kind = instruction->operands[i].kind;
        if (kind != WM_PTX_OPERAND_REGISTER &&
            (i == 0 ? kind != WM_PTX_OPERAND_PAIR : kind != WM_PTX_OPERAND_INTEGER))
            return false;
    }
    return true;
}

static void check(void *context, const char *form)
{
    const struct wm_ptx_instruction *instruction = form_parse(form);
    unsigned *count = context;
    struct wm_random random;
    if (!form_is_wanted(instruction) || !is_of_lanes(instruction))
        return;
    wm_random_init(&random, 1, form);
    check_guarded(form, instruction, "", &random);
    check_guarded(form, instruction, "@!%p6 ", &random);
    ++*count;
}

Test(form_values, of_lane_kernels, .fini = form_release)
{
    unsigned count = 0;
    cr_assert(forms_each("isa.txt", check, &count));
    cr_assert(forms_each("measured.txt", check, &count));
    cr_assert(count > 1800 || getenv("PTX_WITHOUT"), "only %u", count);
}
