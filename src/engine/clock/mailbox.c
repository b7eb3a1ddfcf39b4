// What islands sent in a window goes to its receivers at the window's end: packets and credits.
//
// Of one thread, straight from the senders. Of several, islands that ran on a thread leave it in
// that thread's mailboxes, one for each thread that islands belong to, and each thread delivers
// what is addressed to its own. To look for that at the senders would be to wait for one line after
// another of the other host processor's caches: of a mailbox it is known ahead where all of it
// lies.
//
// Of each sender a receiver has what it sent in order; between senders order has no meaning
// (mem/timed/network/crossbar.h): arrivals are sorted, and credits are of one sender and one
// receiver.
#include "base/containers/array.h"
#include "engine/clock/clock_state.h"

#include <stdlib.h>

// A packet, which stays where its sender has it, from a sender to a receiver: SM and slice, or the
// other way round.
struct letter {
    const struct wm_packet *packet;
    uint16_t from, to;
};

struct letters {
    struct letter *letters; // owned
    uint32_t count, room;
};

// What islands that one thread ran have sent to those of one.
struct wm_clock_mailbox {
    _Alignas(WM_FALSE_SHARING_BYTES) struct letters requests;
    struct letters replies;
    struct wm_crossbar_credit *credits; // owned
    uint32_t credit_count, credit_room;
};

enum { EXPECTED_LETTERS = 8 };

// --- To its receiver ---

// A packet arrives at an SM, or at a partition.
static inline void expect(struct wm_clock *clock, uint32_t part, uint64_t when, bool later)
{
    uint64_t *next = later ? &clock->arrivals[part].packet : &clock->islands[part].next;
    *next = wm_earlier(*next, when);
}

bool wm_clock_give_request(struct wm_clock *clock, uint32_t sm, uint32_t receiver,
                           const struct wm_packet *packet, bool later)
{
    const struct wm_clock_receiver *to = &clock->receivers[receiver];
    expect(clock, clock->unit_count + to->partition, packet->when, later);
    bool responds = packet->client == WM_PACKET_ACKNOWLEDGEMENT;
    return wm_crossbar_input_add(responds ? &to->slice->responses : &to->slice->input, sm, packet);
}

bool wm_clock_give_reply(struct wm_clock *clock, uint32_t receiver, uint32_t sm,
                         const struct wm_packet *packet, bool later)
{
    expect(clock, sm, packet->when, later);
    return wm_crossbar_input_add(&clock->sms[sm].input, receiver, packet);
}

static inline bool bring_request(struct wm_clock *clock, uint32_t sm, uint32_t receiver,
                                 const struct wm_packet *packet, bool later)
{
    if (__builtin_expect(clock->peer_links != NULL, false) && wm_clock_crosses(clock, sm, receiver))
        return wm_clock_peer_link_take(clock, sm, receiver, packet, false);
    return wm_clock_give_request(clock, sm, receiver, packet, later);
}

static inline bool bring_reply(struct wm_clock *clock, uint32_t slice, uint32_t sm,
                               const struct wm_packet *packet, bool later)
{
    if (__builtin_expect(clock->peer_links != NULL, false) && wm_clock_crosses(clock, sm, slice))
        return wm_clock_peer_link_take(clock, sm, slice, packet, true);
    return wm_clock_give_reply(clock, slice, sm, packet, later);
}

static inline void bring_credit(struct wm_clock *clock, const struct wm_crossbar_credit *credit,
                                bool later)
{
    struct wm_clock_sm *to = &clock->sms[credit->sender];
    uint64_t when = credit->when;
    if (__builtin_expect(clock->peer_links != NULL, false) &&
        wm_clock_crosses(clock, credit->sender, credit->receiver))
        when += wm_clock_peer_link_latency(clock);
    wm_crossbar_credit(&to->output, credit->receiver, when);
    uint64_t *arrivals = &clock->arrivals[credit->sender].credit;
    if (later)
        *arrivals = wm_earlier(*arrivals, when);
    else if (wm_clock_sm_has_packets(to))
        wm_clock_sm_expect(to, when);
}

// --- Of one thread ---

static bool hand_over_from(struct wm_clock *clock, const struct wm_clock_sm *sm,
                           const struct wm_crossbar_output *output, bool later)
{
    bool ok = true;
    for (uint32_t i = 0; i < output->sent_count && ok; i++)
        ok = bring_request(clock, sm->index, output->sent_to[i], &output->sent[i], later);
    return ok;
}

bool wm_clock_hand_over_requests(struct wm_clock *clock, const struct wm_clock_sm *sm, bool later)
{
    return hand_over_from(clock, sm, &sm->output, later) &&
           hand_over_from(clock, sm, &sm->responses, later);
}

bool wm_clock_hand_over_replies(struct wm_clock *clock, const struct wm_partition *partition,
                                bool later)
{
    bool ok = true;
    for (uint32_t n = 0; n < partition->slice_count; n++) {
        const struct wm_partition_slice *slice = &partition->slices[n];
        for (uint32_t i = 0; i < slice->output.sent_count && ok; i++)
            ok = bring_reply(clock, slice->receiver, slice->output.sent_to[i],
                             &slice->output.sent[i], later);
        for (uint32_t i = 0; i < slice->input.credit_count; i++)
            bring_credit(clock, &slice->input.credits[i], later);
    }
    return ok;
}

static bool has_sent(const struct wm_clock *clock, uint32_t part)
{
    return clock->islands[part].window == clock->windows && clock->islands[part].sent;
}

void wm_clock_hand_over(struct wm_clock *clock)
{
    bool ok = true;
    for (uint32_t i = 0; i < clock->unit_count && ok; i++)
        if (has_sent(clock, i))
            ok = wm_clock_hand_over_requests(clock, &clock->sms[i], false);
    for (uint32_t i = 0; i < clock->partition_count && ok; i++)
        if (has_sent(clock, clock->unit_count + i))
            ok = wm_clock_hand_over_replies(clock, clock->partitions[i], false);
    if (clock->peer_links != NULL)
        ok = ok && wm_clock_peer_links_hand_over(clock);
    if (!ok)
        clock->tallies[0].failed = true;
}

// What slices have read of SMs' pools is these' again.
void wm_clock_return_written_rows(struct wm_clock *clock, struct wm_partition *partition)
{
    struct wm_byte_mask_rows *rows = &partition->island.rows;
    for (uint32_t i = 0; i < rows->count; i++)
        wm_byte_mask_pool_give_back(&clock->sms[rows->rows[i].sm].timed.written, rows->rows[i].row);
    rows->count = 0;
}

// --- Of several ---

void wm_clock_mailboxes_release(struct wm_clock *clock)
{
    for (uint32_t i = 0;
         clock->mailboxes != NULL && i < clock->mailbox_threads * clock->mailbox_threads; i++) {
        free(clock->mailboxes[i].requests.letters);
        free(clock->mailboxes[i].replies.letters);
        free(clock->mailboxes[i].credits);
    }
    free(clock->mailboxes);
    clock->mailboxes = NULL;
}

bool wm_clock_mailboxes_begin(struct wm_clock *clock, uint32_t threads)
{
    if (threads == 1 || clock->network != NULL || clock->peer_links != NULL)
        return true;
    clock->mailbox_threads = threads;
    clock->mailboxes = wm_clock_zeros((size_t)threads * threads, sizeof *clock->mailboxes);
    return clock->mailboxes != NULL;
}

// That thread's mailbox to islands of `share`.
static inline struct wm_clock_mailbox *mail_of(const struct wm_clock *clock, uint32_t thread,
                                               uint32_t share)
{
    return &clock->mailboxes[thread * clock->mailbox_threads + share];
}

static inline bool add_letter(struct letters *letters, const struct wm_packet *packet,
                              uint32_t from, uint32_t to)
{
    return WM_ARRAY_ADD(
        letters->letters, letters->count, letters->room,
        (struct letter){.packet = packet, .from = (uint16_t)from, .to = (uint16_t)to});
}

static inline bool add_credit(struct wm_clock_mailbox *mailbox,
                              const struct wm_crossbar_credit *credit)
{
    return WM_ARRAY_ADD(mailbox->credits, mailbox->credit_count, mailbox->credit_room, *credit);
}

static bool post_from(struct wm_clock *clock, const struct wm_clock_sm *sm,
                      const struct wm_crossbar_output *output, uint32_t thread)
{
    bool ok = true;
    for (uint32_t i = 0; i < output->sent_count && ok; i++) {
        uint32_t receiver = output->sent_to[i];
        uint32_t share = clock->thread_of[clock->unit_count + clock->receivers[receiver].partition];
        ok = add_letter(&mail_of(clock, thread, share)->requests, &output->sent[i], sm->index,
                        receiver);
    }
    return ok;
}

void wm_clock_post_requests(struct wm_clock *clock, const struct wm_clock_sm *sm, uint32_t thread)
{
    if (!post_from(clock, sm, &sm->output, thread) || !post_from(clock, sm, &sm->responses, thread))
        clock->tallies[thread].failed = true;
}

void wm_clock_post_replies(struct wm_clock *clock, const struct wm_partition *partition,
                           uint32_t thread)
{
    bool ok = true;
    for (uint32_t n = 0; n < partition->slice_count && ok; n++) {
        const struct wm_partition_slice *slice = &partition->slices[n];
        const struct wm_crossbar_output *output = &slice->output;
        const struct wm_crossbar_input *input = &slice->input;
        for (uint32_t i = 0; i < output->sent_count && ok; i++) {
            uint32_t sm = output->sent_to[i];
            ok = add_letter(&mail_of(clock, thread, clock->thread_of[sm])->replies,
                            &output->sent[i], slice->receiver, sm);
        }
        for (uint32_t i = 0; i < input->credit_count && ok; i++) {
            uint32_t share = clock->thread_of[input->credits[i].sender];
            ok = add_credit(mail_of(clock, thread, share), &input->credits[i]);
        }
    }
    if (!ok)
        clock->tallies[thread].failed = true;
}

// Prefetches, on the host, a letter's packet, which another of its processors has.
static inline void expect_letter(const struct letters *letters, uint32_t i)
{
    if (i < letters->count)
        __builtin_prefetch(letters->letters[i].packet);
}

static bool deliver_mail(struct wm_clock *clock, struct wm_clock_mailbox *mailbox)
{
    struct letters *requests = &mailbox->requests, *replies = &mailbox->replies;
    bool ok = true;
    for (uint32_t i = 0; i < EXPECTED_LETTERS; i++)
        expect_letter(requests, i);
    for (uint32_t i = 0; i < requests->count && ok; i++) {
        const struct letter *letter = &requests->letters[i];
        expect_letter(requests, i + EXPECTED_LETTERS);
        ok = bring_request(clock, letter->from, letter->to, letter->packet, false);
    }
    for (uint32_t i = 0; i < EXPECTED_LETTERS; i++)
        expect_letter(replies, i);
    for (uint32_t i = 0; i < replies->count && ok; i++) {
        const struct letter *letter = &replies->letters[i];
        expect_letter(replies, i + EXPECTED_LETTERS);
        ok = bring_reply(clock, letter->from, letter->to, letter->packet, false);
    }
    for (uint32_t i = 0; i < mailbox->credit_count; i++)
        bring_credit(clock, &mailbox->credits[i], false);
    requests->count = replies->count = mailbox->credit_count = 0;
    return ok;
}

void wm_clock_deliver(void *context, uint32_t share, uint32_t thread)
{
    struct wm_clock *clock = context;
    bool ok = true;
    for (uint32_t from = 0; from < clock->mailbox_threads; from++)
        ok = deliver_mail(clock, mail_of(clock, from, share)) && ok;
    if (!ok)
        clock->tallies[thread].failed = true;
}
