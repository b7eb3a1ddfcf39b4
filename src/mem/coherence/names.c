// Names and meanings, from the lists of coherence.h.
#include "mem/coherence/coherence.h"

#define NAME(name, text, ...) text,
#define STATE_MEANING(name, text, meaning) meaning,
#define EVENT_MEANING(name, text, network, data, meaning) meaning,

static const char *const cache_names[] = {WM_COHERENCE_CACHE_STATES(NAME)};
static const char *const cache_meanings[] = {WM_COHERENCE_CACHE_STATES(STATE_MEANING)};
static const char *const home_names[] = {WM_COHERENCE_HOME_STATES(NAME)};
static const char *const home_meanings[] = {WM_COHERENCE_HOME_STATES(STATE_MEANING)};
static const char *const event_names[] = {WM_COHERENCE_EVENTS(NAME)};
static const char *const event_meanings[] = {WM_COHERENCE_EVENTS(EVENT_MEANING)};
static const char *const action_names[] = {WM_COHERENCE_ACTIONS(NAME)};
static const char *const action_meanings[] = {WM_COHERENCE_ACTIONS(STATE_MEANING)};
static const char *const fact_names[] = {WM_COHERENCE_FACTS(NAME)};

const char *wm_coherence_state_name(enum wm_coherence_side side, unsigned state)
{
    return side == WM_COHERENCE_CACHE ? cache_names[state] : home_names[state];
}

const char *wm_coherence_state_meaning(enum wm_coherence_side side, unsigned state)
{
    return side == WM_COHERENCE_CACHE ? cache_meanings[state] : home_meanings[state];
}

const char *wm_coherence_event_name(enum wm_coherence_event event)
{
    return event_names[event];
}

const char *wm_coherence_event_meaning(enum wm_coherence_event event)
{
    return event_meanings[event];
}

const char *wm_coherence_action_name(enum wm_coherence_action action)
{
    return action_names[action];
}

const char *wm_coherence_action_meaning(enum wm_coherence_action action)
{
    return action_meanings[action];
}

const char *wm_coherence_fact_name(enum wm_coherence_fact_bit fact)
{
    return fact_names[fact];
}
