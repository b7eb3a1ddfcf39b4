#include "mem/system/instruction_counters.h"

#include "mem/cache/cache.h"
#include "mem/system/coherent_levels.h"
#include "mem/system/memory_components.h"

#include <stdio.h>
#include <string.h>

// --- The levels ---

// The present levels whose misses go there, as a mask.
static uint32_t above(const struct wm_memory_spec *spec, uint32_t level)
{
    uint32_t mask = 0;
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++)
        if (spec->levels[i].cache.present && wm_level_below(spec, i) == level)
            mask |= UINT32_C(1) << i;
    return mask;
}

// What data accesses go through, as a mask. Where the level that they begin at is not there they
// begin below it.
static uint32_t data_levels(const struct wm_memory_spec *spec)
{
    uint32_t mask = 0;
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++) {
        if ((wm_level_serves(spec, i) & WM_SERVES_DATA) == 0)
            continue;
        for (uint32_t at = i; at != WM_BELOW_MEMORY && (mask >> at & 1) == 0;
             at = wm_level_below(spec, at))
            mask |= UINT32_C(1) << at;
    }
    return mask;
}

static void list_level(const struct wm_memory_spec *spec, uint32_t number,
                       struct wm_level_list *list)
{
    struct wm_listed_level *level = &list->levels[list->count++];
    *level = (struct wm_listed_level){.number = (uint8_t)number,
                                      .data = data_levels(spec) >> number & 1,
                                      .from_above = above(spec, number) != 0 ||
                                                    wm_level_serves(spec, number) == 0};
    wm_level_kind(spec, number, level->name);
}

void wm_level_kind(const struct wm_memory_spec *spec, uint32_t level,
                   char kind[WM_LEVEL_COUNTER_BYTES])
{
    wm_level_full_name(spec, level, kind);
    if (wm_level_is_side(level) && spec->levels[level].name[0] == '\0')
        snprintf(kind, WM_LEVEL_COUNTER_BYTES, "%s",
                 wm_side_cache_counter_sets[level - WM_LEVEL_SIDE].kind);
}

void wm_level_list_make(const struct wm_memory_spec *spec, struct wm_level_list *list)
{
    *list = (struct wm_level_list){.count = 0};
    uint32_t listed = 0;
    for (uint32_t i = 0; i < WM_MOST_LEVELS; i++) {
        bool next = spec->levels[i].cache.present && (listed >> i & 1) == 0 &&
                    (above(spec, i) & ~listed) == 0;
        if (!next)
            continue;
        list_level(spec, i, list);
        listed |= UINT32_C(1) << i;
        i = UINT32_MAX; // what waited for it may have a smaller number
    }
    for (uint32_t i = 0; i < list->count; i++) {
        uint32_t below = wm_level_below(spec, list->levels[i].number), at = 0;
        while (at < list->count && list->levels[at].number != below)
            at++;
        list->levels[i].below = (uint8_t)at;
    }
}

bool wm_level_list_has_cpu(const struct wm_level_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (strncmp(list->levels[i].name, WM_CPU_LEVEL, sizeof WM_CPU_LEVEL - 1) == 0)
            return true;
    return false;
}

struct wm_level_counters wm_listed_row(const struct wm_level_list *list, uint32_t place,
                                       const struct wm_instruction_counters *counters)
{
    return place == list->count ? (struct wm_level_counters){.bytes = counters->memory_bytes}
                                : counters->levels[list->levels[place].number];
}

// "l1", "l3", "llc", "dram", "cpu": short for several words.
static bool is_short(const char *word, size_t length)
{
    static const char *const known[] = {"llc", "cpu", "dram"};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strlen(known[i]) == length && memcmp(known[i], word, length) == 0)
            return true;
    return length > 1 && word[0] == 'l' && strspn(word + 1, "0123456789") >= length - 1;
}

const char *wm_level_title(const char *name, char title[WM_LEVEL_COUNTER_BYTES])
{
    static const char cache[] = "_cache";
    size_t length = strnlen(name, WM_LEVEL_COUNTER_BYTES - 1), end = sizeof cache - 1;
    if (length > end && strcmp(name + length - end, cache) == 0)
        length -= end;
    for (size_t at = 0; at < length;) {
        size_t word = strcspn(name + at, "_");
        word = word < length - at ? word : length - at;
        bool upper = is_short(name + at, word);
        for (size_t i = at; i < at + word; i++)
            title[i] = upper && name[i] >= 'a' ? (char)(name[i] - 'a' + 'A') : name[i];
        at += word;
        if (at < length)
            title[at++] = ' ';
    }
    title[length] = '\0';
    return title;
}

// --- The counters ---

#define WORD_OF(field) (offsetof(struct wm_instruction_counters, field) / sizeof(uint64_t))

static void add(struct wm_instruction_counter_set *made, size_t word, const char *of,
                const struct wm_counter_declaration *counter)
{
    size_t at = made->set.count++;
    made->words[at] = (uint16_t)word;
    made->is_side[at] = false;
    snprintf(made->names[at], sizeof made->names[at], "%s%s%s", of, of[0] != '\0' ? "." : "",
             counter->name);
    snprintf(made->sentences[at], sizeof made->sentences[at], "%s", counter->sentence);
    made->declarations[at] = (struct wm_counter_declaration){
        .name = made->names[at], .unit = counter->unit, .sentence = made->sentences[at]};
}

// What moved between it and what is above it.
static void add_bytes(struct wm_instruction_counter_set *made, size_t word, const char *name)
{
    char sentence[WM_INSTRUCTION_SENTENCE_BYTES], title[WM_LEVEL_COUNTER_BYTES];
    snprintf(sentence, sizeof sentence,
             "bytes moved between %s and what is above it on its behalf, both ways",
             wm_level_title(name, title));
    add(made, word, name, &(struct wm_counter_declaration){"bytes", "bytes", sentence});
}

static void add_level(struct wm_instruction_counter_set *made, const struct wm_memory_spec *spec,
                      const struct wm_listed_level *level)
{
    size_t row = WORD_OF(levels) + level->number * sizeof(struct wm_level_counters) / 8;
    char title[WM_LEVEL_COUNTER_BYTES], hits[64], misses[96];
    bool side = wm_level_is_side(level->number);
    wm_level_title(level->name, title);
    const char *before = side ? "the " : "", *behind = side ? " cache" : "";
    snprintf(hits, sizeof hits, "sectors found in %s%s%s", before, title, behind);
    snprintf(misses, sizeof misses, "sectors looked for in %s%s%s and not found", before, title,
             behind);
    add(made, row, level->name, &(struct wm_counter_declaration){"hits", "sectors", hits});
    add(made, row + 1, level->name, &(struct wm_counter_declaration){"misses", "sectors", misses});
    if (spec->levels[level->number].tracker.present)
        add(made, WORD_OF(tracker_sectors), wm_tracker_counter_set.kind,
            &(struct wm_counter_declaration){
                "remote_sectors", "sectors",
                "of what it missed, sectors that the cache of another SM supplied"});
    if (level->from_above)
        add_bytes(made, row + 2, level->name);
}

static void add_coherence(struct wm_instruction_counter_set *made)
{
    static const struct wm_counter_declaration taken = {
        "copies_taken", "lines", "copies of other caches, at each level, that its writes took"};
    static const struct wm_counter_declaration missed = {
        "misses", "requests",
        "of its misses, at each level, those of lines that another cache's write had taken"};
    add(made, WORD_OF(copies_taken), wm_coherence_counter_set.kind, &taken);
    add(made, WORD_OF(coherence_misses), wm_coherence_counter_set.kind, &missed);
}

void wm_instruction_counter_set_make(const struct wm_memory_spec *spec,
                                     struct wm_instruction_counter_set *made)
{
    static const struct wm_counter_declaration common[] = {
        WM_INSTRUCTION_COUNTERS(WM_COUNTER_DECLARATION)};
    made->set = (struct wm_counter_set){
        .kind = "instruction", .title = "memory instruction", .declarations = made->declarations};
    for (size_t i = 0; i < sizeof common / sizeof common[0]; i++)
        add(made, i, "", &common[i]);
    if (spec->tlb.present)
        add(made, WORD_OF(tlb_walks), "tlb",
            &(struct wm_counter_declaration){"walks", "walks",
                                             "page walks that its translations took"});
    if (wm_memory_is_coherent(spec))
        add_coherence(made);
    wm_level_list_make(spec, &made->levels);
    for (uint32_t i = 0; i < made->levels.count; i++)
        add_level(made, spec, &made->levels.levels[i]);
    add_bytes(made, WORD_OF(memory_bytes), wm_dram_counter_set.kind);
}

// --- Why sectors missed ---

// A row of them. `at`: " in L1".
static void add_misses(struct wm_instruction_counter_set *made, uint32_t level, const char *name,
                       const char *at)
{
    static const struct wm_counter_declaration row[] = {
        WM_EXPLAINED_COUNTERS(WM_COUNTER_DECLARATION, "@")};
    size_t first = level * sizeof(struct wm_explained_cache) / sizeof(uint64_t);
    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        char own[WM_INSTRUCTION_COUNTER_BYTES], sentence[WM_INSTRUCTION_SENTENCE_BYTES];
        size_t before = strcspn(row[i].sentence, "@");
        bool names = row[i].sentence[before] != '\0';
        snprintf(own, sizeof own, "%s_%s", name, row[i].name);
        snprintf(sentence, sizeof sentence, "%.*s%s%s", (int)before, row[i].sentence,
                 names ? at : "", names ? row[i].sentence + before + 1 : "");
        add(made, first + i, "", &(struct wm_counter_declaration){own, row[i].unit, sentence});
        made->is_side[made->set.count - 1] = wm_level_is_side(level);
    }
}

static void add_level_misses(struct wm_instruction_counter_set *made,
                             const struct wm_memory_spec *spec, uint32_t level)
{
    char name[WM_LEVEL_COUNTER_BYTES], title[WM_LEVEL_COUNTER_BYTES], at[sizeof title + 4];
    wm_level_kind(spec, level, name);
    snprintf(at, sizeof at, " in %s", wm_level_title(name, title));
    add_misses(made, level, name, at);
}

void wm_instruction_miss_set_make(const struct wm_memory_spec *spec,
                                  struct wm_instruction_counter_set *made)
{
    static const struct wm_counter_declaration common[] = {
        WM_INSTRUCTION_MISS_COUNTERS(WM_COUNTER_DECLARATION)};
    made->set = (struct wm_counter_set){.kind = "cause_explained",
                                        .title = "why a memory instruction missed",
                                        .declarations = made->declarations};
    wm_level_list_make(spec, &made->levels);
    add_level_misses(made, spec, WM_LEVEL_L1);
    add_misses(made, WM_LEVEL_SIDE, "side_cache", " in a side cache");
    add_level_misses(made, spec, WM_LEVEL_L2);
    for (uint32_t i = 0; i < made->levels.count; i++)
        if (made->levels.levels[i].number >= WM_LEVELS_NAMED)
            add_level_misses(made, spec, made->levels.levels[i].number);
    for (size_t i = 0; i < sizeof common / sizeof common[0]; i++)
        add(made, offsetof(struct wm_instruction_misses, shared_passes) / sizeof(uint64_t) + i, "",
            &common[i]);
    if (!wm_memory_is_coherent(spec))
        return;
    add(made, offsetof(struct wm_instruction_misses, true_sharing) / sizeof(uint64_t), "",
        &(struct wm_counter_declaration){
            "true_sharing", "misses",
            "misses of lines that another wrote, for bytes that it wrote (endless caches)"});
    add(made, offsetof(struct wm_instruction_misses, false_sharing) / sizeof(uint64_t), "",
        &(struct wm_counter_declaration){
            "false_sharing", "misses",
            "misses of lines that another wrote, for other bytes than it wrote (endless caches)"});
}

void wm_instruction_counter_values(const struct wm_instruction_counter_set *of,
                                   const void *counters,
                                   uint64_t values[WM_MOST_INSTRUCTION_VALUES])
{
    const uint64_t *words = counters;
    for (size_t i = 0; i < of->set.count; i++) {
        values[i] = words[of->words[i]];
        for (size_t kind = 1; of->is_side[i] && kind < WM_SIDE_CACHE_KINDS; kind++)
            values[i] +=
                words[of->words[i] + kind * sizeof(struct wm_explained_cache) / sizeof(uint64_t)];
    }
}
