// The queue of coherent caches' events against a list that is searched from its begin.
#include "mem/timed/coherent/event_queue.h"

#include "base/numbers/random.h"

#include <criterion/criterion.h>

enum { MOST = 400, ROUNDS = 60, STEPS = 2000 };

struct model {
    struct wm_coherent_event events[MOST];
    uint32_t count;
};

static bool is_before(const struct wm_coherent_event *a, const struct wm_coherent_event *b)
{
    return a->when != b->when       ? a->when < b->when
           : a->sender != b->sender ? a->sender < b->sender
                                    : a->sequence < b->sequence;
}

static struct wm_coherent_event take(struct model *model)
{
    uint32_t first = 0;
    for (uint32_t i = 1; i < model->count; i++)
        if (is_before(&model->events[i], &model->events[first]))
            first = i;
    struct wm_coherent_event event = model->events[first];
    model->events[first] = model->events[--model->count];
    return event;
}

static uint64_t next_of(const struct model *model)
{
    uint64_t next = UINT64_MAX;
    for (uint32_t i = 0; i < model->count; i++)
        next = model->events[i].when < next ? model->events[i].when : next;
    return next;
}

static void add(struct wm_coherent_events *events, struct model *model, uint64_t when,
                uint32_t sender, uint64_t sequence, uint64_t now)
{
    struct wm_coherent_event event = {
        .when = when, .sender = sender, .sequence = sequence, .line = when * 31 + sequence};
    cr_assert(wm_coherent_events_add(events, &event, now));
    model->events[model->count++] = event;
}

static void take_both(struct wm_coherent_events *events, struct model *model)
{
    struct wm_coherent_event wanted = take(model), got = wm_coherent_events_take(events);
    cr_assert_eq(got.when, wanted.when);
    cr_assert_eq(got.sender, wanted.sender);
    cr_assert_eq(got.sequence, wanted.sequence);
    cr_assert_eq(got.line, wanted.line);
    cr_assert_eq(wm_coherent_events_next(events), next_of(model));
}

// How far ahead an event is: most are near, some behind the calendar; and some have their time
// behind them, as data of memory whose last burst was a cycle ago.
static uint64_t time_of(struct wm_random *random, uint64_t now, uint32_t crowd)
{
    uint64_t kind = wm_random_below(random, 20);
    if (kind == 0)
        return now + wm_random_below(random, 3 * WM_COHERENT_DAYS);
    if (kind == 1)
        return now > 2 ? now - wm_random_below(random, 3) : now;
    return now + wm_random_below(random, crowd);
}

// As the caches do it: what is due in a cycle is taken, and adds more, before time goes on.
static void run(struct wm_random *random, uint32_t crowd)
{
    struct wm_coherent_events events = {0};
    struct model model = {.count = 0};
    uint64_t now = wm_random_below(random, 1000), sequence = 0;
    for (uint32_t step = 0; step < STEPS; step++) {
        uint32_t added = (uint32_t)wm_random_below(random, 4);
        for (uint32_t i = 0; i < added && model.count < MOST; i++)
            add(&events, &model, time_of(random, now, crowd), (uint32_t)wm_random_below(random, 6),
                sequence++, now);
        uint64_t next = wm_coherent_events_next(&events);
        cr_assert_eq(next, next_of(&model));
        if (model.count == 0) {
            now += wm_random_below(random, 1000); // it stands still, longer than the calendar
            continue;
        }
        now = next > now ? next : now;
        take_both(&events, &model);
    }
    while (model.count != 0)
        take_both(&events, &model);
    cr_assert_eq(wm_coherent_events_next(&events), UINT64_MAX);
    wm_coherent_events_release(&events);
}

Test(coherent_events, the_first_is_taken_first)
{
    static const uint32_t crowds[] = {1, 3, 40, WM_COHERENT_DAYS, WM_COHERENT_DAYS + 1};
    struct wm_random random;
    wm_random_init(&random, 1, "events");
    for (uint32_t round = 0; round < ROUNDS; round++)
        run(&random, crowds[round % (sizeof crowds / sizeof crowds[0])]);
}

// Of one cycle: by sender, then by what it sent first, also where a day has more than it counts.
Test(coherent_events, of_one_cycle_in_order_of_their_senders)
{
    enum { SENDERS = 5, EACH = 12 };
    struct wm_coherent_events events = {0};
    struct model model = {.count = 0};
    for (uint64_t i = 0; i < EACH; i++)
        for (uint32_t sender = SENDERS; sender-- > 0;)
            add(&events, &model, 77, sender, SENDERS * i + sender, 70);
    for (uint32_t i = 0; i < SENDERS * EACH; i++) {
        struct wm_coherent_event event = wm_coherent_events_take(&events);
        cr_assert_eq(event.sender, i / EACH);
        cr_assert_eq(event.sequence, SENDERS * (i % EACH) + i / EACH);
    }
    wm_coherent_events_release(&events);
}
