// The stream of one warp, within one chunk of a recording: what it executed and where its memory
// instructions went, in two strings of bytes that hold no absolute address. Warps that do the same
// at different places have equal strings, and a frame keeps each string once
// (docs/formats/recording.md, "Warps"). Private to trace/.
//
// The writer and the reader keep the same predictions: a stretch is expected to be followed by what
// followed it last, an access by one as far from it as it was from the one before.
#ifndef WM_TRACE_WARP_STREAM_H
#define WM_TRACE_WARP_STREAM_H

#include "base/access/access.h"
#include "trace/section/bytes.h"

#include <assert.h>

enum wm_trace_event {
    WM_TRACE_NO_EVENT,
    WM_TRACE_ARRIVAL, // lanes come to a barrier with the item's last instruction
    WM_TRACE_EXIT,    // lanes end with it
    WM_TRACE_PHASE,   // lanes did something to an mbarrier, or at the barrier of their cluster
};

enum {
    // Memory instructions of one item: the writer cuts longer stretches.
    WM_TRACE_ITEM_ACCESSES = 32,
    WM_TRACE_KEYS = 16,      // predictions of what follows an item
    WM_TRACE_ROW_SHIFTS = 5, // of rows of 2 to 32 lanes
    WM_TRACE_STEP_SHIFT = 12,
    WM_TRACE_FIRST = 3, // the token of an access that is the next first
};

// Most steps of a frame, and instructions skipped before one item: a few bytes say of any number of
// items that they are as predicted, and a reader is to know how long they can take.
#define WM_TRACE_FRAME_STEPS (UINT64_C(1) << 32)
#define WM_TRACE_MOST_SKIPPED (UINT64_C(1) << 36)

// Two bits for each memory instruction of an item: how many accesses it made. One is usual; none
// when its guard held for no lane; more when its lanes went to different spaces, or read several
// texels each. Behind a third one there are as many more as `continues` says.
#define WM_TRACE_ONE_EACH UINT64_C(0x5555555555555555)

// Whether an instruction of which an item counts that many accesses has more after `done` of them.
static inline bool wm_trace_has_more_accesses(uint64_t count, uint64_t done, bool continues)
{
    return done < count || (count == 3 && continues);
}

// Instructions executed one after the other with the same lanes, up to the next jump, event or
// change of lanes.
struct wm_trace_item {
    // Count 0 in an event alone: lanes end that no instruction is known of; or other lanes of the
    // item before did something to another mbarrier than its event's.
    uint32_t first_pc, count;
    uint64_t active;
    uint64_t accesses; // two bits each, from the first memory instruction on; see above
    // Executed before it and not listed one by one (a recording of memory instructions alone): warp
    // instructions, and the same times their lanes.
    uint64_t skipped, skipped_lanes;
    uint64_t lanes; // of an event
    // Of an arrival, as wm_warp_arrival's; so are `waits` and `others`. Of a phase, the word of its
    // operation and object (wm_trace_phase_word), and its operand.
    uint32_t barrier, threads;
    enum wm_trace_event event;
    bool waits, others;
};

static inline uint32_t wm_trace_phase_word(enum wm_phase_operation operation, uint32_t object)
{
    return (uint32_t)operation | object << 4;
}

static inline enum wm_phase_operation wm_trace_phase_operation(uint32_t word)
{
    return (enum wm_phase_operation)(word & 15);
}

static inline uint32_t wm_trace_phase_object(uint32_t word)
{
    return word >> 4;
}

static inline bool wm_trace_phase_of_cluster(enum wm_phase_operation operation)
{
    return operation >= WM_PHASE_CLUSTER_ARRIVE && operation <= WM_PHASE_CLUSTER_WAIT_OTHERS;
}

// What a CPU core does between two instructions: of a warp of one lane, in an event alone.
static inline bool wm_trace_phase_of_core(enum wm_phase_operation operation)
{
    return operation >= WM_PHASE_FOLLOWS && operation < WM_PHASE_RECORDED;
}

// How the lanes' addresses lie: that of lane l is base + l × stride; or, in rows of R = 2^row_shift
// lanes (as a block of R columns has them), base + l mod R × stride + l div R × row_stride; or any.
struct wm_trace_shape {
    uint64_t mask;
    uint64_t stride;           // between neighbouring lanes, modulo 2^64
    uint64_t row_stride;       // between rows; 0 without
    uint16_t bytes_per_lane;   // with what follows a word: compared as one
    uint8_t row_shift;         // 0: no rows; at most WM_TRACE_ROW_SHIFTS
    bool irregular;            // without rows
    uint8_t space, kind, hint; // enum wm_address_space, wm_access_kind, wm_cache_hint
    bool continues;            // as wm_warp_access's
};

// The first access of a memory instruction in a chunk: kept apart, because only here is an absolute
// address.
struct wm_trace_first_access {
    uint32_t slot; // number of the instruction among the kernel's memory instructions
    uint64_t base; // address of lane 0 were it active; irregular: of the first active lane
    struct wm_trace_shape shape;
};

// The same as a frame has it when it has been read: many have one shape.
struct wm_decoded_first {
    uint64_t base;
    uint32_t slot, shape; // the index among the frame's shapes
};

// What is expected of a memory instruction, on the side of the writer.
struct wm_encoder_slot {
    uint64_t base, step; // the next base is expected at base + step
    struct wm_trace_shape shape;
    uint32_t seen : 1;
    uint32_t like : 31; // number of the slot of the instruction's reference_pc
    // The count of shapes when it was found to lie as the other instruction's did.
    uint32_t alike_since;
    // The access before was by this instruction, and regular.
    const struct wm_memory_instruction *instruction;
};

// The same on the side of the reader: a line of the host's cache, where the first begins with one.
struct wm_decoder_slot {
    uint64_t base, step;
    struct wm_trace_shape shape;
    uint32_t seen_in; // the decoder's chunk that it was met in
    uint32_t fill[3];
};
static_assert(sizeof(struct wm_decoder_slot) == 64, "a slot takes a line of the host's cache");

// What the next item is encoded relative to.
struct wm_trace_previous_item {
    uint32_t first_pc, count;
    uint64_t active;
};

// What is expected to follow an item, on both sides.
struct wm_trace_successors {
    struct wm_trace_previous_item last;
    uint32_t known; // bit by key
    struct wm_trace_item items[WM_TRACE_KEYS];
};

static inline struct wm_trace_previous_item wm_trace_previous_item_of(
    const struct wm_trace_item *item)
{
    return (struct wm_trace_previous_item){
        .first_pc = item->first_pc, .count = item->count, .active = item->active};
}

static inline uint64_t wm_trace_steps(const struct wm_trace_item *item)
{
    return 1 + ((item->count + item->skipped) >> WM_TRACE_STEP_SHIFT);
}

// Not 0: they differ in more than the lanes that take part.
static inline uint64_t wm_trace_shape_difference(const struct wm_trace_shape *a,
                                                 const struct wm_trace_shape *b)
{
    uint64_t last_of_a, last_of_b; // what is not of the lanes' addresses
    memcpy(&last_of_a, &a->bytes_per_lane, sizeof last_of_a);
    memcpy(&last_of_b, &b->bytes_per_lane, sizeof last_of_b);
    return (a->stride ^ b->stride) | (a->row_stride ^ b->row_stride) | (last_of_a ^ last_of_b);
}

static inline bool wm_trace_shape_equal(const struct wm_trace_shape *a,
                                        const struct wm_trace_shape *b)
{
    return ((a->mask ^ b->mask) | wm_trace_shape_difference(a, b)) == 0;
}

static inline uint32_t wm_trace_key(const struct wm_trace_previous_item *last)
{
    return (last->first_pc * 7 + last->count) % WM_TRACE_KEYS;
}

// Called for each item that is recorded.
static inline bool wm_trace_item_equal(const struct wm_trace_item *a, const struct wm_trace_item *b)
{
    enum { WORDS = offsetof(struct wm_trace_item, event) / 8 };
    uint64_t differs = 0;
    for (int i = 0; i < WORDS; i++) {
        uint64_t of_a, of_b;
        memcpy(&of_a, (const char *)a + 8 * i, sizeof of_a);
        memcpy(&of_b, (const char *)b + 8 * i, sizeof of_b);
        differs |= of_a ^ of_b;
    }
    return differs == 0 && a->event == b->event && a->waits == b->waits && a->others == b->others;
}
static_assert(offsetof(struct wm_trace_item, event) == 56,
              "the words of items hold all but events");

#endif
