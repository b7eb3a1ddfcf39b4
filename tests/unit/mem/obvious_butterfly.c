#include "obvious_butterfly.h"

#include <criterion/criterion.h>
#include <string.h>

// The digit, counted from the left, of a position.
static uint32_t digit_of(const struct obvious_butterfly *model, uint32_t position, uint32_t place)
{
    for (uint32_t i = place + 1; i < model->stages; i++)
        position /= model->spec.radix;
    return position % model->spec.radix;
}

void obvious_butterfly_init(struct obvious_butterfly *model, const struct wm_butterfly_spec *spec)
{
    memset(model, 0, sizeof *model);
    model->spec = *spec;
    model->width = spec->radix;
    model->stages = 1;
    while (model->width < spec->senders || model->width < spec->receivers) {
        model->width *= spec->radix;
        model->stages++;
    }
    cr_assert(model->stages <= OBVIOUS_STAGES && model->width <= OBVIOUS_WIDTH);
    for (uint32_t stage = 0; stage < model->stages; stage++)
        for (uint32_t position = 0; position < model->width; position++) {
            model->digits[position][stage] = digit_of(model, position, stage);
            bool last = stage == model->stages - 1;
            uint32_t room = last ? spec->receiver_depth : spec->depth;
            model->ports[stage][position] =
                (struct obvious_port){.from = -1, .room = last && room == 0 ? UINT32_MAX : room};
        }
}

static void later(struct obvious_butterfly *model, struct obvious_event event)
{
    cr_assert_lt(model->event_count, OBVIOUS_EVENTS);
    model->events[model->event_count++] = event;
}

void obvious_butterfly_add(struct obvious_butterfly *model, uint32_t sender,
                           const struct wm_packet *packet)
{
    for (uint32_t i = 0; i < packet->flits; i++)
        later(model, (struct obvious_event){.cycle = packet->when - packet->flits + 1 + i,
                                            .kind = OBVIOUS_FLIT,
                                            .position = sender,
                                            .packet = *packet,
                                            .is_first = i == 0});
}

void obvious_butterfly_credit(struct obvious_butterfly *model, uint32_t receiver, uint64_t when)
{
    later(model, (struct obvious_event){.cycle = when,
                                        .kind = OBVIOUS_ROOM,
                                        .stage = model->stages - 1,
                                        .position = receiver});
}

static void come_to_pass(struct obvious_butterfly *model, const struct obvious_event *event)
{
    struct obvious_buffer *buffer = &model->buffers[event->stage][event->position];
    if (event->kind == OBVIOUS_ROOM) {
        model->ports[event->stage][event->position].room++;
        return;
    }
    if (event->is_first) {
        cr_assert_lt(buffer->count, model->spec.depth, "a buffer overflows");
        buffer->packets[buffer->count++] = (struct obvious_flits){.packet = event->packet};
    }
    buffer->packets[buffer->count - 1].come++;
}

static bool differ_only_in(const struct obvious_butterfly *model, uint32_t a, uint32_t b,
                           uint32_t place)
{
    for (uint32_t i = 0; i < model->stages; i++)
        if (i != place && model->digits[a][i] != model->digits[b][i])
            return false;
    return true;
}

static bool wants(const struct obvious_butterfly *model, uint32_t stage, uint32_t from, uint32_t to)
{
    const struct obvious_buffer *buffer = &model->buffers[stage][from];
    if (buffer->count == 0 || !differ_only_in(model, from, to, stage))
        return false;
    const struct obvious_flits *first = &buffer->packets[0];
    uint32_t receiver = model->spec.to_sms ? first->packet.sm : first->packet.receiver;
    return first->gone == 0 && model->digits[receiver][stage] == model->digits[to][stage];
}

// An idle port takes the packet of the next input in turn.
static void choose(struct obvious_butterfly *model, uint32_t stage, uint32_t to)
{
    struct obvious_port *port = &model->ports[stage][to];
    for (uint32_t i = 0; port->from < 0 && port->room != 0 && i < model->spec.radix; i++) {
        uint32_t turn = (port->turn + i) % model->spec.radix;
        for (uint32_t from = 0; from < model->width; from++)
            if (model->digits[from][stage] == turn && wants(model, stage, from, to)) {
                port->from = (int32_t)from;
                port->turn = (turn + 1) % model->spec.radix;
                port->room -= port->room != UINT32_MAX;
                return;
            }
    }
}

static void tail_has_left(struct obvious_butterfly *model, uint32_t stage, uint32_t from,
                          uint64_t cycle)
{
    struct obvious_buffer *buffer = &model->buffers[stage][from];
    memmove(buffer->packets, buffer->packets + 1, --buffer->count * sizeof *buffer->packets);
    if (stage == 0)
        model->credits[model->credit_count++] =
            (struct wm_crossbar_credit){.sender = from, .when = cycle + 1 + model->spec.to_first};
    else
        later(model,
              (struct obvious_event){
                  .cycle = cycle + 2, .kind = OBVIOUS_ROOM, .stage = stage - 1, .position = from});
}

static void move_flit(struct obvious_butterfly *model, uint32_t stage, uint32_t to, uint64_t cycle)
{
    struct obvious_port *port = &model->ports[stage][to];
    if (port->from < 0)
        return;
    uint32_t from = (uint32_t)port->from;
    struct obvious_flits *first = &model->buffers[stage][from].packets[0];
    cr_assert_gt(first->come, first->gone, "flits come without gaps");
    bool is_first = first->gone++ == 0, is_last = first->gone == first->packet.flits;
    struct wm_packet packet = first->packet;
    if (stage + 1 < model->stages)
        later(model, (struct obvious_event){.cycle = cycle + 1,
                                            .kind = OBVIOUS_FLIT,
                                            .stage = stage + 1,
                                            .position = to,
                                            .packet = packet,
                                            .is_first = is_first});
    else if (is_first) {
        packet.when = cycle + model->spec.from_last + packet.flits;
        model->out[model->out_count++] = packet;
    }
    if (is_last) {
        tail_has_left(model, stage, from, cycle);
        port->from = -1;
    }
}

void obvious_butterfly_cycle(struct obvious_butterfly *model, uint64_t cycle)
{
    uint32_t kept = 0, count = model->event_count;
    model->out_count = model->credit_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct obvious_event event = model->events[i];
        if (event.cycle <= cycle)
            come_to_pass(model, &event);
        else
            model->events[kept++] = event;
    }
    model->event_count = kept;
    for (uint32_t stage = 0; stage < model->stages; stage++)
        for (uint32_t to = 0; to < model->width; to++)
            choose(model, stage, to);
    for (uint32_t stage = 0; stage < model->stages; stage++)
        for (uint32_t to = 0; to < model->width; to++)
            move_flit(model, stage, to, cycle);
}
