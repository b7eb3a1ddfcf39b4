// Frames: chunks of many blocks packed together and taken apart.
#include "trace_samples.h"

#include "trace/frame/frame.h"

#include <criterion/criterion.h>
#include <stdlib.h>

enum { WARPS = 3, CHUNKS = 40, SLOTS = 5 };

struct packed {
    struct wm_warp_encoder encoders[CHUNKS][WARPS];
    struct wm_frame_chunk chunks[CHUNKS];
};

static void make(struct packed *packed, struct wm_random *random)
{
    for (uint32_t c = 0; c < CHUNKS; c++) {
        packed->chunks[c] = (struct wm_frame_chunk){.block = wm_random_u64(random) >> 1,
                                                    .sequence = wm_random_below(random, 1000),
                                                    .last = wm_random_below(random, 2) != 0};
        for (uint32_t w = 0; w < WARPS; w++) {
            struct wm_warp_encoder *encoder = &packed->encoders[c][w];
            *encoder = (struct wm_warp_encoder){.firsts = calloc(SLOTS, sizeof *encoder->firsts),
                                                .steps = wm_random_below(random, 1 << 20)};
            // A few strings for many warps, one of them empty.
            for (uint64_t i = wm_random_below(random, 4); i > 0; i--)
                wm_bytes_put_number(&encoder->control, i);
            for (uint64_t i = wm_random_below(random, 300); i % 5 != 0; i--)
                wm_bytes_put_number(&encoder->data, i);
            uint32_t slots[SLOTS] = {3, 0, 4, 1, 2};
            encoder->first_count = (uint32_t)wm_random_below(random, SLOTS + 1);
            for (uint32_t i = 0; i < encoder->first_count; i++) {
                bool rows = wm_random_below(random, 3) == 0;
                encoder->firsts[i] = (struct wm_trace_first_access){
                    .slot = slots[i],
                    .base = wm_random_u64(random),
                    .shape = {.mask = 1 + wm_random_below(random, UINT32_MAX),
                              .stride = wm_random_u64(random) >> wm_random_below(random, 64),
                              .row_shift = rows ? (uint8_t)(1 + wm_random_below(random, 5)) : 0,
                              .row_stride = rows ? wm_random_u64(random) : 0,
                              .irregular = !rows && wm_random_below(random, 2) != 0,
                              .space = (uint8_t)wm_random_below(random, WM_SPACE_TEXTURE + 1),
                              .kind = (uint8_t)wm_random_below(random, WM_ACCESS_REDUCTION + 1),
                              .hint = (uint8_t)wm_random_below(random, WM_HINT_NO_L1 + 1),
                              .bytes_per_lane = (uint16_t)(1 + wm_random_below(random, 256))}};
            }
        }
    }
}

static void release(struct packed *packed)
{
    for (uint32_t c = 0; c < CHUNKS; c++)
        for (uint32_t w = 0; w < WARPS; w++)
            wm_warp_encoder_release(&packed->encoders[c][w]);
}

static struct wm_bytes pack(const struct packed *packed, struct wm_frame_packer *packer)
{
    struct wm_bytes content = {0};
    wm_frame_packer_begin(packer, SLOTS, WARPS);
    for (uint32_t c = 0; c < CHUNKS; c++)
        wm_frame_packer_add(packer, packed->chunks[c].block, packed->chunks[c].sequence,
                            packed->chunks[c].last, packed->encoders[c]);
    wm_frame_packer_end(packer, 77, &content);
    cr_assert(!content.failed);
    return content;
}

static void compare_string(const struct wm_frame *frame, uint32_t number,
                           const struct wm_bytes *want)
{
    struct wm_cursor got = frame->strings[number];
    cr_assert_eq(wm_cursor_left(&got), want->length);
    if (want->length != 0)
        cr_assert_arr_eq(got.at, want->data, want->length);
}

static void compare_first(const struct wm_trace_first_access *got,
                          const struct wm_trace_first_access *want)
{
    cr_assert_eq(got->slot, want->slot);
    cr_assert_eq(got->base, want->base);
    cr_assert_eq(got->shape.mask, want->shape.mask);
    cr_assert_eq(got->shape.stride, want->shape.stride);
    cr_assert_eq(got->shape.row_shift, want->shape.row_shift);
    cr_assert_eq(got->shape.row_stride, want->shape.row_stride);
    cr_assert_eq(got->shape.irregular, want->shape.irregular);
    cr_assert_eq(got->shape.space, want->shape.space);
    cr_assert_eq(got->shape.kind, want->shape.kind);
    cr_assert_eq(got->shape.hint, want->shape.hint);
    cr_assert_eq(got->shape.bytes_per_lane, want->shape.bytes_per_lane);
}

static void compare(const struct packed *packed, const struct wm_frame *frame)
{
    cr_assert_eq(frame->launch, 77);
    cr_assert_eq(frame->chunk_count, CHUNKS);
    for (uint32_t c = 0; c < CHUNKS; c++) {
        cr_assert_eq(frame->chunks[c].block, packed->chunks[c].block);
        cr_assert_eq(frame->chunks[c].sequence, packed->chunks[c].sequence);
        cr_assert_eq(frame->chunks[c].last, packed->chunks[c].last);
        for (uint32_t w = 0; w < WARPS; w++) {
            const struct wm_frame_warp *warp = &frame->warp[c * WARPS + w];
            const struct wm_warp_encoder *encoder = &packed->encoders[c][w];
            compare_string(frame, warp->control, &encoder->control);
            compare_string(frame, warp->data, &encoder->data);
            cr_assert_eq(warp->steps, encoder->steps);
            cr_assert_eq(warp->first_count, encoder->first_count);
            for (uint32_t i = 0; i < warp->first_count; i++) {
                struct wm_trace_first_access got = wm_frame_first(frame, warp->first + i);
                compare_first(&got, &encoder->firsts[i]);
            }
        }
    }
}

Test(frame, comes_back)
{
    struct wm_frame_packer packer = {0};
    struct wm_random random;
    struct wm_frame frame;
    struct wm_error error;
    static struct packed packed;
    wm_random_init(&random, 3, "frame");
    for (int round = 0; round < 50; round++) {
        make(&packed, &random);
        struct wm_bytes content = pack(&packed, &packer);
        cr_assert_eq(wm_frame_unpack(&content, SLOTS, WARPS, 32, &frame, &error), WM_OK);
        cr_assert_null(content.data, "taken over");
        compare(&packed, &frame);
        // Equal strings are kept once.
        for (uint64_t a = 0; a < frame.string_count; a++)
            for (uint64_t b = 0; b < a; b++)
                cr_assert(wm_cursor_left(&frame.strings[a]) != wm_cursor_left(&frame.strings[b]) ||
                          memcmp(frame.strings[a].at, frame.strings[b].at,
                                 wm_cursor_left(&frame.strings[a])) != 0);
        wm_frame_release(&frame);
        release(&packed);
    }
    wm_frame_packer_release(&packer);
}

// What names a slot or a lane that is not there, or has another number of warps, is refused.
Test(frame, must_fit_its_launch)
{
    struct wm_frame_packer packer = {0};
    struct wm_random random;
    struct wm_frame frame;
    static struct packed packed;
    static const struct {
        uint32_t slots, warps, lanes;
    } other[] = {{SLOTS - 1, WARPS, 32},
                 {SLOTS, WARPS + 1, 32},
                 {SLOTS, WARPS - 1, 32},
                 {SLOTS, WARPS, 1},
                 {0, WARPS, 32}};
    wm_random_init(&random, 4, "frame");
    make(&packed, &random);
    for (size_t i = 0; i < sizeof other / sizeof other[0]; i++) {
        struct wm_bytes content = pack(&packed, &packer);
        cr_assert_eq(
            wm_frame_unpack(&content, other[i].slots, other[i].warps, other[i].lanes, &frame, NULL),
            WM_INVALID, "%zu", i);
    }
    release(&packed);
    wm_frame_packer_release(&packer);
}

// Cut at each length, and with each byte changed: an error, or a frame that holds together.
Test(frame, damage_is_an_error)
{
    struct wm_frame_packer packer = {0};
    struct wm_random random;
    static struct packed packed;
    wm_random_init(&random, 6, "frame");
    make(&packed, &random);
    struct wm_bytes whole = pack(&packed, &packer);
    for (size_t i = 0; i < 2 * whole.length; i++) {
        bool cut = i < whole.length;
        size_t length = cut ? i : whole.length;
        struct wm_bytes content = {
            .data = malloc(length + (length == 0)), .length = length, .capacity = length};
        memcpy(content.data, whole.data, length);
        if (!cut)
            content.data[i - whole.length] ^= (uint8_t)(1 + wm_random_below(&random, 255));
        struct wm_frame frame;
        enum wm_status status = wm_frame_unpack(&content, SLOTS, WARPS, 32, &frame, NULL);
        cr_assert(!cut || status == WM_INVALID, "cut at %zu", length);
        if (status != WM_OK)
            continue;
        for (uint64_t w = 0; w < frame.chunk_count * WARPS; w++) {
            cr_assert_lt(frame.warp[w].control, frame.string_count);
            cr_assert_lt(frame.warp[w].data, frame.string_count);
            cr_assert_leq(frame.warp[w].first + frame.warp[w].first_count, frame.first_count);
        }
        for (uint64_t f = 0; f < frame.first_count; f++) {
            cr_assert_lt(frame.firsts[f].slot, SLOTS);
            cr_assert_lt(frame.firsts[f].shape, frame.shape_count);
        }
        wm_frame_release(&frame);
    }
    wm_bytes_release(&whole);
    release(&packed);
    wm_frame_packer_release(&packer);
}

// A frame says how long it takes, and none takes longer than the format allows.
Test(frame, has_so_many_steps)
{
    struct wm_frame_packer packer = {0};
    struct wm_random random;
    struct wm_frame frame;
    struct wm_error error;
    static struct packed packed;
    wm_random_init(&random, 5, "steps");
    make(&packed, &random);
    for (int more = 0; more < 2; more++) {
        uint64_t left = WM_TRACE_FRAME_STEPS + (uint64_t)more;
        for (uint32_t w = 0; w < CHUNKS * WARPS; w++) {
            struct wm_warp_encoder *encoder = &packed.encoders[w / WARPS][w % WARPS];
            encoder->steps = w + 1 < CHUNKS * WARPS ? left / 3 : left;
            left -= encoder->steps;
        }
        struct wm_bytes content = pack(&packed, &packer);
        enum wm_status status = wm_frame_unpack(&content, SLOTS, WARPS, 32, &frame, &error);
        cr_assert_eq(status, more == 0 ? WM_OK : WM_INVALID);
        if (status == WM_OK)
            wm_frame_release(&frame);
        else
            cr_assert_not_null(strstr(error.message, "more steps than any may"));
    }
    // Differences of steps that go around 2^64.
    packed.encoders[0][0].steps = UINT64_MAX - 5;
    struct wm_bytes content = pack(&packed, &packer);
    cr_assert_eq(wm_frame_unpack(&content, SLOTS, WARPS, 32, &frame, &error), WM_INVALID);
    release(&packed);
    wm_frame_packer_release(&packer);
}
