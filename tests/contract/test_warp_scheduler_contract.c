// The contract of every warp scheduler (sm/warp_scheduler/warp_scheduler.h).
#include "base/numbers/random.h"
#include "sm/warp_scheduler/warp_scheduler.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SLOTS = 130, WORDS = MAX_SLOTS / 64 + 1 };

// Behind a state lie bytes that are not the entry's; in front of it, how many are.
enum { GUARD = 64, FRONT = 16 };

static void *new_state(const struct wm_warp_scheduler_ops *order, uint32_t slots)
{
    size_t bytes = order->state_bytes(slots);
    unsigned char *memory = malloc(FRONT + bytes + GUARD);
    memset(memory, 0xa5, FRONT + bytes + GUARD);
    memcpy(memory, &bytes, sizeof bytes);
    order->reset(memory + FRONT, slots);
    return memory + FRONT;
}

static void release_state(void *state)
{
    unsigned char *own = state;
    size_t bytes;
    memcpy(&bytes, own - FRONT, sizeof bytes);
    for (size_t i = 0; i < GUARD; i++)
        cr_assert_eq(own[bytes + i], 0xa5, "a state has more bytes than it asked for");
    free(own - FRONT);
}

static bool has(const uint64_t *set, uint32_t slot)
{
    return (set[slot / 64] >> (slot % 64) & 1) != 0;
}

static void put(uint64_t *set, uint32_t slot, bool in)
{
    uint64_t bit = UINT64_C(1) << (slot % 64);
    set[slot / 64] = (set[slot / 64] & ~bit) | (in ? bit : 0);
}

// An SM whose warps join, run, wait at barriers, finish and leave as chance has it; with which of
// them came when.
struct sm {
    const struct wm_warp_scheduler_ops *order;
    void *state;
    uint32_t slots;
    struct wm_random random;
    uint64_t ready[WORDS], there[WORDS], done[WORDS], clock, came[MAX_SLOTS];
};

static void step_others(struct sm *sm)
{
    for (uint32_t slot = 0; slot < sm->slots; slot++) {
        bool chance = wm_random_below(&sm->random, 8) == 0;
        if (!chance)
            continue;
        if (!has(sm->there, slot)) {
            sm->order->join(sm->state, slot);
            sm->came[slot] = ++sm->clock;
            put(sm->there, slot, true);
            put(sm->ready, slot, true);
        } else if (has(sm->done, slot)) {
            sm->order->leave(sm->state, slot);
            put(sm->there, slot, false);
            put(sm->done, slot, false);
        } else
            put(sm->ready, slot, true);
    }
}

static enum wm_warp_stop run_picked(struct sm *sm, uint32_t slot)
{
    enum wm_warp_stop stop = (enum wm_warp_stop)wm_random_below(&sm->random, WM_WARP_STOP_ISSUED);
    if (stop == WM_WARP_STOP_WAITS || stop == WM_WARP_STOP_FINISHED)
        put(sm->ready, slot, false);
    if (stop == WM_WARP_STOP_FINISHED)
        put(sm->done, slot, true);
    return stop;
}

static void check_ranks(const struct sm *sm)
{
    for (uint32_t slot = 0; slot < sm->slots; slot++) {
        uint32_t older = 0;
        if (!has(sm->there, slot))
            continue;
        for (uint32_t other = 0; other < sm->slots; other++)
            older += has(sm->there, other) && sm->came[other] < sm->came[slot];
        cr_assert_eq(sm->order->age_rank(sm->state, slot), older, "%s: slot %u", sm->order->name,
                     slot);
    }
}

// Whether warps have their turns in the order of slots, so that a timed engine needs no pick: an
// entry's in_turn says what it does.
Test(warp_scheduler_contract, turns_go_from_slot_to_slot_where_that_is_said)
{
    size_t count;
    const struct wm_warp_scheduler_ops *const *table = wm_warp_scheduler_table(&count);
    for (size_t i = 0; i < count; i++) {
        struct wm_random random;
        wm_random_init(&random, 1, "turns");
        void *state = new_state(table[i], 64);
        for (uint32_t slot = 0; slot < 64; slot++)
            table[i]->join(state, slot);
        uint32_t next = 0, others = 0;
        for (int turn = 0; turn < 1000; turn++) {
            uint64_t ready = 0;
            for (uint32_t some = 1 + (uint32_t)wm_random_below(&random, 5); some > 0; some--)
                ready |= UINT64_C(1) << wm_random_below(&random, 64);
            while ((ready >> next & 1) == 0)
                next = (next + 1) % 64;
            others += table[i]->pick(state, &ready, 64) != (int32_t)next;
            table[i]->ran(state, next, WM_WARP_STOP_ISSUED);
            if (turn % 3 == 0)
                table[i]->ran(state, (uint32_t)wm_random_below(&random, 64), WM_WARP_STOP_MISS);
            next = (next + 1) % 64;
        }
        cr_expect_eq(others == 0, table[i]->in_turn, "%s: %u others", table[i]->name, others);
        release_state(state);
    }
}

// An entry gets what became of a memory instruction at the end of a turn, so turns end there.
Test(warp_scheduler_contract, turns_end_at_memory_where_misses_or_runs_matter)
{
    size_t count;
    const struct wm_warp_scheduler_ops *const *table = wm_warp_scheduler_table(&count);
    for (size_t i = 0; i < count; i++)
        cr_expect(table[i]->stops_at_memory ||
                      !(table[i]->distinguishes_misses || table[i]->ran_up != NULL),
                  "%s", table[i]->name);
}

// The next turn of a walk: a ready warp has it whenever there is one. Returns whose it is.
static int32_t take_turn(struct sm *sm)
{
    step_others(sm);
    uint64_t any = 0;
    for (int word = 0; word < WORDS; word++)
        any |= sm->ready[word];
    int32_t picked = sm->order->pick(sm->state, sm->ready, sm->slots);
    cr_assert_eq(picked == WM_NO_WARP, any == 0, "%s: %d", sm->order->name, picked);
    if (picked == WM_NO_WARP)
        return picked;
    cr_assert(picked >= 0 && (uint32_t)picked < sm->slots, "%s: %d", sm->order->name, picked);
    cr_assert(has(sm->ready, (uint32_t)picked), "%s: %d", sm->order->name, picked);
    sm->order->ran(sm->state, (uint32_t)picked, run_picked(sm, (uint32_t)picked));
    return picked;
}

static struct sm new_sm(const struct wm_warp_scheduler_ops *order, uint32_t slots,
                        const char *stream)
{
    struct sm sm = {.order = order, .state = new_state(order, slots), .slots = slots};
    wm_random_init(&sm.random, slots, stream);
    return sm;
}

// The same calls, the same picks, though another SM of other warps has turns in between: nothing is
// kept but in the state. And ages are those of joining, whatever a warp did since.
static void check_walk(const struct wm_warp_scheduler_ops *order, uint32_t slots)
{
    struct sm sm = new_sm(order, slots, "warp scheduler"), noise = new_sm(order, slots, "noise"),
              twin = new_sm(order, slots, "warp scheduler");
    for (int round = 0; round < 300; round++) {
        int32_t picked = take_turn(&sm);
        take_turn(&noise);
        cr_assert_eq(take_turn(&twin), picked, "%s", order->name);
        if (round % 10 == 0)
            check_ranks(&sm);
    }
    order->reset(sm.state, slots);
    cr_assert_eq(order->pick(sm.state, (uint64_t[WORDS]){0}, slots), WM_NO_WARP);
    release_state(sm.state);
    release_state(noise.state);
    release_state(twin.state);
}

Test(warp_scheduler_contract, picks_a_ready_warp_in_a_walk)
{
    size_t count;
    const struct wm_warp_scheduler_ops *const *orders = wm_warp_scheduler_table(&count);
    for (size_t which = 0; which < count; which++)
        for (uint32_t slots = 1; slots <= MAX_SLOTS; slots += 3)
            check_walk(orders[which], slots);
}

// An engine that keeps time: any set may be ready, warps are told to wait when that is found, and
// only an order that holds warps back leaves a ready one alone.
Test(warp_scheduler_contract, picks_a_ready_warp_of_those_that_can_issue)
{
    size_t count;
    const struct wm_warp_scheduler_ops *const *orders = wm_warp_scheduler_table(&count);
    struct wm_random random;
    wm_random_init(&random, 3, "warp scheduler");
    for (size_t which = 0; which < count; which++)
        for (uint32_t slots = 1; slots <= MAX_SLOTS; slots += 3) {
            const struct wm_warp_scheduler_ops *order = orders[which];
            void *state = new_state(order, slots);
            for (uint32_t slot = 0; slot < slots; slot++)
                order->join(state, slot);
            for (int round = 0; round < 200; round++) {
                uint64_t ready[WORDS] = {0}, any = 0;
                for (uint32_t slot = 0; slot < slots; slot++)
                    if (wm_random_below(&random, 8) == 0) {
                        put(ready, slot, true);
                        any = 1;
                    }
                int32_t picked = order->pick(state, ready, slots);
                if (any == 0 || picked == WM_NO_WARP) {
                    cr_assert_eq(picked, WM_NO_WARP);
                    cr_assert(any == 0 || order->holds_back, "%s", order->name);
                    continue;
                }
                cr_assert(picked >= 0 && (uint32_t)picked < slots, "%s: %d", order->name, picked);
                cr_assert(has(ready, (uint32_t)picked), "%s: %d", order->name, picked);
                order->ran(state, (uint32_t)picked, WM_WARP_STOP_ISSUED);
                uint32_t found = (uint32_t)wm_random_below(&random, slots);
                order->ran(state, found, round % 2 ? WM_WARP_STOP_MISS : WM_WARP_STOP_WAITS);
            }
            release_state(state);
        }
}

// A warp that spins must not keep the one it waits for from running.
Test(warp_scheduler_contract, every_ready_warp_runs_in_the_end)
{
    size_t count;
    const struct wm_warp_scheduler_ops *const *orders = wm_warp_scheduler_table(&count);
    for (size_t which = 0; which < count; which++)
        for (uint32_t slots = 1; slots <= MAX_SLOTS; slots++) {
            const struct wm_warp_scheduler_ops *order = orders[which];
            void *state = new_state(order, slots);
            uint64_t ready[WORDS] = {0};
            uint32_t seen[MAX_SLOTS] = {0};
            for (uint32_t slot = 0; slot < slots; slot++) {
                order->join(state, slot);
                put(ready, slot, true);
            }
            for (uint32_t turn = 0; turn < 2 * slots; turn++) {
                int32_t picked = order->pick(state, ready, slots);
                seen[picked]++;
                order->ran(state, (uint32_t)picked, WM_WARP_STOP_BUDGET);
            }
            for (uint32_t slot = 0; slot < slots; slot++)
                cr_assert_eq(seen[slot], 2, "%s: slot %u ran %u times", order->name, slot,
                             seen[slot]);
            release_state(state);
        }
}

// Without the entry's own idea of what to ask for: every operation that is not optional is there,
// and its texts.
Test(warp_scheduler_contract, entries_are_whole)
{
    size_t count;
    const struct wm_warp_scheduler_ops *const *orders = wm_warp_scheduler_table(&count);
    for (size_t which = 0; which < count; which++) {
        const struct wm_warp_scheduler_ops *order = orders[which];
        cr_assert_not_null(order->name);
        cr_assert(order->title && order->source && order->sentence, "%s", order->name);
        cr_assert(order->state_bytes && order->reset && order->join && order->leave, "%s",
                  order->name);
        cr_assert(order->pick && order->ran && order->age_rank, "%s", order->name);
    }
}

// --- Entries differ, and each hook matters ---

enum { PICKS = 3000, CONTRACT_SLOTS = 24 };

// How a play is varied.
struct variation {
    bool timed;          // one instruction at a time, of warps that can issue now
    uint32_t limit;      // 0: none is set
    bool offers;         // all warps are offered before each pick
    bool misses_as_hits; // a walk: MISS is said to be MEMORY
};

// Warps that a play has, and which of them can go on.
static void step_play(const struct wm_warp_scheduler_ops *order, void *state,
                      const struct variation *variation, struct wm_random *random, uint64_t *ready)
{
    for (uint32_t slot = 0; slot < CONTRACT_SLOTS; slot++)
        if (variation->timed)
            put(ready, slot, wm_random_below(random, 2) == 0);
        else if (wm_random_below(random, 4) == 0)
            put(ready, slot, true);
    uint32_t new_one = (uint32_t)wm_random_below(random, 10 * CONTRACT_SLOTS);
    if (new_one >= CONTRACT_SLOTS)
        return;
    order->ran(state, new_one, WM_WARP_STOP_FINISHED);
    order->leave(state, new_one);
    order->join(state, new_one);
}

static void play_on(const struct wm_warp_scheduler_ops *order, void *state,
                    const struct variation *variation, int8_t *picks)
{
    struct wm_random random;
    uint64_t ready[WORDS] = {0}, all[WORDS] = {(UINT64_C(1) << CONTRACT_SLOTS) - 1};
    wm_random_init(&random, 1, "contract");
    if (variation->limit != 0 && order->limit != NULL)
        order->limit(state, variation->limit);
    for (uint32_t slot = 0; slot < CONTRACT_SLOTS; slot++)
        order->join(state, (slot * 7 + 3) % CONTRACT_SLOTS);
    for (int pick = 0; pick < PICKS; pick++) {
        step_play(order, state, variation, &random, ready);
        bool missed = wm_random_below(&random, 3) == 0;
        bool ends = wm_random_below(&random, 8) == 0;
        if (variation->offers && order->offer != NULL)
            order->offer(state, all);
        picks[pick] = (int8_t)order->pick(state, ready, CONTRACT_SLOTS);
        if (picks[pick] == WM_NO_WARP)
            continue;
        enum wm_warp_stop stop = ends                                   ? WM_WARP_STOP_WAITS
                                 : variation->timed                     ? WM_WARP_STOP_ISSUED
                                 : missed && !variation->misses_as_hits ? WM_WARP_STOP_MISS
                                                                        : WM_WARP_STOP_MEMORY;
        order->ran(state, (uint32_t)picks[pick], stop);
        if (ends)
            put(ready, (uint32_t)picks[pick], false);
    }
}

static void play(const struct wm_warp_scheduler_ops *order, struct variation variation,
                 int8_t *picks)
{
    void *state = new_state(order, CONTRACT_SLOTS);
    play_on(order, state, &variation, picks);
    release_state(state);
}

static bool differ(const int8_t *one, const int8_t *other)
{
    return memcmp(one, other, PICKS) != 0;
}

Test(warp_scheduler_contract, no_two_entries_are_the_same)
{
    static int8_t one[PICKS], other[PICKS];
    size_t count;
    const struct wm_warp_scheduler_ops *const *table = wm_warp_scheduler_table(&count);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            for (int timed = 0; timed < 2; timed++) {
                play(table[i], (struct variation){.timed = timed, .limit = 4}, one);
                play(table[j], (struct variation){.timed = timed, .limit = 4}, other);
                cr_expect(differ(one, other), "%s is %s, timed %d", table[i]->name, table[j]->name,
                          timed);
            }
}

Test(warp_scheduler_contract, a_reset_makes_it_new)
{
    static int8_t fresh[PICKS], again[PICKS];
    size_t count;
    const struct wm_warp_scheduler_ops *const *table = wm_warp_scheduler_table(&count);
    for (size_t i = 0; i < count; i++)
        for (int timed = 0; timed < 2; timed++) {
            struct variation before = {.timed = true, .limit = 3}, variation = {.timed = timed};
            void *state = new_state(table[i], CONTRACT_SLOTS);
            play_on(table[i], state, &before, again);
            table[i]->reset(state, CONTRACT_SLOTS);
            play_on(table[i], state, &variation, again);
            play(table[i], variation, fresh);
            cr_expect(!differ(fresh, again), "%s, timed %d", table[i]->name, timed);
            release_state(state);
        }
}

// Who says that misses matter is told of them in vain nowhere, and who does not, needs not be told.
Test(warp_scheduler_contract, misses_matter_where_they_are_said_to)
{
    static int8_t told[PICKS], not_told[PICKS];
    size_t count;
    const struct wm_warp_scheduler_ops *const *table = wm_warp_scheduler_table(&count);
    for (size_t i = 0; i < count; i++) {
        play(table[i], (struct variation){0}, told);
        play(table[i], (struct variation){.misses_as_hits = true}, not_told);
        cr_expect_eq(differ(told, not_told), table[i]->distinguishes_misses, "%s", table[i]->name);
    }
}

// While all warps can go on and do, as many have turns as the limit says: the others are held back.
Test(warp_scheduler_contract, a_limit_is_how_many_warps_take_turns)
{
    size_t count, with_limit = 0;
    const struct wm_warp_scheduler_ops *const *table = wm_warp_scheduler_table(&count);
    for (size_t i = 0; i < count; i++) {
        cr_expect_eq(table[i]->limit != NULL, table[i]->holds_back, "%s", table[i]->name);
        with_limit += table[i]->limit != NULL;
        for (uint32_t limit = 1; table[i]->limit != NULL && limit <= CONTRACT_SLOTS; limit++) {
            void *state = new_state(table[i], CONTRACT_SLOTS);
            uint64_t all[WORDS] = {(UINT64_C(1) << CONTRACT_SLOTS) - 1}, had = 0;
            table[i]->limit(state, limit);
            for (uint32_t slot = 0; slot < CONTRACT_SLOTS; slot++)
                table[i]->join(state, slot);
            for (uint32_t pick = 0; pick < 4 * CONTRACT_SLOTS; pick++) {
                int32_t picked = table[i]->pick(state, all, CONTRACT_SLOTS);
                had |= UINT64_C(1) << picked;
                table[i]->ran(state, (uint32_t)picked, WM_WARP_STOP_ISSUED);
            }
            cr_expect_eq(__builtin_popcountll(had), limit, "%s", table[i]->name);
            release_state(state);
        }
    }
    cr_assert_geq(with_limit, 1);
}

// An offer matters to those that take it: warps whose unit is busy for a moment have their turns
// kept. Of the warps that are ready anyway it changes nothing.
Test(warp_scheduler_contract, an_offer_matters_to_who_takes_it)
{
    static int8_t with[PICKS], without[PICKS];
    size_t count, with_offer = 0;
    const struct wm_warp_scheduler_ops *const *table = wm_warp_scheduler_table(&count);
    for (size_t i = 0; i < count; i++) {
        play(table[i], (struct variation){.timed = true, .limit = 4, .offers = true}, with);
        play(table[i], (struct variation){.timed = true, .limit = 4}, without);
        cr_expect_eq(differ(with, without), table[i]->offer != NULL, "%s", table[i]->name);
        with_offer += table[i]->offer != NULL;
    }
    cr_assert_geq(with_offer, 1);
}

// With an offer of all, the pool is full of the warps that have waited longest, ready or not: none
// of the others is picked, though it alone be ready.
Test(warp_scheduler_contract, an_offer_fills_the_pool_with_the_longest_waiting)
{
    size_t count;
    const struct wm_warp_scheduler_ops *const *table = wm_warp_scheduler_table(&count);
    for (size_t i = 0; i < count; i++)
        for (uint32_t limit = 1; table[i]->offer != NULL && limit < CONTRACT_SLOTS; limit++) {
            void *state = new_state(table[i], CONTRACT_SLOTS);
            uint64_t all[WORDS] = {(UINT64_C(1) << CONTRACT_SLOTS) - 1};
            table[i]->limit(state, limit);
            for (uint32_t slot = 0; slot < CONTRACT_SLOTS; slot++)
                table[i]->join(state, slot);
            table[i]->offer(state, all);
            for (uint32_t slot = 0; slot < CONTRACT_SLOTS; slot++) {
                uint64_t one[WORDS] = {UINT64_C(1) << slot};
                cr_expect_eq(table[i]->pick(state, one, CONTRACT_SLOTS),
                             slot < limit ? (int32_t)slot : WM_NO_WARP, "%s", table[i]->name);
            }
            release_state(state);
        }
}

// A warp that has left counts for no other's age, and one that joins is the youngest; leaving takes
// a warp out though it never said that it had finished.
Test(warp_scheduler_contract, who_left_is_not_there)
{
    size_t count;
    const struct wm_warp_scheduler_ops *const *table = wm_warp_scheduler_table(&count);
    for (size_t i = 0; i < count; i++) {
        void *state = new_state(table[i], 4);
        for (uint32_t slot = 0; slot < 4; slot++)
            table[i]->join(state, slot);
        table[i]->leave(state, 0);
        cr_expect_eq(table[i]->age_rank(state, 1), 0, "%s", table[i]->name);
        cr_expect_eq(table[i]->age_rank(state, 3), 2, "%s", table[i]->name);
        table[i]->join(state, 0);
        cr_expect_eq(table[i]->age_rank(state, 0), 3, "%s", table[i]->name);
        if (table[i]->limit != NULL) {
            table[i]->limit(state, 1);
            table[i]->leave(state, 1);
            uint64_t ready[WORDS] = {0xf};
            cr_expect_eq(table[i]->pick(state, ready, 4), 2, "%s", table[i]->name);
        }
        release_state(state);
    }
}

// A slot below 64 warps' bits in one word: where turns may be run up, that is turn by turn.
Test(warp_scheduler_contract, ran_up_is_turn_by_turn)
{
    size_t count, with = 0;
    const struct wm_warp_scheduler_ops *const *table = wm_warp_scheduler_table(&count);
    for (size_t i = 0; i < count; i++)
        for (uint32_t last = 0; table[i]->ran_up != NULL && last < CONTRACT_SLOTS; last++) {
            void *state = new_state(table[i], CONTRACT_SLOTS),
                 *one_by_one = new_state(table[i], CONTRACT_SLOTS);
            uint64_t all[WORDS] = {(UINT64_C(1) << CONTRACT_SLOTS) - 1};
            for (uint32_t slot = 0; slot < CONTRACT_SLOTS; slot++) {
                table[i]->join(state, slot);
                table[i]->join(one_by_one, slot);
            }
            cr_assert_eq(table[i]->pick(state, all, CONTRACT_SLOTS), 0);
            table[i]->ran_up(state, last);
            for (uint32_t slot = 0; slot <= last; slot++) {
                cr_assert_eq(table[i]->pick(one_by_one, all, CONTRACT_SLOTS), (int32_t)slot);
                table[i]->ran(one_by_one, slot, WM_WARP_STOP_MEMORY);
            }
            cr_expect_eq(table[i]->pick(state, all, CONTRACT_SLOTS),
                         table[i]->pick(one_by_one, all, CONTRACT_SLOTS), "%s", table[i]->name);
            with++;
            release_state(state);
            release_state(one_by_one);
        }
    cr_assert_geq(with, 1);
}
