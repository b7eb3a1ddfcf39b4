#include "planted.h"

#include <stdlib.h>
#include <string.h>

static unsigned state_count(enum wm_coherence_side side)
{
    return side == WM_COHERENCE_CACHE ? (unsigned)WM_COHERENCE_CACHE_STATE_COUNT
                                      : (unsigned)WM_COHERENCE_HOME_STATE_COUNT;
}

size_t faults_of(const struct wm_coherence_protocol *protocol, enum wm_coherence_side side,
                 size_t row, struct fault *faults, size_t room)
{
    const struct wm_coherence_row *planted = &protocol->tables[side].rows[row];
    size_t count = 0;
    for (unsigned next = 0; next < state_count(side) && count < room; next++)
        if (next != planted->next)
            faults[count++] = (struct fault){side, row, (int)next, -1};
    for (int action = 0; action < WM_COHERENCE_MOST_ACTIONS && count < room; action++)
        if (planted->actions[action] != WM_COHERENCE_DO_NOTHING)
            faults[count++] = (struct fault){side, row, -1, action};
    return count;
}

static size_t print_condition(const struct wm_coherence_row *row, char *text, size_t size)
{
    size_t length = 0;
    text[0] = '\0';
    for (unsigned fact = 0; fact < WM_COHERENCE_FACT_COUNT; fact++)
        for (unsigned denied = 0; denied < 2; denied++)
            if ((denied ? row->unless : row->when) >> fact & 1 && length < size)
                length += (size_t)snprintf(text + length, size - length, "%s%s%s",
                                           length == 0 ? " if " : ", ", denied ? "not " : "",
                                           wm_coherence_fact_name(fact));
    return length;
}

void fault_name(const struct wm_coherence_protocol *protocol, const struct fault *fault, char *name,
                size_t size)
{
    const struct wm_coherence_row *row = &protocol->tables[fault->side].rows[fault->row];
    char condition[100];
    print_condition(row, condition, sizeof condition);
    int length =
        snprintf(name, size, "%s %s + %s%s: ", fault->side == WM_COHERENCE_CACHE ? "cache" : "home",
                 wm_coherence_state_name(fault->side, row->state),
                 wm_coherence_event_name(row->event), condition);
    if (fault->next >= 0)
        snprintf(name + length, size - (size_t)length, "%s for %s",
                 wm_coherence_state_name(fault->side, (unsigned)fault->next),
                 wm_coherence_state_name(fault->side, row->next));
    else
        snprintf(name + length, size - (size_t)length, "without %s",
                 wm_coherence_action_name(row->actions[fault->action]));
}

bool fault_is_found(struct explorer *explorer, const struct tree *tree,
                    const struct baseline *baseline, const struct wm_coherence_protocol *protocol,
                    const struct fault *fault, char *how, size_t size)
{
    struct wm_coherence_table tables[WM_COHERENCE_SIDES];
    struct wm_coherence_row rows[MOST_ROWS];
    memcpy(tables, protocol->tables, sizeof tables);
    memcpy(rows, tables[fault->side].rows, tables[fault->side].count * sizeof rows[0]);
    tables[fault->side].rows = rows;
    struct wm_coherence_row *planted = &rows[fault->row];
    if (fault->next >= 0)
        planted->next = (uint8_t)fault->next;
    if (fault->action >= 0)
        planted->actions[fault->action] = WM_COHERENCE_DO_NOTHING;
    struct wm_coherence_protocol changed;
    wm_coherence_protocol_init(&changed, tables[WM_COHERENCE_CACHE], tables[WM_COHERENCE_HOME]);
    struct explored explored;
    explore(explorer, tree, &changed, false, &explored);
    snprintf(how, size, "%s", explored.fault);
    for (unsigned side = 0; side < WM_COHERENCE_SIDES && how[0] == '\0'; side++)
        for (size_t row = 0; row < tables[side].count && how[0] == '\0'; row++)
            if (baseline->reached[side][row] && !explored.reached[side][row])
                snprintf(how, size, "%s is not reached in %s",
                         wm_coherence_event_name(tables[side].rows[row].event),
                         wm_coherence_state_name(side, tables[side].rows[row].state));
    return how[0] != '\0';
}
