#include "trace_samples.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static uint32_t below(struct wm_random *random, uint32_t bound)
{
    return (uint32_t)wm_random_below(random, bound);
}

void sample_kernel_make(struct sample_kernel *kernel, uint32_t lanes, struct wm_random *random)
{
    static const char *const texts[] = {"add.s32 %r1, %r2, %r3", "ld.global.f32 %f1, [%rd1+4]",
                                        "bra $L1", "st.shared.u32 [%r9], %r4", ""};
    *kernel = (struct sample_kernel){.lanes = lanes};
    for (uint32_t pc = 0; pc < SAMPLE_INSTRUCTIONS; pc++) {
        struct wm_recorded_instruction *it = &kernel->instructions[pc];
        *it = (struct wm_recorded_instruction){
            .text = texts[below(random, 5)],
            .guard = below(random, 4) == 0 ? "%p1" : NULL,
            .source_file = below(random, 3) == 0 ? NULL
                           : below(random, 2)    ? "a.cu"
                                                 : "b.h",
            .source_line = below(random, 300),
            .ptx_line = below(random, UINT32_MAX),
            .exists = below(random, 8) != 0,
            .keeps_waits = true,
            .is_memory = below(random, 3) == 0,
            .generic = below(random, 5) == 0,
            .kind = (enum wm_access_kind)below(random, WM_ACCESS_REDUCTION + 1),
            .space = (enum wm_address_space)below(random, WM_SPACE_TEXTURE + 1)};
        if (below(random, 2) == 0) { // near the one before or anywhere
            it->address = pc > 0 && below(random, 2) == 0 ? wm_recorded_code_end(it - 1)
                                                          : wm_random_u64(random) >> 1;
            it->bytes = 1 + below(random, WM_RECORDED_MOST_CODE_BYTES);
        }
        kernel->slot_before[pc] = kernel->slot_count;
        kernel->slot_count += it->is_memory;
    }
    kernel->slot_before[SAMPLE_INSTRUCTIONS] = kernel->slot_count;
}

// --- Warps ---

static uint64_t random_mask(uint32_t lanes, struct wm_random *random)
{
    uint64_t all = wm_all_lanes(lanes);
    switch (below(random, 4)) {
    case 0: return UINT64_C(1) << below(random, lanes);
    case 1: return (wm_random_u64(random) & all) | 1;
    default: return all;
    }
}

static struct wm_trace_item random_item(const struct sample_kernel *kernel, bool sparse,
                                        struct wm_random *random)
{
    uint32_t first = below(random, SAMPLE_INSTRUCTIONS);
    uint32_t count = sparse ? 1 : 1 + below(random, SAMPLE_INSTRUCTIONS - first);
    struct wm_trace_item item = {.first_pc = first,
                                 .count = count,
                                 .active = random_mask(kernel->lanes, random),
                                 .accesses = WM_TRACE_ONE_EACH};
    uint32_t slots = kernel->slot_before[first + count] - kernel->slot_before[first];
    for (uint32_t i = 0; i < slots && below(random, 3) == 0; i++)
        item.accesses ^= (wm_random_u64(random) & 3) << 2 * below(random, slots);
    if (sparse && below(random, 2) != 0) {
        item.skipped = 1 + below(random, 100);
        item.skipped_lanes = below(random, (uint32_t)item.skipped * kernel->lanes + 1);
    }
    item.event = (enum wm_trace_event)below(random, 4);
    if (item.event == WM_TRACE_NO_EVENT)
        return item;
    item.lanes = random_mask(kernel->lanes, random);
    // Lanes that end without an instruction, or did something to another mbarrier.
    if (item.event >= WM_TRACE_EXIT && below(random, 4) == 0) {
        item.count = 0;
        item.accesses = WM_TRACE_ONE_EACH;
    }
    if (item.event == WM_TRACE_PHASE) {
        bool of_core = kernel->lanes == 1 && item.count == 0;
        enum wm_phase_operation operation =
            (enum wm_phase_operation)below(random, of_core ? WM_PHASE_RECORDED : WM_PHASE_FOLLOWS);
        bool of_command = operation == WM_PHASE_ISSUES || operation == WM_PHASE_AWAITS;
        bool alone = wm_trace_phase_of_cluster(operation) || operation == WM_PHASE_FENCE ||
                     operation == WM_PHASE_TURN_END;
        item.barrier = wm_trace_phase_word(
            operation, alone || of_command ? 0 : below(random, WM_MOST_MBARRIERS));
        item.threads = alone ? 0 : (uint32_t)wm_random_u64(random) >> below(random, 32);
        if (of_command && item.threads == 0)
            item.threads = 1;
    }
    if (item.event == WM_TRACE_ARRIVAL) {
        item.barrier = below(random, 16);
        item.threads = below(random, 2) * 32 * below(random, 33);
        item.waits = below(random, 2) != 0;
        item.others = below(random, 2) != 0;
    }
    return item;
}

uint32_t sample_item_accesses(const struct sample_kernel *kernel, const struct wm_trace_item *item)
{
    uint32_t count = 0, first = kernel->slot_before[item->first_pc];
    uint32_t end = kernel->slot_before[item->first_pc + item->count];
    for (uint32_t slot = first; slot < end; slot++)
        count += (uint32_t)(item->accesses >> 2 * (slot - first) & 3);
    return count;
}

// How a slot's accesses go on: mostly by a stride, now and then anywhere.
struct walker {
    uint64_t base, step, stride, mask;
    uint32_t space, kind, hint, bytes;
};

static void turn(struct walker *walker, uint32_t lanes, struct wm_random *random)
{
    static const uint32_t widths[] = {1, 2, 4, 8, 16, 256};
    static const uint64_t strides[] = {0, 4, 8, 128, (uint64_t)-4, UINT64_C(1) << 40};
    switch (below(random, 12)) {
    case 0: walker->base = wm_random_u64(random) >> below(random, 64); break;
    case 1: walker->step = strides[below(random, 6)]; break;
    case 2: walker->stride = strides[below(random, 6)]; break;
    case 3: walker->mask = random_mask(lanes, random); break;
    case 4:
        walker->space = below(random, WM_SPACE_TEXTURE + 1);
        walker->bytes = widths[below(random, 6)];
        break;
    case 5:
        walker->kind = below(random, WM_ACCESS_REDUCTION + 1);
        walker->hint = below(random, WM_HINT_NO_L1 + 1);
        break;
    default: break;
    }
    walker->base += walker->step;
}

static void make_access(struct sample_access *put, uint32_t slot, struct walker *walker,
                        uint32_t lanes, struct wm_random *random)
{
    turn(walker, lanes, random);
    put->slot = slot;
    put->access = (struct wm_warp_access){.kind = (enum wm_access_kind)walker->kind,
                                          .space = (enum wm_address_space)walker->space,
                                          .hint = (enum wm_cache_hint)walker->hint,
                                          .bytes_per_lane = walker->bytes,
                                          .lanes = lanes,
                                          .active = walker->mask};
    bool irregular = below(random, 5) == 0;
    uint32_t row_shift = below(random, 4) == 0 ? 1 + (uint32_t)below(random, 5) : 6;
    for (uint32_t lane = 0; lane < lanes; lane++)
        put->addresses[lane] = irregular
                                   ? wm_random_u64(random) >> below(random, 60)
                                   : walker->base + (lane % (1u << row_shift)) * walker->stride +
                                         (lane >> row_shift) * UINT64_C(0xfffffff000010040);
}

void sample_warp_make(const struct sample_kernel *kernel, uint32_t items, bool sparse,
                      struct wm_random *random, struct sample_warp *warp)
{
    struct wm_trace_item known[6];
    struct walker walkers[SAMPLE_INSTRUCTIONS];
    for (int i = 0; i < 6; i++)
        known[i] = random_item(kernel, sparse, random);
    for (int i = 0; i < SAMPLE_INSTRUCTIONS; i++)
        walkers[i] = (struct walker){.base = wm_random_u64(random),
                                     .stride = 4,
                                     .mask = wm_all_lanes(kernel->lanes),
                                     .bytes = 4};
    *warp = (struct sample_warp){.items = calloc(items + 1, sizeof *warp->items)};
    uint32_t at = 0;
    while (warp->item_count < items) {
        // Mostly in a loop, so that predictions hold; sometimes elsewhere.
        struct wm_trace_item *item = &warp->items[warp->item_count++];
        *item = below(random, 10) == 0 ? random_item(kernel, sparse, random) : known[at++ % 6];
        warp->access_count += sample_item_accesses(kernel, item);
    }
    warp->accesses = calloc(warp->access_count + 1, sizeof *warp->accesses);
    uint32_t made = 0;
    for (uint32_t i = 0; i < items; i++) {
        const struct wm_trace_item *item = &warp->items[i];
        uint32_t first = kernel->slot_before[item->first_pc];
        uint32_t end = kernel->slot_before[item->first_pc + item->count];
        for (uint32_t slot = first; slot < end; slot++)
            for (uint64_t n = item->accesses >> 2 * (slot - first) & 3; n > 0; n--)
                make_access(&warp->accesses[made++], slot, &walkers[slot], kernel->lanes, random);
    }
    cr_assert_eq(made, warp->access_count);
}

void sample_warp_release(struct sample_warp *warp)
{
    free(warp->items);
    free(warp->accesses);
    *warp = (struct sample_warp){0};
}

void sample_warp_feed(const struct sample_kernel *kernel, const struct sample_warp *warp,
                      uint32_t from, uint32_t to, uint32_t *access, struct wm_warp_encoder *encoder)
{
    for (uint32_t i = from; i < to; i++) {
        for (uint32_t n = sample_item_accesses(kernel, &warp->items[i]); n > 0; n--) {
            const struct sample_access *put = &warp->accesses[(*access)++];
            struct wm_warp_access given = put->access;
            given.addresses = put->addresses;
            wm_warp_encoder_access(encoder, put->slot, &given, 0);
        }
        wm_warp_encoder_item(encoder, &warp->items[i]);
    }
}

void sample_access_compare(const struct wm_warp_access *got, const struct sample_access *put)
{
    const struct wm_warp_access *want = &put->access;
    cr_assert_eq(got->kind, want->kind);
    cr_assert_eq(got->space, want->space);
    cr_assert_eq(got->hint, want->hint);
    cr_assert_eq(got->bytes_per_lane, want->bytes_per_lane);
    cr_assert_eq(got->lanes, want->lanes);
    cr_assert_eq(got->active, want->active);
    for (uint32_t lane = 0; lane < want->lanes; lane++)
        if ((want->active >> lane & 1) != 0)
            cr_assert_eq(got->addresses[lane], put->addresses[lane], "lane %u", lane);
}
