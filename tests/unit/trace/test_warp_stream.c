// A warp's stream, encoded and decoded: every field of every item and access comes back.
#include "trace_samples.h"

#include "trace/warp/decoder.h"

#include <criterion/criterion.h>
#include <stdlib.h>

struct decoding {
    struct wm_warp_decoder decoder;
    struct wm_trace_item successors[WM_TRACE_KEYS];
    struct wm_decoded_first *firsts;
    struct wm_trace_shape *shapes;
    struct wm_trace_plan *plan;
};

enum { MOST_PLANNED = 1000 };

// `planned`: with all items read before.
static void begin_with(struct decoding *it, const struct sample_kernel *kernel,
                       const struct wm_warp_encoder *encoder, bool planned)
{
    it->decoder =
        (struct wm_warp_decoder){.slots = calloc(kernel->slot_count + 1, sizeof *it->decoder.slots),
                                 .successors = it->successors,
                                 .slot_count = kernel->slot_count,
                                 .instruction_count = SAMPLE_INSTRUCTIONS,
                                 .lanes = kernel->lanes};
    it->firsts = calloc(encoder->first_count + 1, sizeof *it->firsts);
    it->shapes = calloc(encoder->first_count + 1, sizeof *it->shapes);
    for (uint32_t i = 0; i < encoder->first_count; i++) {
        it->firsts[i] = (struct wm_decoded_first){
            .slot = encoder->firsts[i].slot, .base = encoder->firsts[i].base, .shape = i};
        it->shapes[i] = encoder->firsts[i].shape;
    }
    struct wm_warp_part part = {.control =
                                    wm_cursor_of(encoder->control.data, encoder->control.length),
                                .data = wm_cursor_of(encoder->data.data, encoder->data.length),
                                .firsts = it->firsts,
                                .shapes = it->shapes,
                                .first_count = encoder->first_count,
                                .steps = encoder->steps};
    it->plan = planned ? wm_trace_plan_new(&it->decoder, &part, MOST_PLANNED) : NULL;
    cr_assert_eq(it->plan != NULL, planned);
    part.plan = it->plan;
    wm_warp_decoder_begin(&it->decoder, &part);
}

static void begin(struct decoding *it, const struct sample_kernel *kernel,
                  const struct wm_warp_encoder *encoder)
{
    begin_with(it, kernel, encoder, false);
}

static void end(struct decoding *it)
{
    free(it->decoder.slots);
    free(it->firsts);
    free(it->shapes);
    free(it->plan);
}

static void compare_decoding(const struct sample_kernel *kernel, const struct sample_warp *warp,
                             const struct wm_warp_encoder *encoder, bool planned)
{
    struct decoding it;
    struct wm_trace_item item;
    uint64_t addresses[WM_MAX_LANES];
    uint32_t next = 0;
    begin_with(&it, kernel, encoder, planned);
    for (uint32_t i = 0; i < warp->item_count; i++) {
        cr_assert(wm_warp_decoder_item(&it.decoder, &item), "item %u", i);
        cr_assert(wm_trace_item_equal(&item, &warp->items[i]), "item %u", i);
        for (uint32_t n = sample_item_accesses(kernel, &item); n > 0; n--) {
            struct wm_warp_access access;
            const struct sample_access *put = &warp->accesses[next++];
            cr_assert(wm_warp_decoder_access(&it.decoder, put->slot, &access, addresses));
            sample_access_compare(&access, put);
        }
    }
    cr_assert(!wm_warp_decoder_item(&it.decoder, &item));
    cr_assert(!it.decoder.control.bad && !it.decoder.data.bad);
    cr_assert_eq(wm_cursor_left(&it.decoder.data), 0);
    cr_assert_eq(it.decoder.firsts_left, 0);
    end(&it);
}

static void compare(const struct sample_kernel *kernel, const struct sample_warp *warp,
                    const struct wm_warp_encoder *encoder)
{
    compare_decoding(kernel, warp, encoder, false);
    compare_decoding(kernel, warp, encoder, true);
}

static void round_trips(uint32_t lanes, bool sparse)
{
    struct wm_warp_encoder encoder = {0};
    struct wm_random random;
    wm_random_init(&random, lanes, "warp stream");
    for (int round = 0; round < 150; round++) {
        struct sample_kernel kernel;
        struct sample_warp warp;
        uint32_t access = 0;
        sample_kernel_make(&kernel, lanes, &random);
        sample_warp_make(&kernel, (uint32_t)wm_random_below(&random, 120), sparse, &random, &warp);
        wm_warp_encoder_begin(&encoder, kernel.slot_count);
        sample_warp_feed(&kernel, &warp, 0, warp.item_count, &access, &encoder);
        wm_warp_encoder_end(&encoder);
        cr_assert(!encoder.failed);
        compare(&kernel, &warp, &encoder);
        sample_warp_release(&warp);
    }
    wm_warp_encoder_release(&encoder);
}

Test(warp_stream, comes_back_of_32_lanes)
{
    round_trips(32, false);
    round_trips(32, true);
}

Test(warp_stream, comes_back_of_64_lanes)
{
    round_trips(64, false);
    round_trips(64, true);
}

Test(warp_stream, comes_back_of_one_lane)
{
    round_trips(1, false);
}

// A kernel of one loop: add, load.
static void make_loop(struct sample_kernel *kernel)
{
    *kernel = (struct sample_kernel){.lanes = 32, .slot_count = 1};
    kernel->instructions[1].is_memory = true;
    for (uint32_t pc = 2; pc <= SAMPLE_INSTRUCTIONS; pc++)
        kernel->slot_before[pc] = 1;
}

// A loop that does the same a million times has a string of a few bytes; the place does not count.
Test(warp_stream, a_loop_is_a_few_bytes)
{
    struct sample_kernel kernel;
    struct wm_warp_encoder encoders[2] = {0};
    uint64_t addresses[32];
    make_loop(&kernel);
    for (int e = 0; e < 2; e++) {
        wm_warp_encoder_begin(&encoders[e], 1);
        struct wm_trace_item item = {
            .count = 2, .active = UINT32_MAX, .accesses = WM_TRACE_ONE_EACH};
        struct wm_warp_access access = {
            .bytes_per_lane = 4, .lanes = 32, .active = UINT32_MAX, .addresses = addresses};
        for (uint64_t i = 0; i < 1000000; i++) {
            for (uint64_t lane = 0; lane < 32; lane++)
                addresses[lane] = UINT64_C(0x70000000) * (uint64_t)(e + 1) + 128 * i + 4 * lane;
            wm_warp_encoder_access(&encoders[e], 0, &access, 0);
            wm_warp_encoder_item(&encoders[e], &item);
        }
        wm_warp_encoder_end(&encoders[e]);
        cr_assert_leq(encoders[e].control.length, 16);
        cr_assert_leq(encoders[e].data.length, 8);
    }
    cr_assert_eq(encoders[0].data.length, encoders[1].data.length);
    cr_assert_arr_eq(encoders[0].data.data, encoders[1].data.data, encoders[0].data.length);
    cr_assert_eq(encoders[1].firsts[0].base, UINT64_C(0xe0000000));
    for (int e = 0; e < 2; e++)
        wm_warp_encoder_release(&encoders[e]);
}

Test(warp_stream, local_addresses_count_from_the_blocks)
{
    struct sample_kernel kernel;
    struct wm_warp_encoder encoder = {0};
    uint64_t addresses[32], got[WM_MAX_LANES];
    make_loop(&kernel);
    wm_warp_encoder_begin(&encoder, 1);
    struct wm_warp_access access = {.space = WM_SPACE_LOCAL,
                                    .bytes_per_lane = 4,
                                    .lanes = 32,
                                    .active = 0xff00,
                                    .addresses = addresses};
    for (uint64_t i = 0; i < 3; i++) {
        for (uint64_t lane = 0; lane < 32; lane++)
            addresses[lane] = 5000 + (i == 2 ? lane * lane : 4 * lane + i);
        wm_warp_encoder_access(&encoder, 0, &access, 5000);
    }
    wm_warp_encoder_end(&encoder);
    struct decoding it;
    begin(&it, &kernel, &encoder);
    for (uint64_t i = 0; i < 3; i++) {
        cr_assert(wm_warp_decoder_access(&it.decoder, 0, &access, got));
        for (uint64_t lane = 8; lane < 16; lane++)
            cr_assert_eq(got[lane], i == 2 ? lane * lane : 4 * lane + i);
    }
    end(&it);
    wm_warp_encoder_release(&encoder);
}

// What cannot be read to its end, or is longer than requested, is no plan.
Test(warp_stream, what_is_no_plan)
{
    const uint8_t item[] = {1, 0, 1, 7}; // pc 0, one instruction, lanes 0 to 2
    uint8_t bytes[3 * sizeof item];
    struct wm_warp_decoder decoder = {.instruction_count = SAMPLE_INSTRUCTIONS, .lanes = 32};
    for (size_t i = 0; i < 3; i++)
        memcpy(bytes + i * sizeof item, item, sizeof item);
    struct wm_warp_part part = {.control = wm_cursor_of(bytes, sizeof bytes), .steps = 3};
    struct wm_trace_plan *plan = wm_trace_plan_new(&decoder, &part, 3);
    cr_assert_not_null(plan);
    cr_assert_eq(plan->count, 3);
    cr_assert_eq(plan->items[2].first_pc, 2);
    cr_assert_eq(plan->items[0].active, 7);
    free(plan);
    cr_assert_null(wm_trace_plan_new(&decoder, &part, 2));
    part.steps = 4;
    cr_assert_null(wm_trace_plan_new(&decoder, &part, 3));
    part.steps = 2;
    cr_assert_null(wm_trace_plan_new(&decoder, &part, 3));
    part = (struct wm_warp_part){.control = wm_cursor_of(bytes, sizeof bytes - 1), .steps = 3};
    cr_assert_null(wm_trace_plan_new(&decoder, &part, 3));
}

// Any bytes: nothing beyond them is read (the sanitizer sees it), and nothing comes out that the
// kernel has not.
Test(warp_stream, any_bytes_end)
{
    struct wm_random random;
    struct sample_kernel kernel;
    wm_random_init(&random, 5, "any bytes");
    sample_kernel_make(&kernel, 32, &random);
    struct wm_trace_first_access first = {
        .slot = 0, .base = 64, .shape = {.mask = 1, .bytes_per_lane = 4}};
    for (int round = 0; round < 20000; round++) {
        uint8_t *bytes = malloc(24);
        for (int i = 0; i < 24; i++)
            bytes[i] = (uint8_t)(wm_random_u64(&random) >> wm_random_below(&random, 64));
        struct wm_warp_encoder strings = {.control = {.data = bytes, .length = 12},
                                          .data = {.data = bytes + 12, .length = 12},
                                          .firsts = &first,
                                          .first_count = 1,
                                          .steps = wm_random_below(&random, 200)};
        struct decoding it;
        struct wm_trace_item item;
        struct wm_warp_access access;
        uint64_t addresses[WM_MAX_LANES];
        begin(&it, &kernel, &strings);
        for (int i = 0; i < 100 && wm_warp_decoder_item(&it.decoder, &item); i++) {
            cr_assert((item.count > 0 || item.event >= WM_TRACE_EXIT) &&
                      item.first_pc < SAMPLE_INSTRUCTIONS &&
                      item.first_pc + item.count <= SAMPLE_INSTRUCTIONS);
            cr_assert_eq(item.active >> 32, 0);
            if (wm_warp_decoder_access(&it.decoder, (uint32_t)i % kernel.slot_count, &access,
                                       addresses))
                cr_assert(access.active != 0 && access.active >> 32 == 0 &&
                          access.bytes_per_lane > 0 && access.bytes_per_lane <= 256 &&
                          access.hint <= WM_HINT_NO_L1 && access.space <= WM_SPACE_TEXTURE);
        }
        end(&it);
        free(bytes);
    }
}

// The builds of the question whether lanes lie as expected, on shapes they have and nearly have.
Test(warp_stream, every_build_knows_a_shape)
{
    const struct wm_address_pattern_functions *const builds[] = {&wm_address_pattern_c,
                                                                 wm_address_pattern_avx512_find()};
    struct wm_random random;
    wm_random_init(&random, 7, "address patterns");
    for (int round = 0; round < 40000; round++) {
        struct wm_trace_shape shape = {
            .stride = wm_random_u64(&random) >> wm_random_below(&random, 64),
            .row_shift = (uint8_t)wm_random_below(&random, 6),
        };
        if (shape.row_shift != 0)
            shape.row_stride = wm_random_u64(&random) >> wm_random_below(&random, 64);
        bool narrow = round % 2 == 0;
        uint32_t mask = (uint32_t)(wm_random_u64(&random) | wm_random_u64(&random)) | 1;
        uint64_t base = wm_random_u64(&random) >> wm_random_below(&random, 64);
        uint64_t offset = wm_random_u64(&random), wide[32];
        uint32_t row = shape.row_shift != 0 ? 1u << shape.row_shift : 32, words[32];
        bool matches = true;
        for (uint32_t lane = 0; lane < 32; lane++) {
            uint64_t there = base + lane % row * shape.stride + lane / row * shape.row_stride;
            bool moved = wm_random_below(&random, 40) == 0;
            if (moved)
                there ^= UINT64_C(1) << wm_random_below(&random, narrow ? 32 : 64);
            matches &= (mask >> lane & 1) == 0 || (!moved && (!narrow || there >> 32 == 0));
            wide[lane] = there - offset;
            words[lane] = (uint32_t)there - (uint32_t)offset;
        }
        for (size_t i = 0; i < sizeof builds / sizeof builds[0]; i++)
            if (builds[i] != NULL)
                cr_assert_eq(narrow ? builds[i]->narrow(words, offset, mask, base, &shape)
                                    : builds[i]->wide(wide, offset, mask, base, &shape),
                             matches, "build %zu, rows 2^%u", i, shape.row_shift);
    }
}

// One of three instructions that read one address register, now and then irregular, of some lanes.
static void next_registers(struct wm_random *random, uint32_t lanes, uint64_t *registers,
                           uint64_t *active)
{
    uint64_t all = lanes == 64 ? UINT64_MAX : UINT32_MAX, stride = wm_random_below(random, 3) * 4;
    uint32_t row = 4u << wm_random_below(random, 5);
    if (wm_random_below(random, 8) == 0)
        stride = UINT64_C(5) << 32;
    uint64_t base = 4096 * wm_random_below(random, 8);
    for (uint32_t lane = 0; lane < lanes; lane++)
        registers[lane] = base + lane % row * stride + lane / row * 640;
    if (wm_random_below(random, 6) == 0)
        registers[wm_random_below(random, lanes)] += 12;
    if (wm_random_below(random, 3) == 0)
        *active = wm_random_below(random, 3) == 0 ? UINT64_C(1) << wm_random_below(random, lanes)
                                                  : (wm_random_u64(random) & all) | 2;
    else if (wm_random_below(random, 3) == 0)
        *active = all;
}

// An access by registers is written as the same access by addresses, whatever came before it.
static void by_registers_alike(const struct wm_address_pattern_functions *matches, uint32_t lanes,
                               bool narrow)
{
    struct wm_warp_encoder encoders[2] = {0};
    struct wm_random random;
    uint64_t registers[WM_MAX_LANES], active = 1, addresses[WM_MAX_LANES];
    uint32_t words[WM_MAX_LANES];
    wm_random_init(&random, lanes, "planned");
    for (int e = 0; e < 2; e++) {
        wm_warp_encoder_begin(&encoders[e], 3);
        encoders[e].matches = matches;
    }
    for (int round = 0; round < 20000; round++) {
        if (wm_random_below(&random, 2) == 0)
            next_registers(&random, lanes, registers, &active);
        else
            for (uint32_t lane = 0; lane < lanes; lane++)
                registers[lane] += 64;
        for (uint32_t lane = 0; lane < lanes; lane++)
            words[lane] = (uint32_t)registers[lane];
        for (uint32_t slot = 0; slot < 3; slot++) {
            struct wm_memory_instruction instruction = {.space = WM_SPACE_SHARED,
                                                        .bytes_per_lane = 4,
                                                        .lanes = lanes,
                                                        .narrow = narrow,
                                                        .offset = 64 + UINT64_C(20) * slot,
                                                        .pc = slot,
                                                        .reference_pc = 0,
                                                        .apart = UINT64_C(20) * slot};
            if (slot == 2 && wm_random_below(&random, 9) == 0)
                active = UINT64_C(1) << wm_random_below(&random, lanes); // guarded
            const void *from = narrow ? (const void *)words : registers;
            struct wm_warp_access access =
                wm_access_of_instruction(&instruction, from, active, addresses);
            wm_warp_encoder_access(&encoders[0], slot, &access, 0);
            wm_warp_encoder_by_registers(&encoders[1], slot, instruction.reference_pc, &instruction,
                                         from, active);
        }
    }
    for (int e = 0; e < 2; e++)
        wm_warp_encoder_end(&encoders[e]);
    cr_assert_eq(encoders[0].data.length, encoders[1].data.length);
    cr_assert_arr_eq(encoders[0].data.data, encoders[1].data.data, encoders[0].data.length);
    for (int e = 0; e < 2; e++)
        wm_warp_encoder_release(&encoders[e]);
}

Test(warp_stream, plans_are_written_as_addresses)
{
    const struct wm_address_pattern_functions *const builds[] = {&wm_address_pattern_c,
                                                                 wm_address_pattern_avx512_find()};
    for (size_t i = 0; i < sizeof builds / sizeof builds[0] && builds[i] != NULL; i++) {
        by_registers_alike(builds[i], 32, false);
        by_registers_alike(builds[i], 32, true);
        by_registers_alike(builds[i], 64, false);
        by_registers_alike(builds[i], 64, true);
    }
}

// A token of a few bytes says that 2^60 items are as predicted, or that instructions were skipped
// for ever: a reader stops where the chunk's steps end.
Test(warp_stream, steps_bound_what_is_predicted)
{
    struct sample_kernel kernel;
    struct wm_warp_encoder encoder = {0};
    struct wm_trace_item item = {.first_pc = 4, .count = 1, .active = 1, .skipped = 4096 * 7};
    struct wm_trace_item got;
    struct decoding it;
    make_loop(&kernel);
    item.accesses = WM_TRACE_ONE_EACH;
    wm_warp_encoder_begin(&encoder, 1);
    wm_warp_encoder_items(&encoder, &item, 3);
    wm_warp_encoder_end(&encoder);
    cr_assert_eq(encoder.steps, 3 * 8);
    // The run of predicted ones is the last byte: one item becomes 2^60.
    cr_assert_eq(encoder.control.data[--encoder.control.length], 1 << 1);
    wm_bytes_put_number(&encoder.control, UINT64_C(1) << 61);
    begin(&it, &kernel, &encoder);
    for (int i = 0; i < 3; i++)
        cr_assert(wm_warp_decoder_item(&it.decoder, &got));
    cr_assert(!wm_warp_decoder_item(&it.decoder, &got));
    cr_assert(it.decoder.control.bad);
    end(&it);
    for (int more = 0; more < 2; more++) {
        wm_warp_encoder_begin(&encoder, 1);
        item.skipped = WM_TRACE_MOST_SKIPPED + (uint64_t)more;
        wm_warp_encoder_item(&encoder, &item);
        wm_warp_encoder_end(&encoder);
        begin(&it, &kernel, &encoder);
        cr_assert_eq(wm_warp_decoder_item(&it.decoder, &got), more == 0);
        end(&it);
    }
    // And not before they end: a chunk that promises more has lost something.
    wm_warp_encoder_begin(&encoder, 1);
    item.skipped = 0;
    wm_warp_encoder_item(&encoder, &item);
    wm_warp_encoder_end(&encoder);
    encoder.steps++;
    begin(&it, &kernel, &encoder);
    cr_assert(wm_warp_decoder_item(&it.decoder, &got));
    cr_assert(!wm_warp_decoder_item(&it.decoder, &got));
    cr_assert(it.decoder.control.bad);
    end(&it);
    wm_warp_encoder_release(&encoder);
}

// --- Firsts, taken as they are encoded ---

// An access that wm_warp_decoder_take_first may take, but for what a case says. Fields of 0 are as
// usual.
struct first_case {
    const char *what;
    uint8_t token;
    bool no_token, no_first, no_bytes, bad, runs, many, other_slot, irregular;
    uint16_t bytes;
};

static bool takes(const struct first_case *of)
{
    enum { SLOT = 3, OTHER = 4, BASE = 0x1000 };
    uint8_t token = of->token != 0 ? of->token : WM_TRACE_FIRST;
    const struct wm_decoded_first first = {.base = BASE, .slot = of->other_slot ? OTHER : SLOT};
    uint16_t bytes = of->bytes != 0 ? of->bytes : 4;
    const struct wm_trace_shape shape = {
        .mask = 1, .bytes_per_lane = of->no_bytes ? 0 : bytes, .irregular = of->irregular};
    struct wm_warp_decoder decoder = {.data = wm_cursor_of(&token, of->no_token ? 0 : 1),
                                      .data_run = of->runs,
                                      .firsts = &first,
                                      .firsts_left = of->no_first ? 0 : 1,
                                      .shapes = &shape,
                                      .once = !of->many};
    decoder.data.bad = of->bad;
    const struct wm_warp_decoder before = decoder;
    uint64_t base = 0;
    const struct wm_trace_shape *taken = wm_warp_decoder_take_first(&decoder, SLOT, &base);
    if (taken == NULL) {
        cr_expect(decoder.data.at == before.data.at && decoder.firsts == before.firsts &&
                      decoder.firsts_left == before.firsts_left,
                  "%s: something was taken", of->what);
        return false;
    }
    cr_expect(taken == &shape && base == BASE, "%s", of->what);
    cr_expect(decoder.data.at == before.data.at + 1 && decoder.firsts == before.firsts + 1 &&
                  decoder.firsts_left == 0,
              "%s: it was not taken", of->what);
    return true;
}

// What breaks the format, or is not the plainest, is left to wm_warp_decoder_regular, which says
// so.
Test(warp_stream, takes_firsts_as_they_are_told)
{
    static const struct first_case others[] = {
        {.what = "an access like the last", .token = 1},
        {.what = "another shape", .token = 2},
        {.what = "accesses as predicted", .token = 4},
        {.what = "a token beyond all", .token = 7},
        {.what = "no token", .no_token = true},
        {.what = "no first", .no_first = true},
        {.what = "a string that is none", .bad = true},
        {.what = "within a run", .runs = true},
        {.what = "a plan that meets slots again", .many = true},
        {.what = "the first of another slot", .other_slot = true},
        {.what = "lanes without a stride", .irregular = true},
        {.what = "no bytes", .no_bytes = true},
        {.what = "too many bytes a lane", .bytes = WM_MAX_ACCESS_BYTES + 1},
    };
    cr_expect(takes(&(struct first_case){.what = "a first"}));
    cr_expect(takes(&(struct first_case){.what = "the most bytes", .bytes = WM_MAX_ACCESS_BYTES}));
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        cr_expect_not(takes(&others[i]), "%s", others[i].what);
}

// What a move knows of two rows is taken from a shape without looking at the lanes.
Test(warp_stream, known_rows_lie_as_their_addresses_do)
{
    static const uint64_t strides[] = {0, 4, 8, 16, UINT64_C(1) << 32 | 4};
    struct wm_random random;
    wm_random_init(&random, 8, "known rows");
    uint32_t lying = 0;
    for (int round = 0; round < 20000; round++) {
        struct wm_memory_instruction instruction = {.bytes_per_lane =
                                                        wm_random_below(&random, 2) ? 4 : 8};
        enum wm_half_warp_pattern rows =
            wm_random_below(&random, 2) ? WM_HALF_WARPS_UNIFORM : WM_HALF_WARPS_CONSECUTIVE;
        uint64_t stride = rows == WM_HALF_WARPS_UNIFORM ? 0 : instruction.bytes_per_lane;
        uint64_t base = wm_random_u64(&random), addresses[32];
        uint64_t apart = wm_random_below(&random, 2) ? 16 * stride : strides[round % 5] * 64;
        struct wm_encoder_slot slot = {
            .shape = {.stride = wm_random_below(&random, 2) ? stride : strides[round % 4],
                      .row_shift =
                          wm_random_below(&random, 2) ? 0 : (uint8_t)wm_random_below(&random, 6)}};
        if (slot.shape.row_shift != 0)
            slot.shape.row_stride = wm_random_below(&random, 2) ? apart : stride * 8;
        for (uint32_t lane = 0; lane < 32; lane++)
            addresses[lane] = base + lane % 16 * stride + lane / 16 * apart;
        bool known = wm_warp_encoder_rows(&slot, &instruction, addresses, rows);
        bool matches = wm_address_pattern_c.wide(addresses, 0, UINT32_MAX, base, &slot.shape);
        cr_assert(!known || matches, "round %d", round);
        if (slot.shape.row_shift == 0 || slot.shape.row_shift == 4)
            cr_assert_eq(known, matches, "round %d, rows 2^%u", round, slot.shape.row_shift);
        lying += known;
    }
    cr_assert_gt(lying, 1000);
}
