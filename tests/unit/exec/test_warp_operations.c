// Shuffles, votes, matches and reductions on random masks, converged and parted, against their
// definitions (PTX ISA 9.7.9.6, 9.7.13).
#include "exec_harness.h"

enum { LANES = 32, OUT_WORDS = 16 };

// Lanes of `members` take part; the others skip. A second predicate parts the members into two
// paths that come to the instructions by different ways: with `parted`, each has its own copy.
static char *source_of(bool parted, const char *body)
{
    struct wm_text text;
    wm_text_init(&text);
    wm_text_add(
        &text,
        ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 members, .param .u32 pad,\n"
        ".param .u32 first, .param .u32 pad2) {\n"
        ".reg .b32 %m, %f, %lane, %bit, %x, %b, %c, %r<16>; .reg .b64 %o, %i, %q, %w;\n"
        ".reg .pred %p, %in, %s, %t<8>;\n"
        "ld.param.u64 %o, [out]; ld.param.u64 %i, [in]; ld.param.u32 %m, [members];\n"
        "ld.param.u32 %f, [first]; mov.u32 %lane, %laneid; mov.u32 %bit, %lanemask_eq;\n"
        "mul.wide.u32 %q, %lane, 64; add.u64 %o, %o, %q; mul.wide.u32 %q, %lane, 16;\n"
        "add.u64 %i, %i, %q; ld.global.v4.u32 {%x, %b, %c, %r0}, [%i];\n"
        "and.b32 %r1, %r0, 1; setp.ne.u32 %s, %r1, 0; cvt.u64.u32 %w, %x;\n"
        "and.b32 %r1, %m, %bit; setp.eq.u32 %p, %r1, 0; @%p bra END;\n"
        "and.b32 %r1, %f, %bit; setp.ne.u32 %p, %r1, 0; @%p bra ONE;\n");
    wm_text_add(&text, parted ? body : "add.u32 %r1, %r1, 1;\n");
    wm_text_add(&text, "bra STORE;\nONE: add.u32 %r1, %r1, 2;\n");
    wm_text_add(&text, parted ? body : "");
    wm_text_add(&text, "STORE:\n");
    wm_text_add(&text, parted ? "" : body);
    wm_text_add(&text, "st.global.v4.u32 [%o], {%r2, %r3, %r4, %r5};\n"
                       "st.global.v4.u32 [%o+16], {%r6, %r7, %r8, %r9};\n"
                       "st.global.v4.u32 [%o+32], {%r10, %r11, %r12, %r13};\nEND: ret; }\n");
    return wm_text_take(&text);
}

struct lanes {
    uint32_t in[LANES][4]; // value, b, c, predicate
    uint32_t members, first;
};

static void draw(struct wm_random *random, struct lanes *lanes)
{
    lanes->members = wm_random_below(random, 3) ? (uint32_t)wm_random_u64(random) | 1 : UINT32_MAX;
    lanes->first = (uint32_t)wm_random_u64(random);
    for (int l = 0; l < LANES; l++) {
        lanes->in[l][0] = (uint32_t)wm_random_below(random, 5) * 0x40000001u;
        lanes->in[l][1] = (uint32_t)wm_random_below(random, 32);
        static const uint32_t clamps[] = {0x1F, 0, 0x1C00, 0x1C1F, 0x100F, 0x181F};
        lanes->in[l][2] = clamps[wm_random_below(random, 6)];
        lanes->in[l][3] = (uint32_t)wm_random_below(random, 4) / 3;
    }
    if (wm_random_below(random, 4) == 0) // votes that all agree
        for (int l = 0; l < LANES; l++)
            lanes->in[l][3] = lanes->in[0][3];
}

typedef void checker(const struct lanes *lanes, unsigned lane, const uint32_t *out);

static void check_body(const char *body, checker *check)
{
    for (int parted = 0; parted < 2; parted++) {
        struct harness harness;
        struct wm_random random;
        char *source = source_of(parted, body);
        harness_init(&harness, source, 32, wm_host_best_isa(), false);
        free(source);
        wm_random_init(&random, 11, body);
        uint32_t *out = harness_allocate(&harness, LANES * OUT_WORDS * 4);
        struct lanes *lanes = harness_allocate(&harness, sizeof(*lanes));
        for (int trial = 0; trial < 200; trial++) {
            draw(&random, lanes);
            HARNESS_RUN(&harness, "k", 1, LANES, ADDRESS(out), ADDRESS(lanes), lanes->members,
                        lanes->first);
            for (unsigned l = 0; l < LANES; l++)
                if (lanes->members >> l & 1)
                    check(lanes, l, out + l * OUT_WORDS);
        }
        harness_release(&harness);
    }
}

static bool member(const struct lanes *lanes, int lane)
{
    return lane >= 0 && lane < LANES && (lanes->members >> lane & 1);
}

// The ISA's pseudo-code, line by line.
static void shuffle(const struct lanes *lanes, unsigned lane, int mode, uint32_t *d, uint32_t *p)
{
    int bval = (int)lanes->in[lane][1] & 31, cval = (int)lanes->in[lane][2] & 31;
    int mask = (int)(lanes->in[lane][2] >> 8) & 31, own = (int)lane;
    int max_lane = (own & mask) | (cval & ~mask), min_lane = own & mask, j = 0;
    bool pval = false;
    switch (mode) {
    case 0:
        j = own - bval;
        pval = j >= max_lane;
        break;
    case 1:
        j = own + bval;
        pval = j <= max_lane;
        break;
    case 2:
        j = own ^ bval;
        pval = j <= max_lane;
        break;
    default:
        j = min_lane | (bval & ~mask);
        pval = j <= max_lane;
        break;
    }
    if (!pval)
        j = own;
    *p = pval;
    *d = member(lanes, j) ? lanes->in[j][0] : UINT32_MAX; // all bits: undefined
}

static void check_shuffles(const struct lanes *lanes, unsigned lane, const uint32_t *out)
{
    for (int mode = 0; mode < 4; mode++) {
        uint32_t d, p;
        shuffle(lanes, lane, mode, &d, &p);
        cr_assert(d == UINT32_MAX || out[mode] == d, "mode %d lane %u", mode, lane);
        cr_assert_eq(out[4 + mode], p, "mode %d lane %u predicate", mode, lane);
    }
}

Test(warp_operations, shuffles)
{
    check_body(
        "shfl.sync.up.b32 %r2|%t0, %x, %b, %c, %m; shfl.sync.down.b32 %r3|%t1, %x, %b, %c, %m;\n"
        "shfl.sync.bfly.b32 %r4|%t2, %x, %b, %c, %m; shfl.sync.idx.b32 %r5|%t3, %x, %b, %c, %m;\n"
        "selp.u32 %r6, 1, 0, %t0; selp.u32 %r7, 1, 0, %t1; selp.u32 %r8, 1, 0, %t2;\n"
        "selp.u32 %r9, 1, 0, %t3;\n",
        check_shuffles);
}

static void check_votes(const struct lanes *lanes, unsigned lane, const uint32_t *out)
{
    (void)lane;
    uint32_t ballot = 0;
    for (int l = 0; l < LANES; l++)
        ballot |= member(lanes, l) ? lanes->in[l][3] << l : 0;
    cr_assert_eq(out[0], ballot);
    cr_assert_eq(out[1], ballot == lanes->members);
    cr_assert_eq(out[2], ballot != 0);
    cr_assert_eq(out[3], ballot == 0 || ballot == lanes->members);
    cr_assert_eq(out[4], lanes->members & ~ballot);
}

Test(warp_operations, votes)
{
    check_body("vote.sync.ballot.b32 %r2, %s, %m; vote.sync.all.pred %t0, %s, %m;\n"
               "vote.sync.any.pred %t1, %s, %m; vote.sync.uni.pred %t2, %s, %m;\n"
               "selp.u32 %r3, 1, 0, %t0; selp.u32 %r4, 1, 0, %t1; selp.u32 %r5, 1, 0, %t2;\n"
               "vote.sync.ballot.b32 %r6, !%s, %m;\n",
               check_votes);
}

static void check_matches(const struct lanes *lanes, unsigned lane, const uint32_t *out)
{
    uint32_t same = 0;
    for (int l = 0; l < LANES; l++)
        if (member(lanes, l) && lanes->in[l][0] == lanes->in[lane][0])
            same |= UINT32_C(1) << l;
    cr_assert_eq(out[0], same);
    cr_assert_eq(out[1], same);
    cr_assert_eq(out[2], same == lanes->members ? same : 0);
    cr_assert_eq(out[3], same == lanes->members);
}

Test(warp_operations, matches)
{
    check_body("match.any.sync.b32 %r2, %x, %m; match.any.sync.b64 %r3, %w, %m;\n"
               "match.all.sync.b32 %r4|%t0, %x, %m; selp.u32 %r5, 1, 0, %t0; bar.warp.sync %m;\n",
               check_matches);
}

static void check_reductions(const struct lanes *lanes, unsigned lane, const uint32_t *out)
{
    (void)lane;
    uint32_t sum = 0, least = UINT32_MAX, bits = 0, all = UINT32_MAX, odd = 0;
    int32_t most = INT32_MIN;
    for (int l = 0; l < LANES; l++) {
        if (!member(lanes, l))
            continue;
        uint32_t value = lanes->in[l][0];
        sum += value;
        least = value < least ? value : least;
        most = (int32_t)value > most ? (int32_t)value : most;
        bits |= value;
        all &= value;
        odd ^= value;
    }
    const uint32_t expected[] = {sum, least, (uint32_t)most, bits, all, odd};
    cr_assert_arr_eq(out, expected, sizeof(expected));
}

Test(warp_operations, reductions)
{
    check_body("redux.sync.add.u32 %r2, %x, %m; redux.sync.min.u32 %r3, %x, %m;\n"
               "redux.sync.max.s32 %r4, %x, %m; redux.sync.or.b32 %r5, %x, %m;\n"
               "redux.sync.and.b32 %r6, %x, %m; redux.sync.xor.b32 %r7, %x, %m;\n",
               check_reductions);
}

Test(warp_operations, a_guard_leaves_out_lanes)
{
    struct harness harness;
    harness_init(
        &harness,
        ".visible .entry k(.param .u64 out) { .reg .b32 %r<4>; .reg .b64 %o, %q; .reg .pred %p;\n"
        "ld.param.u64 %o, [out]; mov.u32 %r0, %laneid; mul.wide.u32 %q, %r0, 4;\n"
        "add.u64 %o, %o, %q; mov.u32 %r1, 77; setp.lt.u32 %p, %r0, 8;\n"
        "@%p shfl.sync.idx.b32 %r1, %r0, 3, 31, 255; st.global.u32 [%o], %r1; ret; }\n",
        32, WM_HOST_C, false);
    uint32_t *out = harness_allocate(&harness, 128);
    HARNESS_RUN(&harness, "k", 1, 32, ADDRESS(out));
    for (uint32_t i = 0; i < 32; i++)
        cr_assert_eq(out[i], i < 8 ? 3 : 77);
    harness_release(&harness);
}

// What a lane reads of one that takes no part is 0, as GPUs are reported to give (the ISA leaves it
// open): of one outside of the mask, of one that the branch left out, and of one that has exited. A
// source beyond the segment still gives the reader's own value, with a predicate of false.
static void check_absent_source(const char *leave_out, const char *mask)
{
    struct harness harness;
    struct wm_text text;
    wm_text_init(&text);
    wm_text_format(
        &text,
        ".visible .entry k(.param .u64 out) { .reg .b32 %%r<8>; .reg .b64 %%o, %%q; .reg .pred "
        "%%p, %%t;\n"
        "ld.param.u64 %%o, [out]; mov.u32 %%r0, %%laneid; mul.wide.u32 %%q, %%r0, 8;\n"
        "add.u64 %%o, %%o, %%q; add.u32 %%r1, %%r0, 100; setp.ge.u32 %%p, %%r0, 8; %s\n"
        "shfl.sync.down.b32 %%r2|%%t, %%r1, 4, 31, %s; selp.u32 %%r3, 1, 0, %%t;\n"
        "shfl.sync.down.b32 %%r4|%%t, %%r1, 4, 0x1807, %s; selp.u32 %%r5, 2, 0, %%t;\n"
        "shl.b32 %%r4, %%r4, 8; or.b32 %%r5, %%r5, %%r3; or.b32 %%r4, %%r4, %%r5;\n"
        "st.global.u32 [%%o], %%r2; st.global.u32 [%%o+4], %%r4; DONE: ret; }\n",
        leave_out, mask, mask);
    char *source = wm_text_take(&text);
    harness_init(&harness, source, 32, wm_host_best_isa(), false);
    free(source);
    uint32_t *out = harness_allocate(&harness, 32 * 8);
    HARNESS_RUN(&harness, "k", 1, 32, ADDRESS(out));
    for (uint32_t i = 0; i < 8; i++) {
        cr_assert_eq(out[2 * i], i < 4 ? 104 + i : 0, "lane %u read %u", i, out[2 * i]);
        uint32_t within_tile = i < 4, segment = within_tile ? 104 + i : 100 + i;
        cr_assert_eq(out[2 * i + 1], segment << 8 | within_tile << 1 | 1, "lane %u", i);
    }
    harness_release(&harness);
}

Test(warp_operations, a_shuffle_reads_0_of_lanes_that_take_no_part)
{
    check_absent_source("@%p bra DONE;", "255");
    check_absent_source("@%p exit;", "255");
    check_absent_source("@%p exit;", "-1");
}

// Lanes that have exited are not waited for, though the mask names them.
Test(warp_operations, exited_lanes_do_not_hold_up_a_shuffle)
{
    struct harness harness;
    harness_init(
        &harness,
        ".visible .entry k(.param .u64 out) { .reg .b32 %r<4>; .reg .b64 %o, %q; .reg .pred %p;\n"
        "ld.param.u64 %o, [out]; mov.u32 %r0, %laneid; mul.wide.u32 %q, %r0, 4;\n"
        "add.u64 %o, %o, %q; setp.lt.u32 %p, %r0, 8; @%p bra WAIT; bar.sync 1, 32; exit;\n"
        "WAIT: bar.arrive 1, 32; shfl.sync.idx.b32 %r1, %r0, 3, 31, -1; st.global.u32 [%o], %r1;\n"
        "ret; }\n",
        32, WM_HOST_C, false);
    uint32_t *out = harness_allocate(&harness, 128);
    HARNESS_RUN(&harness, "k", 1, 32, ADDRESS(out));
    for (uint32_t i = 0; i < 32; i++)
        cr_assert_eq(out[i], i < 8 ? 3 : 0);
    harness_release(&harness);
}

// Tiles of 2, 4, 8 or 16 lanes, each naming itself alone in one and the same instruction, as tiles
// of cooperative groups do. With `late`, odd lanes come to it by another way, so that no tile is
// complete when the first lanes arrive.
static void check_tiles(bool late)
{
    struct harness harness;
    struct wm_text text;
    wm_text_init(&text);
    wm_text_add(&text, ".visible .entry k(.param .u64 out, .param .u64 in, .param .u32 size) {\n"
                       ".reg .b32 %lane, %size, %own, %m, %v, %s, %r<8>; .reg .b64 %o, %i, %q;\n"
                       ".reg .pred %p, %t, %u; ld.param.u64 %o, [out]; ld.param.u64 %i, [in];\n"
                       "ld.param.u32 %size, [size]; mov.u32 %lane, %laneid;\n"
                       "neg.s32 %r0, %size; and.b32 %own, %lane, %r0; mov.u32 %m, -1;\n"
                       "sub.u32 %r1, 32, %size; shr.u32 %m, %m, %r1; shl.b32 %m, %m, %own;\n"
                       "mul.wide.u32 %q, %lane, 4; add.u64 %i, %i, %q; add.u64 %o, %o, %q;\n"
                       "ld.global.u32 %v, [%i]; setp.ne.u32 %t, %v, 0; and.b32 %r2, %lane, 1;\n"
                       "setp.ne.u32 %p, %r2, 0;\n");
    const char *body = "vote.sync.ballot.b32 %r4, %t, %m; vote.sync.any.pred %u, %t, %m;\n"
                       "shfl.sync.bfly.b32 %r5, %v, 1, 31, %m; selp.u32 %r6, 1, 0, %u;\n";
    if (late)
        wm_text_format(&text, "@%%p bra ODD;\n%s bra MEET;\nODD: %s", body, body);
    else
        wm_text_add(&text, body);
    wm_text_add(&text,
                "MEET: mul.lo.u32 %r5, %r5, 2; xor.b32 %r4, %r4, %r5; xor.b32 %r4, %r4, %r6;\n"
                "st.global.u32 [%o], %r4; ret; }\n");
    char *source = wm_text_take(&text);
    harness_init(&harness, source, 32, wm_host_best_isa(), false);
    free(source);
    struct wm_random random;
    wm_random_init(&random, 12, "tiles");
    uint32_t *out = harness_allocate(&harness, LANES * 4),
             *in = harness_allocate(&harness, LANES * 4);
    for (int trial = 0; trial < 100; trial++) {
        uint32_t size = 2u << wm_random_below(&random, 4);
        for (int l = 0; l < LANES; l++)
            in[l] = (uint32_t)wm_random_below(&random, 6) / 5 * (uint32_t)(l + 1);
        HARNESS_RUN(&harness, "k", 1, LANES, ADDRESS(out), ADDRESS(in), size);
        for (uint32_t l = 0; l < LANES; l++) {
            uint32_t ballot = 0, first = l & ~(size - 1);
            for (uint32_t o = first; o < first + size; o++)
                ballot |= (uint32_t)(in[o] != 0) << o;
            cr_assert_eq(out[l], ballot ^ in[l ^ 1] * 2 ^ (ballot != 0), "size %u lane %u", size,
                         l);
        }
    }
    harness_release(&harness);
}

Test(warp_operations, tiles_exchange_among_themselves)
{
    check_tiles(false);
}

Test(warp_operations, tiles_wait_for_their_late_lanes)
{
    check_tiles(true);
}
