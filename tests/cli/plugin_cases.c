// A plug-in that is right, and what -D ENTRY=…, -D BYPASS=… and -D PLUGIN=… make wrong of it: they
// are initialisers that come last (plugins.t).
#include <warpmem/plugin.h>

#ifndef ENTRY
#define ENTRY .details = NULL
#endif
#ifndef BYPASS
#define BYPASS .details = NULL
#endif
#ifndef PLUGIN
#define PLUGIN .bypass_count = 1
#endif

static void touched(const struct wm_replacement_set *set, uint32_t way,
                    const struct wm_replacement_event *event)
{
    (void)set;
    (void)way;
    (void)event;
}

static int32_t victim(const struct wm_replacement_set *set,
                      const struct wm_replacement_event *event, const uint64_t *allowed)
{
    (void)set;
    (void)event;
    for (int32_t way = 0; allowed && way < 1024; way++)
        if (allowed[way / 64] >> (way % 64) & 1)
            return way;
    return 0;
}

static enum wm_bypass_decision decide(void *state, const struct wm_bypass_event *event)
{
    (void)state;
    return event->kind == WM_ACCESS_STORE ? WM_BYPASS_YES : WM_BYPASS_NO;
}

static const struct wm_parameter parameters[] = {{"depth", "how deep", 1, 9, 10}};
static const struct wm_parameter *const wrong_parameters = parameters;

static const struct wm_replacement_ops entry = {
    .name = "first-way",
    .title = "the first way",
    .source = "none",
    .sentence = "displaces the first way",
    .hit = touched,
    .insert = touched,
    .victim = victim,
    ENTRY,
};
static const struct wm_bypass_ops bypass = {
    .name = "stores",
    .title = "stores go past",
    .source = "none",
    .sentence = "stores bypass the cache, loads do not",
    .decide = decide,
    BYPASS,
};
static const struct wm_replacement_ops *const replacements[] = {&entry, &entry, NULL};
static const struct wm_bypass_ops *const bypasses[] = {&bypass};

#ifdef NO_PLUGIN
const void *warpmem_unused[] = {replacements, bypasses, &wrong_parameters};
#else
const void *warpmem_unused[] = {&wrong_parameters};
WARPMEM_PLUGIN(.replacements = replacements, .replacement_count = 1, .bypasses = bypasses, PLUGIN);
#endif
