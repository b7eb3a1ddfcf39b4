// Whose L1s and side caches a replay through many machines simulates once
// (engine/walk/walk_team.h). Specs are compared field by field there: here every key of machine
// files is changed in turn, so that a new one is compared, or somebody has said that what waits for
// slices is the same whatever it is.
#include "engine/replay/many_machines.h"
#include "engine/walk/walk_team.h"
#include "machine/schema.h"

#include <criterion/criterion.h>
#include <string.h>

// Keys whose values queues do not depend on, on the machine below. Those that end with "." or "_"
// are of all keys that begin so.
static const char *const harmless[] = {
    "name",
    "device.",
    // When, not what.
    "gpu.launch_latency",
    "gpu.sm.schedulers",
    "gpu.sm.issue_width",
    "gpu.sm.integer_",
    "gpu.sm.single_",
    "gpu.sm.double_",
    "gpu.sm.special_",
    "gpu.sm.tensor_",
    "gpu.sm.control_",
    "gpu.sm.memory_",
    "gpu.sm.shared_latency",
    "gpu.sm.shared_atomic_interval",
    "gpu.sm.barrier_latency",
    "gpu.sm.block_latency",
    "gpu.l1.latency",
    "gpu.l1.link_latency",
    "gpu.l1.mshr_",
    "gpu.l1.queue",
    "gpu.l1.return_sectors",
    "gpu.l1.victim_latency",
    "gpu.l1.ports",
    "gpu.l1.banks",
    "gpu.l1.bank_width",
    "gpu.l1.fills_take_banks",
    "gpu.l1.lane_banks",
    "gpu.l1.coalescing",
    // What has been read of these stands in other keys.
    "gpu.l1.sharing",
    "gpu.l1.sharing_latency",
    // Of parts that only a gauged insertion, or a region, has.
    "gpu.l1.coherent_insertion",
    "gpu.l1.region_warps",
    // The walk engine, which shares L1s, refuses a load throttle.
    "gpu.sm.load_throttle",
    "gpu.sm.throttle_",
    "gpu.interconnect.",
    // Of a warp scheduler that the machine does not have, and that shares no L1s.
    "gpu.sm.active_warps",
    // Of parts that the machine does not have, and of the clock engine.
    "cpu.core.count",
    "gpu.peer_link.",
    "cpu.core.clock",
    "cpu.core.width",
    "cpu.core.window",
    "cpu.core.load_queue",
    "cpu.core.store_buffer",
    "cpu.core.stores_in_flight",
    "cpu.core.ports",
    "cpu.core.forward_latency",
    "gpu.l2.per",
    "gpu.constant.latency",
    "gpu.constant.mshr_",
    "gpu.constant.ports",
    "gpu.constant.word_interval",
    "gpu.constant.coalescing",
    "gpu.texture.coalescing",
    "gpu.scalar.coalescing",
    "gpu.l2.locked_line",
    "gpu.texture.latency",
    "gpu.texture.mshr_",
    "gpu.texture.ports",
    "gpu.scalar.latency",
    "gpu.scalar.mshr_",
    "gpu.scalar.ports",
    "gpu.instruction.latency",
    "gpu.instruction.mshr_",
    "gpu.instruction.ports",
    "gpu.texture.below",
    "gpu.texture.serves",
    "gpu.scalar.below",
    "gpu.scalar.serves",
    "gpu.instruction.below",
    "gpu.instruction.serves",
    "gpu.texture.per",
    "gpu.texture.size",
    "gpu.texture.ways",
    "gpu.texture.line",
    "gpu.texture.replacement",
    "gpu.texture.set_index",
    "gpu.scalar.per",
    "gpu.scalar.size",
    "gpu.scalar.ways",
    "gpu.scalar.line",
    "gpu.scalar.replacement",
    "gpu.scalar.set_index",
    "gpu.instruction.per",
    "gpu.instruction.size",
    "gpu.instruction.ways",
    "gpu.instruction.line",
    "gpu.instruction.replacement",
    "gpu.instruction.set_index",
    "gpu.tlb.page",
    "gpu.tlb.sms_each",
    "gpu.tlb.l1_",
    "gpu.tlb.l2_",
    "gpu.tlb.walk_levels",
    "gpu.tlb.walks_use_l2",
    "gpu.tracker.sms_each",
    "gpu.tracker.sets",
    "gpu.tracker.ways",
    "gpu.tracker.banks",
    "gpu.tracker.sharers",
    "gpu.tracker.keep",
    "gpu.tracker.keeps_on_write",
    "gpu.tracker.latency",
    "gpu.peer_link.",
    // Below the queues.
    "gpu.l2.size",
    "gpu.l2.ways",
    "gpu.l2.sector",
    "gpu.l2.write",
    "gpu.l2.write_allocate",
    "gpu.l2.write_fetch",
    "gpu.l2.dirty_limit",
    "gpu.l2.host_write_allocate",
    "gpu.l2.replacement",
    "gpu.l2.set_index",
    "gpu.l2.demand_before_writeback",
    "gpu.l2.atomic_interval",
    "gpu.l2.atomic_by_sector",
    "gpu.l2.latency",
    "gpu.l2.link_latency",
    "gpu.l2.mshr_",
    "gpu.l2.queue",
    "gpu.l2.clock",
    "gpu.l2.partition_latency",
    "gpu.energy.",
    "gpu.dram.",
};

static bool is_harmless(const char *path)
{
    for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; i++) {
        size_t length = strlen(harmless[i]);
        bool begins = harmless[i][length - 1] == '.' || harmless[i][length - 1] == '_';
        if (begins ? strncmp(path, harmless[i], length) == 0 : strcmp(path, harmless[i]) == 0)
            return true;
    }
    return false;
}

static bool share(const struct wm_machine *a, const struct wm_machine *b)
{
    return wm_replay_same_front_end(a, b) && wm_walk_same_queues(a, b);
}

// --- Another value of a key, whether or not the machine makes sense with it ---

static uint64_t number_at(const void *field, size_t bytes)
{
    uint64_t number = 0;
    memcpy(&number, field, bytes); // little-endian, as every host of warpmem
    return number;
}

static void change_quantity(const struct wm_machine_key *key, void *field)
{
    uint64_t number = number_at(field, key->bytes);
    number = number <= key->maximum / 2 && number > 0 ? 2 * number
             : number > 1                             ? number / 2
                                                      : key->maximum;
    memcpy(field, &number, key->bytes);
}

static void change_choice(const struct wm_machine_key *key, void *field)
{
    const struct wm_key_choice *choice = key->choices;
    while (choice->name != NULL && choice->value == number_at(field, key->bytes))
        choice++;
    if (choice->name != NULL)
        memcpy(field, &choice->value, key->bytes);
}

static void change_entry(const struct wm_machine_key *key, void *field)
{
    const void *entry, *old;
    memcpy(&old, field, sizeof old);
    for (size_t i = 0; (entry = key->kind->at(i)) != NULL && entry == old; i++)
        continue;
    memcpy(field, &entry, sizeof entry);
}

static void change_list(void *field)
{
    struct wm_carveouts *list = field;
    list->bytes[list->count++] = 1;
}

static void change(const struct wm_machine_key *key, struct wm_machine *machine)
{
    void *field = (char *)machine + key->offset;
    switch (key->type) {
    case WM_KEY_NAME:
    case WM_KEY_TEXT:
    case WM_KEY_SELECTORS: *(char *)field ^= 1; break;
    case WM_KEY_QUANTITY: change_quantity(key, field); break;
    case WM_KEY_SWITCH: *(bool *)field = !*(bool *)field; break;
    case WM_KEY_CHOICE: change_choice(key, field); break;
    case WM_KEY_ENTRY: change_entry(key, field); break;
    case WM_KEY_PER: *(uint32_t *)field ^= 3; break;
    case WM_KEY_BELOW: *(uint8_t *)field = *(uint8_t *)field ? 0 : WM_BELOW_MEMORY; break;
    case WM_KEY_SERVES: *(unsigned *)field ^= WM_SERVES_DATA; break;
    case WM_KEY_LIST: change_list(field); break;
    case WM_KEY_VERSION: *(uint32_t *)field += 1; break;
    case WM_KEY_ROWS: ((struct wm_energy_table *)field)->count++; break;
    default: *(char *)field ^= 1; break;
    }
}

// --- Tests ---

// A volta with a warp scheduler that does not ask what misses, and with carveouts.
static void load(struct wm_machine *machine)
{
    static const char *const settings[] = {"gpu.sm.warp_scheduler=round-robin"};
    struct wm_error error;
    cr_assert_eq(wm_machine_load("v100", settings, 1, machine, &error), WM_OK, "%s", error.message);
}

Test(same_queues, every_key_tells_machines_apart_or_is_harmless)
{
    static struct wm_machine one, other;
    load(&one);
    cr_assert(share(&one, &one));
    size_t count;
    const struct wm_machine_key *keys = wm_machine_keys(&count);
    for (size_t i = 0; i < count; i++) {
        const struct wm_machine_key *key = &keys[i];
        other = one;
        change(key, &other);
        if (memcmp((char *)&one + key->offset, (char *)&other + key->offset, key->bytes) == 0)
            continue; // the only choice there is
        cr_expect_eq(share(&one, &other), is_harmless(key->path),
                     "%s: is it compared, or is it harmless?", key->path);
        cr_expect_eq(share(&other, &one), share(&one, &other), "%s, the other way", key->path);
    }
}

Test(same_queues, parameters_of_entries_tell_machines_apart)
{
    static struct wm_machine one, other;
    load(&one);
    size_t count;
    const struct wm_machine_key *keys = wm_machine_keys(&count);
    for (size_t i = 0; i < count; i++) {
        const struct wm_machine_key *key = &keys[i];
        if (key->values_offset == 0)
            continue;
        other = one;
        struct wm_entry_values *values = (void *)((char *)&other + key->values_offset);
        values->given ^= 1;
        cr_expect_eq(share(&one, &other), is_harmless(key->path), "%s", key->path);
    }
}

// What is named above is a key: none that has gone stays.
Test(same_queues, harmless_keys_exist)
{
    size_t count;
    const struct wm_machine_key *keys = wm_machine_keys(&count);
    for (size_t h = 0; h < sizeof harmless / sizeof harmless[0]; h++) {
        size_t length = strlen(harmless[h]), found = 0;
        for (size_t i = 0; i < count; i++)
            found += strncmp(keys[i].path, harmless[h], length) == 0;
        cr_expect(found > 0, "%s", harmless[h]);
    }
}
