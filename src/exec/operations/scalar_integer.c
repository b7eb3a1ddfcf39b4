// Integer instructions of later machines: pairs of 16 bits, .relu, lop3 with a predicate (PTX
// ISA 9.7.1, 9.7.8.6).
#include "exec/operations/scalar_ops.h"

#include "exec/operations/async_ops.h"

enum { ADD, LEAST, MOST };

static int64_t picked(unsigned kind, int64_t a, int64_t b)
{
    switch (kind) {
    case ADD: return a + b;
    case LEAST: return a < b ? a : b;
    default: return a < b ? b : a;
    }
}

static void pair_of_16(const struct wm_scalar_form *form, const uint64_t *s, uint64_t *results)
{
    bool is_signed = form->instruction->type == WM_PTX_s16x2;
    results[0] = 0;
    for (unsigned shift = 0; shift < 32; shift += 16) {
        uint16_t a = (uint16_t)(s[0] >> shift), b = (uint16_t)(s[1] >> shift);
        int64_t value =
            is_signed ? picked(form->kind, (int16_t)a, (int16_t)b) : picked(form->kind, a, b);
        if (form->relu && value < 0)
            value = 0;
        results[0] |= (uint64_t)(uint16_t)value << shift;
    }
}

static void clipped_extreme(const struct wm_scalar_form *form, const uint64_t *s, uint64_t *results)
{
    int64_t value = picked(form->kind, (int32_t)s[0], (int32_t)s[1]);
    results[0] = (uint32_t)(value < 0 ? 0 : value);
}

// The row of the table for each bit is a, b, c, a the highest.
static void logic_with_predicate(const struct wm_scalar_form *form, const uint64_t *s,
                                 uint64_t *results)
{
    const struct wm_ptx_instruction *instruction = form->instruction;
    uint32_t table = (uint32_t)instruction->operands[4].bits, word = 0;
    for (unsigned row = 0; row < 8; row++) {
        uint32_t a = (uint32_t)s[0], b = (uint32_t)s[1], c = (uint32_t)s[2];
        uint32_t here = (row & 4 ? a : ~a) & (row & 2 ? b : ~b) & (row & 1 ? c : ~c);
        word |= table >> row & 1 ? here : 0;
    }
    bool set = word != 0, q = s[3];
    results[0] = word;
    results[1] = wm_ptx_has(instruction, WM_PTX_or) ? set || q : set && q;
}

static void pending_count(const struct wm_scalar_form *form, const uint64_t *s, uint64_t *results)
{
    (void)form;
    results[0] = wm_mbarrier_pending(s[0]);
}

static bool is_pair(wm_ptx_type type)
{
    return type == WM_PTX_u16x2 || type == WM_PTX_s16x2;
}

static bool plan_logic(const struct wm_ptx_instruction *instruction, struct wm_scalar_plan *plan)
{
    *plan = (struct wm_scalar_plan){
        .function = logic_with_predicate,
        .results = {WM_PTX_b32, WM_PTX_pred},
        .sources = {WM_PTX_b32, WM_PTX_b32, WM_PTX_b32, WM_PTX_pred},
    };
    return instruction->operand_count == 6 &&
           instruction->operands[4].kind == WM_PTX_OPERAND_INTEGER &&
           (wm_ptx_has(instruction, WM_PTX_or) || wm_ptx_has(instruction, WM_PTX_and));
}

bool wm_scalar_integer(const struct wm_ptx_instruction *instruction, struct wm_scalar_plan *plan)
{
    wm_ptx_type type = instruction->type;
    *plan = (struct wm_scalar_plan){.results = {type}, .sources = {type, type}};
    switch (instruction->opcode) {
    case WM_PTX_OP_add: plan->kind = ADD; break;
    case WM_PTX_OP_min: plan->kind = LEAST; break;
    case WM_PTX_OP_max: plan->kind = MOST; break;
    case WM_PTX_OP_lop3: return plan_logic(instruction, plan);
    case WM_PTX_OP_mbarrier:
        *plan = (struct wm_scalar_plan){
            .function = pending_count, .results = {WM_PTX_u32}, .sources = {WM_PTX_b64}};
        return wm_ptx_has(instruction, WM_PTX_pending_count) && instruction->operand_count == 2;
    default: return false;
    }
    bool relu = wm_ptx_has(instruction, WM_PTX_relu);
    if (is_pair(type) && !(relu && (plan->kind == ADD || type == WM_PTX_u16x2)))
        plan->function = pair_of_16;
    else if (type == WM_PTX_s32 && relu && plan->kind != ADD)
        plan->function = clipped_extreme;
    return plan->function && instruction->operand_count == 3;
}
