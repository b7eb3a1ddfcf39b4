// AVX-512 build: eight lane addresses a vector, four vectors a warp of 32. The patterns that most
// accesses have are recognised with one comparison a vector, and lanes that all have lines of their
// own with some for all of them; others take one round a line, each round gathering every lane of
// that line, and one a lane when the lines are many.
#include "sm/coalescer/coalescer_parts.h"

#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl")))

enum { VECTOR_LANES = 8, MAX_VECTORS = WM_MAX_LANES / VECTOR_LANES, MAX_ROUNDS = 6 };

_Static_assert(sizeof(struct wm_line_request) == 16 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "a request is its line and a word with its sectors below");

// Active lanes whose address is base + lane * stride.
TARGET static inline uint64_t lanes_on(const struct wm_warp_access *access, uint64_t base,
                                       uint64_t stride)
{
    const __m512i lane = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    __m512i expected =
        _mm512_add_epi64(_mm512_set1_epi64((long long)base),
                         _mm512_mullo_epi64(lane, _mm512_set1_epi64((long long)stride)));
    const __m512i step = _mm512_set1_epi64((long long)(stride * VECTOR_LANES));
    uint64_t equal = 0;
    for (uint32_t at = 0; at < access->lanes; at += VECTOR_LANES) {
        __m512i addresses = _mm512_loadu_si512(access->addresses + at);
        equal |= (uint64_t)_mm512_cmpeq_epi64_mask(addresses, expected) << at;
        expected = _mm512_add_epi64(expected, step);
    }
    return equal & access->active;
}

// Does an element cross a line? It cannot when naturally aligned.
TARGET static bool any_crosses(const struct wm_warp_access *access, uint32_t line_bytes)
{
    const __m512i offset_mask = _mm512_set1_epi64((long long)(line_bytes - 1));
    const __m512i most = _mm512_set1_epi64((long long)(line_bytes - access->bytes_per_lane));
    uint64_t crossing = 0;
    for (uint32_t at = 0; at < access->lanes; at += VECTOR_LANES) {
        __m512i offsets = _mm512_and_si512(_mm512_loadu_si512(access->addresses + at), offset_mask);
        crossing |= (uint64_t)_mm512_cmpgt_epu64_mask(offsets, most) << at;
    }
    return (crossing & access->active) != 0;
}

// Whether each lane of `active`, of 32, has a line of its own. A no may be false: only the last 16
// bits of lines' numbers are compared, all 32 with those that stand so many places further round.
TARGET static bool lines_differ(const __m512i lines[4], uint32_t active, uint32_t line_shift)
{
    __m128i words[4];
    for (uint32_t v = 0; v < 4; v++)
        words[v] = _mm512_cvtepi64_epi16(_mm512_srli_epi64(lines[v], line_shift));
    __m512i all = _mm512_inserti64x4(_mm512_castsi256_si512(_mm256_set_m128i(words[1], words[0])),
                                     _mm256_set_m128i(words[3], words[2]), 1);
    __m512i lane = _mm512_cvtepu8_epi16(_mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
                                                         13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23,
                                                         24, 25, 26, 27, 28, 29, 30, 31));
    __m512i others = _mm512_xor_si512(_mm512_set1_epi16(0x5a5a), lane); // all different
    all = _mm512_mask_blend_epi16(active, others, all);
    __mmask32 equal = 0;
    for (uint32_t round = 1; round <= 16; round++) {
        lane = _mm512_add_epi16(lane, _mm512_set1_epi16(1)); // of which 5 bits count
        equal |= _mm512_cmpeq_epi16_mask(all, _mm512_permutexvar_epi16(lane, all));
    }
    return equal == 0;
}

// One request a lane of `active`, in their order.
TARGET static void each_its_own(const __m512i lines[4], const __m512i sectors[4], uint32_t active,
                                bool store, struct wm_coalescing *state)
{
    const __m512i first = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
    const __m512i last = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
    uint32_t count = 0;
    for (uint32_t v = 0; v < 4; v++) {
        __mmask8 of = (__mmask8)(active >> v * VECTOR_LANES);
        __m512i line = _mm512_maskz_compress_epi64(of, lines[v]);
        __m512i word = _mm512_maskz_compress_epi64(of, sectors[v]); // none of them full
        _mm512_storeu_si512(state->out + count, _mm512_permutex2var_epi64(line, first, word));
        _mm512_storeu_si512(state->out + count + 4, _mm512_permutex2var_epi64(line, last, word));
        count += (uint32_t)__builtin_popcount(of);
    }
    state->count = count;
    if (!store)
        return;
    for (uint32_t i = 0, rest = active; rest != 0; i++, rest &= rest - 1)
        state->lanes[i] = rest & (0 - rest);
}

// Elements that stay in their line; an element may still touch two sectors. Returns the lanes that
// are left after MAX_ROUNDS lines.
TARGET static uint64_t gather_lines(const struct wm_warp_access *access,
                                    struct wm_coalescing *state)
{
    uint32_t line_bytes = state->line_bytes;
    const __m512i line_mask = _mm512_set1_epi64(-(long long)line_bytes);
    const __m512i offset_mask = _mm512_set1_epi64((long long)(line_bytes - 1));
    const __m512i last_byte = _mm512_set1_epi64((long long)access->bytes_per_lane - 1);
    const __m512i one = _mm512_set1_epi64(1);
    __m512i lines[MAX_VECTORS], sectors[MAX_VECTORS];
    uint32_t vectors = access->lanes / VECTOR_LANES;
    for (uint32_t v = 0; v < vectors; v++) {
        __m512i addresses = _mm512_loadu_si512(access->addresses + v * VECTOR_LANES);
        __m512i offsets = _mm512_and_si512(addresses, offset_mask);
        lines[v] = _mm512_and_si512(addresses, line_mask);
        sectors[v] = _mm512_or_si512(
            _mm512_sllv_epi64(one, _mm512_srli_epi64(offsets, 5)),
            _mm512_sllv_epi64(one, _mm512_srli_epi64(_mm512_add_epi64(offsets, last_byte), 5)));
    }
    uint64_t rest = access->active;
    for (uint32_t round = 0; round < MAX_ROUNDS && rest != 0; round++) {
        uint64_t line = wm_line_of(access->addresses[__builtin_ctzll(rest)], line_bytes);
        const __m512i wanted = _mm512_set1_epi64((long long)line);
        __m512i touched = _mm512_setzero_si512();
        uint64_t matched = 0;
        for (uint32_t v = 0; v < vectors; v++) {
            uint32_t at = v * VECTOR_LANES;
            __mmask8 match = _mm512_mask_cmpeq_epi64_mask((__mmask8)(rest >> at), lines[v], wanted);
            touched = _mm512_mask_or_epi64(touched, match, touched, sectors[v]);
            matched |= (uint64_t)match << at;
        }
        state->out[round] = (struct wm_line_request){
            .line_address = line,
            .sectors = (uint32_t)_mm512_reduce_or_epi64(touched),
        };
        state->lanes[round] = matched;
        state->count = round + 1;
        rest &= ~matched;
        if (round == 0 && (matched & (matched - 1)) == 0 && vectors == 4 &&
            lines_differ(lines, (uint32_t)access->active, (uint32_t)__builtin_ctz(line_bytes))) {
            each_its_own(lines, sectors, (uint32_t)access->active, access->kind == WM_ACCESS_STORE,
                         state);
            return 0;
        }
        // Nearly a line a lane: rounds would go on to the end.
        if (round == 1 && __builtin_popcountll(access->active & ~rest) <= 3)
            break;
    }
    return rest;
}

// The same for `rest` of at most 32 lanes, nearly each with a line of its own. Each lane is
// compared with all: nothing waits for the lane before, and no processor foresees which have a line
// in common.
TARGET static void gather_each(const struct wm_warp_access *access, uint32_t rest,
                               struct wm_coalescing *state)
{
    enum { VECTORS = 4 };
    uint32_t line_bytes = state->line_bytes, count = state->count;
    const __m512i line_mask = _mm512_set1_epi64(-(long long)line_bytes);
    const __m512i offset_mask = _mm512_set1_epi64((long long)(line_bytes - 1));
    const __m512i last_byte = _mm512_set1_epi64((long long)access->bytes_per_lane - 1);
    const __m512i one = _mm512_set1_epi64(1);
    __m512i lines[VECTORS];
    __m256i sectors[VECTORS];
    for (uint32_t v = 0; v < VECTORS; v++) {
        __m512i addresses = _mm512_loadu_si512(access->addresses + v * VECTOR_LANES);
        __m512i offsets = _mm512_and_si512(addresses, offset_mask);
        lines[v] = _mm512_and_si512(addresses, line_mask);
        sectors[v] = _mm512_cvtepi64_epi32(_mm512_or_si512(
            _mm512_sllv_epi64(one, _mm512_srli_epi64(offsets, 5)),
            _mm512_sllv_epi64(one, _mm512_srli_epi64(_mm512_add_epi64(offsets, last_byte), 5))));
    }
    for (uint32_t left = rest; left != 0; left &= left - 1) {
        uint64_t line = wm_line_of(access->addresses[__builtin_ctz(left)], line_bytes);
        const __m512i wanted = _mm512_set1_epi64((long long)line);
        __m256i touched = _mm256_setzero_si256();
        uint32_t matched = 0;
        for (uint32_t v = 0; v < VECTORS; v++) {
            __mmask8 of = (__mmask8)(rest >> v * VECTOR_LANES);
            of = _mm512_mask_cmpeq_epi64_mask(of, lines[v], wanted);
            touched = _mm256_mask_or_epi32(touched, of, touched, sectors[v]);
            matched |= (uint32_t)of << v * VECTOR_LANES;
        }
        __m128i half =
            _mm_or_si128(_mm256_castsi256_si128(touched), _mm256_extracti128_si256(touched, 1));
        half = _mm_or_si128(half, _mm_unpackhi_epi64(half, half));
        uint64_t words = (uint64_t)_mm_cvtsi128_si64(half);
        state->out[count].line_address = line;
        state->out[count].sectors = (uint32_t)(words | words >> 32);
        state->out[count].full_sectors = 0;
        state->lanes[count] = matched;
        count += (matched & (0 - matched)) == (left & (0 - left)); // its line's first lane
    }
    state->count = count;
}

TARGET uint32_t wm_coalesce_avx512(const struct wm_warp_access *access, uint32_t line_bytes,
                                   struct wm_line_request out[WM_MAX_LINE_REQUESTS])
{
    uint64_t active = access->active;
    if (active == 0)
        return 0;
    uint32_t bytes = access->bytes_per_lane;
    uint32_t first_lane = (uint32_t)__builtin_ctzll(active);
    uint64_t first = access->addresses[first_lane];
    bool store = access->kind == WM_ACCESS_STORE;
    uint64_t run = active >> first_lane;
    if ((run & (run + 1)) == 0 &&
        lanes_on(access, first - (uint64_t)first_lane * bytes, bytes) == active) {
        uint32_t lanes = (uint32_t)__builtin_popcountll(active);
        return wm_coalesce_range(first, lanes * bytes, line_bytes, store, out);
    }
    if (lanes_on(access, first, 0) == active)
        return wm_coalesce_range(first, bytes, line_bytes, store, out);
    struct wm_coalescing state;
    state.out = out;
    state.count = 0;
    state.line_bytes = line_bytes;
    uint64_t rest = any_crosses(access, line_bytes) ? active : gather_lines(access, &state);
    if (rest != 0 && access->lanes == 4 * VECTOR_LANES && rest != active)
        gather_each(access, (uint32_t)rest, &state);
    else if (rest != 0)
        wm_coalesce_scattered(access, rest, &state);
    if (store)
        wm_coalesce_full_sectors(access, &state);
    return state.count;
}
