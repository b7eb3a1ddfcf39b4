// The rules between keys. Each alone may be legal and the machine still be impossible; then the
// error names the keys and their values, and stands at the one that was given last. Those of the
// memory system are mem/system/memory_spec_check.c's; here they get their keys.
#include "machine/description.h"
#include "machine/machine_dram.h"

#include "mem/cache/cache.h"
#include "mem/system/memory_spec_check.h"

#define PATHS(...) ((const char *const[]){__VA_ARGS__, NULL})

enum { MOST_BLAMED = WM_SPEC_MOST_FIELDS };

// Places the error at the latest setting among the keys, else at the first that the file gives; if
// it gives none, at the group of the first.
static enum wm_status blame_keys(const struct wm_description *description,
                                 const struct wm_machine_key *keys, uint32_t count)
{
    const struct wm_value_source *chosen = NULL;
    for (uint32_t i = 0; i < count; i++) {
        const struct wm_value_source *source = &description->values[keys[i].number];
        if (source->origin == WM_VALUE_DEFAULT || source->origin == WM_VALUE_ABSENT)
            continue;
        bool later = chosen && source->origin == WM_VALUE_SETTING &&
                     (chosen->origin != WM_VALUE_SETTING || source->setting > chosen->setting);
        later |= chosen && chosen->origin == WM_VALUE_BASE && source->origin == WM_VALUE_FILE;
        if (!chosen || later)
            chosen = source;
    }
    static const struct wm_value_source nowhere = {WM_VALUE_DEFAULT};
    if (!chosen && count > 0 && wm_machine_level_at(keys[0].offset) >= WM_LEVELS_NAMED)
        chosen = wm_description_group_around(description, keys[0].path);
    wm_description_point_value(description, chosen ? chosen : &nowhere);
    return WM_INVALID;
}

enum wm_status wm_description_blame(const struct wm_description *description,
                                    const char *const *paths)
{
    struct wm_machine_key keys[MOST_BLAMED];
    uint32_t count = 0;
    for (; *paths; paths++)
        keys[count++] = *wm_machine_key_find(*paths);
    return blame_keys(description, keys, count);
}

struct printed {
    char text[64];
};

static struct printed bytes(uint64_t value)
{
    struct printed printed;
    wm_units_print(value, WM_QUANTITY_BYTES, printed.text, sizeof printed.text);
    return printed;
}

static enum wm_status check_threads(const struct wm_description *description)
{
    struct wm_error *error = description->error;
    const struct wm_sm_spec *sm = &description->machine->sm;
    if (sm->warp_width != 1 && sm->warp_width < 32) {
        wm_fail(error, WM_INVALID, "gpu.sm.warp_width (%u) is no width of a warp", sm->warp_width);
        wm_error_hint(error, "make it 32 or 64, or 1 for a machine whose SMs are CPU cores");
        return wm_description_blame(description, PATHS("gpu.sm.warp_width"));
    }
    if (sm->max_threads % sm->warp_width != 0 || sm->max_threads > sm->max_warps * sm->warp_width) {
        wm_fail(
            error, WM_INVALID,
            "gpu.sm.max_threads (%u) do not fit gpu.sm.max_warps (%u) of gpu.sm.warp_width (%u)",
            sm->max_threads, sm->max_warps, sm->warp_width);
        wm_error_hint(error, "make it a multiple of %u, at most %u", sm->warp_width,
                      sm->max_warps * sm->warp_width);
        return wm_description_blame(
            description, PATHS("gpu.sm.max_threads", "gpu.sm.max_warps", "gpu.sm.warp_width"));
    }
    if (sm->max_threads_per_block > sm->max_threads) {
        wm_fail(error, WM_INVALID,
                "gpu.sm.max_threads_per_block (%u) is more than gpu.sm.max_threads (%u)",
                sm->max_threads_per_block, sm->max_threads);
        wm_error_hint(error, "make gpu.sm.max_threads_per_block at most gpu.sm.max_threads");
        return wm_description_blame(description,
                                    PATHS("gpu.sm.max_threads_per_block", "gpu.sm.max_threads"));
    }
    if ((uint64_t)sm->max_registers_per_thread * sm->warp_width > sm->registers) {
        wm_fail(error, WM_INVALID,
                "gpu.sm.registers (%u) do not hold one warp of gpu.sm.max_registers_per_thread "
                "(%u) a thread",
                sm->registers, sm->max_registers_per_thread);
        wm_error_hint(error, "a warp of %u lanes needs %u", sm->warp_width,
                      sm->max_registers_per_thread * sm->warp_width);
        return wm_description_blame(
            description,
            PATHS("gpu.sm.registers", "gpu.sm.max_registers_per_thread", "gpu.sm.warp_width"));
    }
    return WM_OK;
}

static enum wm_status check_shared(const struct wm_description *description)
{
    struct wm_error *error = description->error;
    const struct wm_sm_spec *sm = &description->machine->sm;
    if (sm->shared_bytes_per_block > sm->shared_bytes) {
        wm_fail(error, WM_INVALID, "gpu.sm.shared_per_block (%s) is more than gpu.sm.shared (%s)",
                bytes(sm->shared_bytes_per_block).text, bytes(sm->shared_bytes).text);
        wm_error_hint(error, "make gpu.sm.shared_per_block at most gpu.sm.shared");
        return wm_description_blame(description, PATHS("gpu.sm.shared_per_block", "gpu.sm.shared"));
    }
    if (sm->shared_bytes_per_block + sm->shared_reserved_bytes > sm->shared_bytes &&
        sm->shared_bytes_per_block > 0) {
        wm_fail(error, WM_INVALID,
                "gpu.sm.shared_per_block (%s) and gpu.sm.shared_reserved (%s) are more than "
                "gpu.sm.shared (%s)",
                bytes(sm->shared_bytes_per_block).text, bytes(sm->shared_reserved_bytes).text,
                bytes(sm->shared_bytes).text);
        wm_error_hint(error, "make gpu.sm.shared_per_block at most what is left of gpu.sm.shared");
        return wm_description_blame(description, PATHS("gpu.sm.shared_per_block",
                                                       "gpu.sm.shared_reserved", "gpu.sm.shared"));
    }
    return WM_OK;
}

// A unified array is one SM's: its L1 part cannot be a group's.
static enum wm_status check_l1_group(const struct wm_description *description)
{
    struct wm_error *error = description->error;
    uint64_t unified_bytes = description->machine->sm.unified_bytes;
    if (description->machine->memory.levels[WM_LEVEL_L1].units_each == 1 || unified_bytes == 0)
        return WM_OK;
    wm_fail(error, WM_INVALID,
            "gpu.l1.per is not one SM, but L1 is a part of each SM's own array (gpu.sm.unified, "
            "%s)",
            bytes(unified_bytes).text);
    wm_error_hint(error, "set gpu.sm.unified to 0B: then L1 is an array apart, and may be shared");
    return wm_description_blame(description,
                                PATHS("gpu.l1.per", "gpu.sm.unified", "gpu.l1.present"));
}

// Nor does its size change between kernels where its lines are coherent: no kernel's start empties
// it.
static enum wm_status check_coherent_l1(const struct wm_description *description)
{
    struct wm_error *error = description->error;
    const struct wm_level_spec *l1 = &description->machine->memory.levels[WM_LEVEL_L1];
    uint64_t unified_bytes = description->machine->sm.unified_bytes;
    if (!l1->cache.present || l1->coherence != WM_LEVEL_MESI || unified_bytes == 0)
        return WM_OK;
    wm_fail(error, WM_INVALID,
            "gpu.l1.coherence is mesi, and kernels change the size of L1 (gpu.sm.unified, %s)",
            bytes(unified_bytes).text);
    wm_error_hint(error, "set gpu.sm.unified to 0B: then L1 stays as it is, or set "
                         "gpu.l1.coherence to none");
    return wm_description_blame(description, PATHS("gpu.l1.coherence", "gpu.sm.unified"));
}

// Victim tags: of an L1 that displaces its lines for good, in sets.
static enum wm_status check_throttle(const struct wm_description *description)
{
    struct wm_error *error = description->error;
    const struct wm_load_throttle_spec *throttle = &description->machine->sm.load_throttle;
    const struct wm_memory_spec *memory = &description->machine->memory;
    if (throttle->kind == WM_THROTTLE_NONE)
        return WM_OK;
    if (throttle->tags % throttle->tag_ways != 0) {
        wm_fail(error, WM_INVALID,
                "gpu.sm.throttle_tag_ways (%u) do not divide gpu.sm.throttle_tags (%u)",
                throttle->tag_ways, throttle->tags);
        wm_error_hint(error, "make the tags a multiple of the ways");
        return wm_description_blame(
            description,
            PATHS("gpu.sm.throttle_tag_ways", "gpu.sm.throttle_tags", "gpu.sm.load_throttle"));
    }
    if (memory->levels[WM_LEVEL_L1].cache.present && memory->levels[WM_LEVEL_L1].victim_lines == 0)
        return WM_OK;
    wm_fail(error, WM_INVALID, "gpu.sm.load_throttle needs the lines that L1 displaced, and %s",
            memory->levels[WM_LEVEL_L1].cache.present ? "gpu.l1.victim_lines has them come back"
                                                      : "gpu.l1.present is false");
    wm_error_hint(error, "set gpu.sm.load_throttle to none, or change that");
    return wm_description_blame(
        description, PATHS("gpu.sm.load_throttle", "gpu.l1.victim_lines", "gpu.l1.present"));
}

static enum wm_status check_carveouts(const struct wm_description *description)
{
    struct wm_error *error = description->error;
    const struct wm_sm_spec *sm = &description->machine->sm;
    const struct wm_carveouts *list = &sm->carveouts;
    if (list->count == 0 || list->bytes[list->count - 1] != sm->shared_bytes) {
        wm_fail(error, WM_INVALID, "the largest of gpu.sm.carveouts (%s) is not gpu.sm.shared (%s)",
                list->count ? bytes(list->bytes[list->count - 1]).text : "there is none",
                bytes(sm->shared_bytes).text);
        wm_error_hint(error, "a unified array gives shared memory one of its carve-outs: end the "
                             "list with gpu.sm.shared, or set gpu.sm.unified to 0B");
        return wm_description_blame(description,
                                    PATHS("gpu.sm.carveouts", "gpu.sm.shared", "gpu.sm.unified"));
    }
    const struct wm_cache_spec *l1 = &description->machine->memory.levels[WM_LEVEL_L1].cache;
    if (sm->shared_bytes + l1->size_bytes != sm->unified_bytes) {
        wm_fail(error, WM_INVALID,
                "gpu.l1.size (%s) and gpu.sm.shared (%s) are not gpu.sm.unified (%s) together",
                bytes(l1->size_bytes).text, bytes(sm->shared_bytes).text,
                bytes(sm->unified_bytes).text);
        wm_error_hint(error, "gpu.l1.size is what the largest carve-out leaves; to choose it "
                             "freely, set gpu.sm.unified to 0B, and it stays the same for all "
                             "kernels");
        return wm_description_blame(description,
                                    PATHS("gpu.l1.size", "gpu.sm.shared", "gpu.sm.unified"));
    }
    if (l1->ways == 0) // there is none, and nothing describes it
        return WM_OK;
    // The sets stay and the ways change, so each L1 is a whole number of ways.
    uint64_t way_bytes = l1->size_bytes / l1->ways;
    for (uint64_t i = 0; i < list->count; i++) {
        uint64_t left = sm->unified_bytes - list->bytes[i];
        if (left % way_bytes == 0 && left / way_bytes <= WM_CACHE_MAX_WAYS)
            continue;
        wm_fail(error, WM_INVALID,
                "the carve-out of %s leaves L1 %s: not 1 to %d ways of %s (the sets stay)",
                bytes(list->bytes[i]).text, bytes(left).text, WM_CACHE_MAX_WAYS,
                bytes(way_bytes).text);
        wm_error_hint(error, "change gpu.sm.carveouts, or gpu.l1.ways and with it the sets");
        return wm_description_blame(description,
                                    PATHS("gpu.sm.carveouts", "gpu.l1.ways", "gpu.sm.unified"));
    }
    return WM_OK;
}

static enum wm_status check_default_carveout(const struct wm_description *description)
{
    const struct wm_sm_spec *sm = &description->machine->sm;
    bool known = sm->default_carveout_bytes == 0;
    for (uint64_t i = 0; i < sm->carveouts.count; i++)
        known = known || sm->carveouts.bytes[i] == sm->default_carveout_bytes;
    if (known)
        return WM_OK;
    wm_fail(description->error, WM_INVALID,
            "gpu.sm.default_carveout (%s) is none of gpu.sm.carveouts",
            bytes(sm->default_carveout_bytes).text);
    wm_error_hint(description->error, "give one of those, or 0B for what each kernel needs");
    return wm_description_blame(description, PATHS("gpu.sm.default_carveout", "gpu.sm.carveouts"));
}

// The key that says how large what the table has rows of is; that of the table where none does.
static const char *size_key(const char *name, char key[64])
{
    static const char *const others[][2] = {{"tracker", "gpu.tracker.sets"},
                                            {"atomic_buffer", "gpu.l2.atomic_buffer"},
                                            {WM_ENERGY_LINK_NAME, "gpu.energy.distance"},
                                            {WM_ENERGY_MEMORY_NAME, "gpu.dram.access"}};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (strcmp(others[i][0], name) == 0)
            return others[i][1];
    snprintf(key, 64, "gpu.%s.size", name);
    return wm_machine_key_find(key) != NULL ? key : "gpu.energy.table";
}

static enum wm_status check_energy(const struct wm_description *description)
{
    const struct wm_machine *machine = description->machine;
    struct wm_energy_model model;
    char wrong[WM_ENERGY_NAME_BYTES], key[64];
    if (machine->energy.table.count == 0 ||
        wm_energy_model_init(&model, &machine->energy, &machine->memory, machine->sm.unified_bytes,
                             wrong, description->error) == WM_OK)
        return WM_OK;
    return wm_description_blame(description, PATHS("gpu.energy.table", size_key(wrong, key)));
}

static enum wm_status check_dram(const struct wm_description *description)
{
    struct wm_dram_channel_spec spec;
    if (wm_machine_dram_channel(description->machine, &spec, description->error) == WM_OK)
        return WM_OK;
    return wm_description_blame(
        description, PATHS("gpu.dram.device", "gpu.dram.mapping", "gpu.dram.bank_queue"));
}

// The key that fills a field of the memory system's spec.
static bool key_of(const struct wm_machine *machine, size_t offset, struct wm_machine_key *key)
{
    size_t in_machine = offset == offsetof(struct wm_memory_spec, sm_count)
                            ? offsetof(struct wm_machine, sm.count)
                            : offsetof(struct wm_machine, memory) + offset;
    for (uint32_t number = 0; number < WM_MACHINE_KEY_NUMBERS; number++)
        if (wm_machine_key_at(machine, number, key) && key->offset == in_machine)
            return true;
    return false;
}

static bool name_field(const void *machine, size_t offset, char *name, size_t size)
{
    struct wm_machine_key key;
    if (!key_of(machine, offset, &key))
        return false;
    snprintf(name, size, "%s", key.path);
    return true;
}

static enum wm_status check_memory(const struct wm_description *description)
{
    const struct wm_memory_spec *memory = &description->machine->memory;
    struct wm_spec_check check = {.spec = memory,
                                  .absent_too = true,
                                  .name_of = name_field,
                                  .context = description->machine,
                                  .error = description->error};
    if (wm_memory_spec_check_as(&check) == WM_OK)
        return WM_OK;
    struct wm_machine_key keys[WM_SPEC_MOST_FIELDS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < check.field_count; i++)
        count +=
            key_of(description->machine,
                   (size_t)((const char *)check.fields[i].at - (const char *)memory), &keys[count]);
    return blame_keys(description, keys, count);
}

enum wm_status wm_description_check_geometry(struct wm_description *description)
{
    if (wm_bypass_list_check_for(description->machine->bypass_list, &description->machine->memory,
                                 description->error) != WM_OK)
        return wm_description_blame(description, PATHS("gpu.l1.bypass_list"));
    WM_TRY(check_threads(description));
    WM_TRY(check_shared(description));
    WM_TRY(check_memory(description));
    WM_TRY(check_l1_group(description));
    WM_TRY(check_coherent_l1(description));
    WM_TRY(check_throttle(description));
    if (description->machine->sm.unified_bytes != 0) {
        WM_TRY(check_carveouts(description));
        WM_TRY(check_default_carveout(description));
    }
    WM_TRY(check_dram(description));
    return check_energy(description);
}
