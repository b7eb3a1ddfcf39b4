// What a level in time does where it, or the one below it, is exclusive (docs/memory-system.md,
// R9): of the sectors of a line each has those that the other has not, and they change places.
#include "mem/cache/inline_access.h"
#include "mem/cache/pins.h"
#include "mem/timed/level/parts.h"

// --- Of the level above an exclusive one ---

void wm_timed_level_move_down(struct wm_timed_level *level, uint64_t cycle, struct wm_cache *from,
                              const struct wm_level_request *request,
                              const struct wm_requester *who, const struct wm_cache_victim *victim)
{
    from->counters.bytes_to_below += wm_sector_bytes(victim->valid);
    wm_outbox_send(request->out, cycle, who,
                   &(struct wm_sending){.charged = request->charged,
                                        .address = victim->line << level->described->line_shift,
                                        .sectors = victim->valid,
                                        .full_sectors = victim->dirty,
                                        .to = level->described->below,
                                        .from = level->number,
                                        .client = WM_CACHE_WRITEBACK,
                                        .kind = WM_PACKET_VICTIM,
                                        .uncharged = request->uncharged,
                                        .latency = level->latency_below});
}

void wm_timed_level_move_copy_down(struct wm_timed_level *level, uint64_t cycle,
                                   struct wm_cache *holder, uint64_t index_line,
                                   const struct wm_level_request *request)
{
    const struct wm_timed_access *access = &request->access;
    struct wm_cache_line held;
    if (!wm_cache_extract_line(holder, access->line, index_line, &held))
        return;
    holder->counters.invalidations++;
    holder->counters.write_backs += held.dirty != 0;
    struct wm_cache_victim left = {.line = access->line, .dirty = held.dirty, .valid = held.valid};
    if (left.valid != 0)
        wm_timed_level_move_down(level, cycle, holder, request, &access->requester, &left);
}

void wm_timed_level_mark_dirty(struct wm_timed_level *level, uint64_t cycle, uint64_t line,
                               uint64_t index_line, uint32_t dirty,
                               const struct wm_level_request *request,
                               const struct wm_requester *who)
{
    struct wm_cache *holder = wm_timed_level_holder(level, line);
    index_line = holder == level->victims ? line : index_line;
    uint32_t set = wm_cache_set_of(holder, index_line), kept = 0;
    int32_t way = wm_cache_find_in_set(holder, set, line);
    if (way >= 0)
        kept = dirty & wm_cache_line_at(holder, set * holder->stride + (uint32_t)way).valid;
    if (kept != 0)
        wm_cache_mark_dirty(holder, line, index_line, kept);
    if (kept == dirty)
        return;
    // They have been dropped while this was on its way.
    const struct wm_cache_victim left = {
        .line = line, .dirty = dirty & ~kept, .valid = dirty & ~kept};
    holder->counters.write_backs++;
    wm_timed_level_move_down(level, cycle, holder, request, who, &left);
}

// --- Of an exclusive level ---

void wm_timed_level_give_away(struct wm_timed_level *level, uint64_t cycle,
                              const struct wm_level_request *request, uint32_t missing,
                              struct wm_level_outcome *outcome)
{
    const struct wm_timed_access *access = &request->access;
    struct wm_cache *cache = level->timed.cache;
    uint32_t held = access->sectors & ~missing, dirty = 0;
    if (held != 0)
        dirty = wm_cache_invalidate(cache, access->line, access->index_line, held);
    if (request->moves_dirty) {
        outcome->dirty = dirty;
    } else if (dirty != 0) {
        const struct wm_cache_victim left = {.line = access->line, .dirty = dirty};
        cache->counters.write_backs++;
        wm_timed_level_write_back(level, cycle, cache, request, &access->requester, &left);
    }
}

enum wm_stall wm_timed_level_take_victim(struct wm_timed_level *level, uint64_t cycle,
                                         struct wm_level_request *request)
{
    const struct wm_timed_access *access = &request->access;
    struct wm_cache *cache = level->timed.cache;
    uint32_t set = wm_cache_set_of(cache, access->index_line);
    struct wm_level_outcome outcome;
    if (wm_cache_find_in_set(cache, set, access->line) < 0 &&
        wm_cache_has_no_victim(cache, set, access->line, &access->requester))
        return WM_STALL_WAY;
    if (!wm_outbox_has_room(request->out, cycle))
        return WM_STALL_QUEUE;
    const struct wm_cache_line held = {.valid = access->sectors, .dirty = access->full_sectors};
    struct wm_cache_result result = wm_cache_insert_from_above(
        cache, access->line, access->index_line, held, &access->requester);
    cache->counters.bytes_from_above += wm_sector_bytes(access->sectors);
    if (request->explained != NULL)
        wm_timed_level_explain(
            level, request,
            &(struct wm_timed_result){.missing = result.missing, .victim = result.victim});
    wm_timed_level_send_down(level, cycle, cache, request, &access->requester, &result.victim);
    request->takes_over = 0;
    request->access.full_sectors = access->sectors;
    if (result.forward != 0)
        wm_timed_level_forward(level, cycle, request, result.forward, &outcome);
    bool is_held = wm_cache_find_in_set(cache, set, access->line) >= 0;
    if (level->upgrades && is_held && result.missing != 0) // it may have left those meanwhile
        wm_timed_level_upgrade_below(level, cycle, request,
                                     access->line << level->described->line_shift, result.missing);
    return WM_STALL_NONE;
}
