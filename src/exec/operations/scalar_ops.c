// Executes scalar forms: see scalar_ops.h.
#include "exec/operations/scalar_ops.h"

static uint64_t read_source(const struct wm_warp *warp, const struct wm_scalar_form *form,
                            unsigned source, unsigned lane)
{
    const void *at = wm_at(warp, form->sources[source]);
    switch (form->source_classes[source]) {
    case WM_CLASS_PREDICATE:
        return (*(const uint64_t *)at >> lane & 1) ^ (form->negated[source] ? 1u : 0u);
    case WM_CLASS_8: return ((const uint64_t *)at)[lane];
    default: return ((const uint32_t *)at)[lane];
    }
}

static uint64_t extended(const struct wm_scalar_form *form, uint64_t value)
{
    unsigned shift = 64 - form->extended_bits;
    return form->extended_bits ? (uint64_t)((int64_t)(value << shift) >> shift) : value;
}

static void write_result(const struct wm_warp *warp, const struct wm_scalar_form *form,
                         unsigned result, const uint64_t values[][2])
{
    if (form->results[result] == WM_NO_OP)
        return;
    void *d = wm_at(warp, form->results[result]);
    for (uint64_t rest = warp->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest);
        uint64_t value = values[lane][result];
        switch (form->result_classes[result]) {
        case WM_CLASS_PREDICATE: {
            uint64_t bit = UINT64_C(1) << lane, *word = d;
            *word = value ? *word | bit : *word & ~bit;
            break;
        }
        case WM_CLASS_8: ((uint64_t *)d)[lane] = value; break;
        default: ((uint32_t *)d)[lane] = (uint32_t)value; break;
        }
    }
}

const struct wm_op *wm_run_scalar(struct wm_warp *warp, const struct wm_op *op)
{
    const struct wm_scalar_form *form = op->scalar;
    uint64_t values[WM_MAX_LANES][2];
    for (uint64_t rest = warp->mask; rest; rest &= rest - 1) {
        unsigned lane = (unsigned)__builtin_ctzll(rest);
        uint64_t sources[WM_SCALAR_SOURCES] = {0};
        for (unsigned i = 0; i < form->source_count; i++)
            sources[i] = read_source(warp, form, i, lane);
        values[lane][1] = 0;
        form->function(form, sources, values[lane]);
        values[lane][0] = extended(form, values[lane][0]);
    }
    // Written last: a result may be the register of a source.
    write_result(warp, form, 0, (const uint64_t(*)[2])values);
    write_result(warp, form, 1, (const uint64_t(*)[2])values);
    return op + 1;
}
