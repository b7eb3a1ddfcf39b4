#include "mem/dram/queue.h"

uint32_t wm_dram_queue_entries(const struct wm_dram_channel_spec *spec)
{
    const struct wm_dram_controller *controller = &spec->controller;
    uint32_t banks =
        spec->organisation.ranks * spec->organisation.bank_groups * spec->organisation.banks;
    // Requests whose row was opened may take no entry of the queue, one a bank; queues of banks are
    // additional to the one before them.
    return controller->read_queue + controller->write_queue +
           banks * (controller->queues == WM_DRAM_QUEUES_PER_BANK ? controller->bank_queue : 1);
}

static const struct wm_dram_list empty = {WM_DRAM_NONE, WM_DRAM_NONE, WM_DRAM_NONE, WM_DRAM_NONE};

void wm_dram_queue_reset(struct wm_dram_channel *channel)
{
    uint32_t entries = wm_dram_queue_entries(&channel->spec);
    for (uint32_t i = 0; i < entries; i++)
        channel->entries[i].next = (uint16_t)(i + 1 < entries ? i + 1 : WM_DRAM_NONE);
    channel->free_entry = 0;
    for (uint32_t i = 0; i < channel->banks; i++) {
        struct wm_dram_bank *bank = &channel->banks_state[i];
        for (int direction = 0; direction < WM_DRAM_DIRECTIONS; direction++)
            bank->queue[direction] = bank->waiting[direction] = empty;
        bank->activated = WM_DRAM_NONE;
        wm_dram_mask_set(channel->has_room_mask, i, true);
    }
}

static bool hits(const struct wm_dram_bank *bank, const struct wm_dram_entry *entry)
{
    return bank->open && entry->row == bank->row;
}

// The first entry from `at` on that hits, or that does not.
static uint16_t find_from(const struct wm_dram_channel *channel, const struct wm_dram_bank *bank,
                          uint16_t at, bool hit)
{
    while (at != WM_DRAM_NONE && hits(bank, &channel->entries[at]) != hit)
        at = channel->entries[at].next;
    return at;
}

static void push(struct wm_dram_channel *channel, struct wm_dram_list *list, uint16_t index)
{
    struct wm_dram_entry *entry = &channel->entries[index];
    entry->next = WM_DRAM_NONE;
    entry->previous = list->tail;
    if (list->tail == WM_DRAM_NONE)
        list->head = index;
    else
        channel->entries[list->tail].next = index;
    list->tail = index;
}

static void unlink_entry(struct wm_dram_channel *channel, struct wm_dram_list *list, uint16_t index)
{
    struct wm_dram_entry *entry = &channel->entries[index];
    if (entry->previous == WM_DRAM_NONE)
        list->head = entry->next;
    else
        channel->entries[entry->previous].next = entry->next;
    if (entry->next == WM_DRAM_NONE)
        list->tail = entry->previous;
    else
        channel->entries[entry->next].previous = entry->previous;
}

static void push_queue(struct wm_dram_channel *channel, uint16_t index)
{
    struct wm_dram_entry *entry = &channel->entries[index];
    struct wm_dram_bank *bank = &channel->banks_state[entry->bank];
    struct wm_dram_list *list = &bank->queue[entry->write];
    push(channel, list, index);
    uint16_t *first = hits(bank, entry) ? &list->hit : &list->miss;
    // Behind an older one of its kind it does not change the bank's next command.
    if (*first == WM_DRAM_NONE) {
        *first = index;
        wm_dram_mask_set(channel->stale, entry->bank, true);
    }
    wm_dram_mask_set(channel->has_queue[entry->write], entry->bank, true);
    channel->in_queue[entry->write]++;
    bank->queued++;
    if (bank->queued == channel->spec.controller.bank_queue)
        wm_dram_mask_set(channel->has_room_mask, entry->bank, false);
}

void wm_dram_queue_append(struct wm_dram_channel *channel, const struct wm_dram_entry *entry)
{
    uint16_t index = channel->free_entry;
    channel->free_entry = channel->entries[index].next;
    channel->entries[index] = *entry;
    channel->held[entry->write]++;
    channel->waiting++;
    if (channel->spec.controller.queues == WM_DRAM_QUEUES_SHARED) {
        push_queue(channel, index);
        return;
    }
    push(channel, &channel->banks_state[entry->bank].waiting[entry->write], index);
    wm_dram_mask_set(channel->has_waiting[entry->write], entry->bank, true);
    channel->in_waiting[entry->write]++;
}

void wm_dram_queue_remove(struct wm_dram_channel *channel, uint16_t index)
{
    struct wm_dram_entry *entry = &channel->entries[index];
    struct wm_dram_bank *bank = &channel->banks_state[entry->bank];
    struct wm_dram_list *list = &bank->queue[entry->write];
    if (list->hit == index)
        list->hit = find_from(channel, bank, entry->next, true);
    if (list->miss == index)
        list->miss = find_from(channel, bank, entry->next, false);
    unlink_entry(channel, list, index);
    if (list->head == WM_DRAM_NONE)
        wm_dram_mask_set(channel->has_queue[entry->write], entry->bank, false);
    if (bank->activated == index) {
        bank->activated = WM_DRAM_NONE;
        wm_dram_mask_set(channel->activated_mask, entry->bank, false);
    }
    if (channel->spec.controller.queues == WM_DRAM_QUEUES_SHARED &&
        !(entry->is_activated && channel->spec.controller.activated_leave_queue))
        channel->held[entry->write]--;
    wm_dram_mask_set(channel->stale, entry->bank, true);
    channel->in_queue[entry->write]--;
    channel->waiting--;
    bank->queued--;
    wm_dram_mask_set(channel->has_room_mask, entry->bank, true);
    entry->next = channel->free_entry;
    channel->free_entry = index;
}

static uint16_t find_write_in(const struct wm_dram_channel *channel,
                              const struct wm_dram_list *list, uint32_t row, uint32_t column)
{
    uint16_t at = list->head;
    while (at != WM_DRAM_NONE &&
           (channel->entries[at].row != row || channel->entries[at].column != column))
        at = channel->entries[at].next;
    return at;
}

uint16_t wm_dram_queue_find_write(const struct wm_dram_channel *channel, uint32_t bank,
                                  uint32_t row, uint32_t column)
{
    const struct wm_dram_bank *state = &channel->banks_state[bank];
    uint16_t found = find_write_in(channel, &state->queue[WM_DRAM_WRITES], row, column);
    return found != WM_DRAM_NONE
               ? found
               : find_write_in(channel, &state->waiting[WM_DRAM_WRITES], row, column);
}

void wm_dram_queue_row_changed(struct wm_dram_channel *channel, uint32_t index)
{
    struct wm_dram_bank *bank = &channel->banks_state[index];
    for (int direction = 0; direction < WM_DRAM_DIRECTIONS; direction++) {
        struct wm_dram_list *list = &bank->queue[direction];
        list->hit = find_from(channel, bank, list->head, true);
        list->miss = find_from(channel, bank, list->head, false);
    }
    wm_dram_mask_set(channel->open_mask, index, bank->open);
    wm_dram_mask_set(channel->stale, index, true);
}

bool wm_dram_queue_can_move(const struct wm_dram_channel *channel)
{
    const uint64_t *waiting = channel->has_waiting[channel->is_draining];
    for (uint32_t word = 0; word < channel->mask_words; word++)
        if (waiting[word] & channel->has_room_mask[word])
            return true;
    return false;
}

uint32_t wm_dram_queue_move(struct wm_dram_channel *channel)
{
    int direction = channel->is_draining;
    uint16_t oldest = WM_DRAM_NONE;
    for (uint32_t word = 0; word < channel->mask_words; word++) {
        uint64_t mask = channel->has_waiting[direction][word] & channel->has_room_mask[word];
        for (; mask != 0; mask &= mask - 1) {
            uint32_t bank = word * 64 + (uint32_t)__builtin_ctzll(mask);
            uint16_t head = channel->banks_state[bank].waiting[direction].head;
            if (oldest == WM_DRAM_NONE ||
                channel->entries[head].sequence < channel->entries[oldest].sequence)
                oldest = head;
        }
    }
    uint32_t bank = channel->entries[oldest].bank;
    struct wm_dram_list *list = &channel->banks_state[bank].waiting[direction];
    unlink_entry(channel, list, oldest);
    if (list->head == WM_DRAM_NONE)
        wm_dram_mask_set(channel->has_waiting[direction], bank, false);
    channel->in_waiting[direction]--;
    channel->held[direction]--;
    push_queue(channel, oldest);
    return bank;
}

void wm_dram_queue_update_drain(struct wm_dram_channel *channel)
{
    bool was_draining = channel->is_draining;
    const struct wm_dram_controller *controller = &channel->spec.controller;
    uint32_t writes = channel->held[WM_DRAM_WRITES], reads;
    if (controller->queues == WM_DRAM_QUEUES_SHARED) {
        reads = channel->in_queue[WM_DRAM_READS];
        // Those whose row was opened may have left the queue already.
        writes = writes > 0 ? writes : channel->in_queue[WM_DRAM_WRITES] > 0;
    } else {
        reads = channel->in_waiting[WM_DRAM_READS] + channel->in_queue[WM_DRAM_READS] +
                channel->in_queue[WM_DRAM_WRITES];
    }
    if (!channel->is_draining)
        channel->is_draining = writes >= controller->drain_high || (writes > 0 && reads == 0);
    else if (writes == 0 || (writes <= controller->drain_low && reads > 0))
        channel->is_draining = false;
    if (channel->is_draining != was_draining) {
        wm_dram_all_stale(channel);
        wm_dram_choose_again(channel);
    }
}
