// The next command of each bank's requests, worked out when something of the bank changed: what
// commands are chosen from. Private to mem/dram/.
#ifndef WM_MEM_DRAM_NEXT_COMMAND_H
#define WM_MEM_DRAM_NEXT_COMMAND_H

#include "mem/dram/queue.h"

// Brings channel->next_commands up to date, of all banks of the mask `stale`, and clears it.
void wm_dram_next_commands_update(struct wm_dram_channel *channel);

// Whether the scheduler chooses from the queues of both directions at once.
static inline bool wm_dram_uses_both(const struct wm_dram_channel *channel)
{
    return channel->spec.controller.queues == WM_DRAM_QUEUES_PER_BANK;
}

#endif
