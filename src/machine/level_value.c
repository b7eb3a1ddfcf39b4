#include "machine/level_value.h"

#include "base/text/nearest.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

// --- Names ---

const char *wm_level_name_fault(const char *name)
{
    // What paths of other components, or values of keys, are called.
    static const char *const taken[] = {
        "all",     "atomic_buffer", "atomic_unit", "core",    "cpu",       "cpu0",
        "dram",    "dram_channel",  "gpu",         "gpu0",    "l1_tlb",    "l2_tlb",
        "link",    "load",          "machine",     "memory",  "peer_link", "prefetcher",
        "replies", "requests",      "shared",      "sharing", "sm",        "switches",
        "tlb",     "tracker",       "victim",
    };
    size_t length = strlen(name);
    bool plain = islower((unsigned char)name[0]);
    for (size_t i = 0; i < length; i++)
        plain = plain && (islower((unsigned char)name[i]) || isdigit((unsigned char)name[i]) ||
                          name[i] == '_');
    if (!plain)
        return "a level is called by a lower-case letter, then letters, digits and \"_\"";
    if (length >= WM_LEVEL_NAME_BYTES)
        return "a level's name has at most 15 characters";
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++)
        if (strcmp(taken[i], name) == 0)
            return "other parts of a machine are called so";
    if (strncmp(name, WM_CPU_LEVEL, sizeof WM_CPU_LEVEL - 1) == 0)
        return "results call the levels of CPU cores \"" WM_CPU_LEVEL "…\"";
    return NULL;
}

static uint32_t level_at(const struct wm_memory_spec *spec, enum wm_level_place place,
                         const char *name)
{
    for (uint32_t level = 0; level < WM_MOST_LEVELS; level++)
        if (spec->levels[level].place == place && strcmp(wm_level_name(spec, level), name) == 0)
            return level;
    return WM_MOST_LEVELS;
}

uint32_t wm_level_named(const struct wm_memory_spec *spec, enum wm_level_place place,
                        const char *name)
{
    bool outside = name[0] == '/';
    uint32_t level = WM_MOST_LEVELS;
    if (name[outside] == '\0')
        return level;
    if (!outside)
        level = level_at(spec, place, name);
    return level < WM_MOST_LEVELS ? level : level_at(spec, WM_PLACE_MACHINE, name + outside);
}

uint32_t wm_level_add(struct wm_memory_spec *spec, enum wm_level_place place, const char *name)
{
    uint32_t at = WM_LEVELS_NAMED;
    if (spec->levels[WM_MOST_LEVELS - 1].name[0] != '\0')
        return WM_MOST_LEVELS;
    while (spec->levels[at].name[0] != '\0' && spec->levels[at].place <= place)
        at++;
    memmove(&spec->levels[at + 1], &spec->levels[at],
            (WM_MOST_LEVELS - 1 - at) * sizeof spec->levels[0]);
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++) {
        uint8_t *below = &spec->levels[i].below;
        if (*below != WM_BELOW_DEFAULT && *below != WM_BELOW_MEMORY && *below > at)
            (*below)++;
    }
    spec->levels[at] = (struct wm_level_spec){.place = place};
    snprintf(spec->levels[at].name, sizeof spec->levels[at].name, "%s", name);
    return at;
}

// --- per ---

// "sm" or "core"; of a level outside of both none.
static const char *unit_of(enum wm_level_place place)
{
    const struct wm_memory_spec none = {0};
    return wm_units_of(&none, place).name;
}

static enum wm_status wrong_per(const struct wm_machine_key *key, const char *text,
                                const char *unit, struct wm_error *error)
{
    wm_fail(error, WM_INVALID, "%s: \"%s\" does not say who has one", key->path, text);
    if (unit[0] == '\0')
        return wm_error_hint(error,
                             "outside of gpu and cpu a level is one of all units: write all");
    return wm_error_hint(
        error, "write %s for one each, 8 %s for one of each 8 (%" PRIu64 " to %" PRIu64 "), or all",
        unit, unit, key->minimum, key->maximum);
}

static enum wm_status read_per(const struct wm_machine_key *key, const char *text,
                               struct wm_level_spec *level, struct wm_error *error)
{
    const char *unit = unit_of(level->place), *p = text;
    uint64_t number = 0;
    if (strcmp(text, "all") == 0) {
        level->units_each = WM_UNITS_ALL;
        return WM_OK;
    }
    for (; isdigit((unsigned char)*p) && number <= key->maximum; p++)
        number = number * 10 + (uint64_t)(*p - '0');
    if (p == text)
        number = 1;
    else
        p += strspn(p, " ");
    if (unit[0] == '\0' || strcmp(p, unit) != 0 || number < key->minimum || number > key->maximum)
        return wrong_per(key, text, unit, error);
    level->units_each = (uint32_t)number;
    return WM_OK;
}

static void print_per(const struct wm_memory_spec *spec, uint32_t level, struct wm_text *text)
{
    uint32_t each = wm_level_units_each(spec, level);
    const char *unit = unit_of(spec->levels[level].place);
    if (each == WM_UNITS_ALL || unit[0] == '\0')
        wm_text_add(text, "all");
    else if (each == 1)
        wm_text_add(text, unit);
    else
        wm_text_format(text, "%" PRIu32 " %s", each, unit);
}

// --- below ---

static enum wm_status unknown_level(const struct wm_machine_key *key, const char *text,
                                    const struct wm_memory_spec *spec, enum wm_level_place place,
                                    struct wm_error *error)
{
    struct wm_nearest nearest;
    struct wm_text names;
    wm_nearest_init(&nearest, text);
    wm_text_init(&names);
    for (uint32_t level = 0; level < WM_MOST_LEVELS; level++) {
        const char *name = wm_level_name(spec, level);
        bool outside = spec->levels[level].place == WM_PLACE_MACHINE;
        if (name[0] == '\0' || (spec->levels[level].place != place && !outside))
            continue;
        wm_nearest_offer(&nearest, name);
        wm_text_format(&names, "%s%s, ", outside ? "/" : "", name);
    }
    wm_fail(error, WM_INVALID, "%s: there is no level \"%s\"", key->path, text);
    wm_error_hint(error, "%s%s%sknown are %smemory", nearest.best ? "did you mean " : "",
                  nearest.best ? nearest.best : "", nearest.best ? "? " : "",
                  names.failed || !names.data ? "" : names.data);
    wm_text_release(&names);
    return WM_INVALID;
}

// What its number says is left to it, so that a level says no more than it has to.
static enum wm_status read_below(const struct wm_machine_key *key, const char *text,
                                 struct wm_memory_spec *spec, uint32_t number,
                                 struct wm_error *error)
{
    struct wm_level_spec *level = &spec->levels[number];
    uint32_t below = WM_BELOW_MEMORY;
    if (strcmp(text, "memory") != 0)
        below = wm_level_named(spec, level->place, text);
    if (below == WM_MOST_LEVELS)
        return unknown_level(key, text, spec, level->place, error);
    level->below = WM_BELOW_DEFAULT;
    if (below != wm_level_below_said(spec, number))
        level->below = below == WM_BELOW_MEMORY ? WM_BELOW_MEMORY : WM_BELOW(below);
    return WM_OK;
}

static void print_below(const struct wm_memory_spec *spec, uint32_t level, struct wm_text *text)
{
    uint32_t below = wm_level_below_said(spec, level);
    if (below == WM_BELOW_MEMORY) {
        wm_text_add(text, "memory");
        return;
    }
    bool outside = spec->levels[below].place == WM_PLACE_MACHINE &&
                   spec->levels[level].place != WM_PLACE_MACHINE;
    wm_text_format(text, "%s%s", outside ? "/" : "", wm_level_name(spec, below));
}

// --- serves ---

static const struct {
    const char *name;
    unsigned bit;
} served[] = {
    {"data", WM_SERVES_DATA},
    {"constant", WM_SERVES_CONSTANT},
    {"read-only", WM_SERVES_READ_ONLY},
    {"uniform", WM_SERVES_UNIFORM},
    {"instructions", WM_SERVES_INSTRUCTIONS},
};
enum { SERVED = sizeof served / sizeof served[0] };

static void list_served(unsigned mask, struct wm_text *text)
{
    const char *separator = "";
    for (size_t i = 0; i < SERVED; i++)
        if (mask & served[i].bit) {
            wm_text_format(text, "%s%s", separator, served[i].name);
            separator = ", ";
        }
}

static enum wm_status wrong_list(const struct wm_machine_key *key, const char *text,
                                 struct wm_error *error)
{
    wm_fail(error, WM_INVALID, "%s: \"%s\" is no list of accesses", key->path, text);
    return wm_error_hint(error, "write, in brackets, some of data, constant, read-only, uniform, "
                                "instructions: [data]");
}

static enum wm_status read_serves(const struct wm_machine_key *key, const char *text,
                                  struct wm_memory_spec *spec, uint32_t number,
                                  struct wm_error *error)
{
    size_t length = strlen(text);
    unsigned mask = 0;
    if (length < 2 || text[0] != '[' || text[length - 1] != ']')
        return wrong_list(key, text, error);
    const char *at = text + 1, *end = text + length - 1;
    while ((at += strspn(at, " ")) < end) {
        size_t width = strcspn(at, ", ]"), i = 0;
        while (i < SERVED &&
               (strlen(served[i].name) != width || strncmp(served[i].name, at, width) != 0))
            i++;
        at += width + strspn(at + width, " ");
        if (i == SERVED || (mask & served[i].bit) || (at < end && *at != ','))
            return wrong_list(key, text, error);
        mask |= served[i].bit;
        at += at < end;
    }
    spec->levels[number].serves = 0;
    unsigned otherwise = wm_level_serves(spec, number);
    if (mask == 0 && otherwise != 0) {
        wm_fail(error, WM_INVALID, "%s: this level serves something, or is not there", key->path);
        return wm_error_hint(error, "set its key present to false instead");
    }
    spec->levels[number].serves = mask == otherwise ? 0 : mask;
    return WM_OK;
}

// --- All three ---

enum wm_status wm_level_value_read(const struct wm_machine_key *key, const char *text,
                                   struct wm_machine *machine, struct wm_error *error)
{
    uint32_t level = wm_machine_level_at(key->offset);
    assert(level < WM_MOST_LEVELS);
    if (key->type == WM_KEY_PER)
        return read_per(key, text, &machine->memory.levels[level], error);
    if (key->type == WM_KEY_BELOW)
        return read_below(key, text, &machine->memory, level, error);
    return read_serves(key, text, &machine->memory, level, error);
}

void wm_level_value_print(const struct wm_machine_key *key, const struct wm_machine *machine,
                          struct wm_text *text)
{
    const struct wm_memory_spec *spec = &machine->memory;
    uint32_t level = wm_machine_level_at(key->offset);
    if (key->type == WM_KEY_PER) {
        print_per(spec, level, text);
    } else if (key->type == WM_KEY_BELOW) {
        print_below(spec, level, text);
    } else {
        wm_text_add(text, "[");
        list_served(wm_level_serves(spec, level), text);
        wm_text_add(text, "]");
    }
}

void wm_level_value_range_text(const struct wm_machine_key *key, struct wm_text *text)
{
    if (key->type == WM_KEY_PER)
        wm_text_format(text, "sm or core, 2 to %" PRIu64 " of them (8 sm), all", key->maximum);
    else if (key->type == WM_KEY_BELOW)
        wm_text_add(text, "a level's name, /NAME, memory");
    else
        list_served(~0U, text);
}
