// The graph of a machine's memory system: each component has the path that docs/memory-system.md
// gives it, in the order in which counters are listed; misses go where they go; peak rates are
// those of the description.
#include "machine/machine.h"
#include "machine/preset.h"
#include "mem/graph/memory_graph.h"
#include "mem/system/memory.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <math.h>

enum { MOST_SETTINGS = 8 };
enum { SIDES = 2 * 15 }; // side caches of gtx480

static struct wm_machine machine_of(const char *name, const char *const *settings)
{
    static struct wm_machine machine;
    struct wm_error error;
    uint32_t count = 0;
    while (settings != NULL && settings[count] != NULL)
        count++;
    cr_assert_eq(wm_machine_load(name, settings, count, &machine, &error), WM_OK, "%s: %s", name,
                 error.message);
    return machine;
}

// --- Paths, spelled out part by part ---

struct paths {
    char (*items)[WM_COMPONENT_PATH_BYTES];
    size_t count;
};

#define ADD(list, ...) \
    snprintf((list)->items[(list)->count++], WM_COMPONENT_PATH_BYTES, __VA_ARGS__)

// One each `each` SMs.
static void add_at_sms(struct paths *list, uint32_t sms, uint32_t each, const char *name)
{
    for (uint32_t sm = 0; sm<sms; sm += each> 1 ? each : 1)
        ADD(list, "gpu0.sm[%" PRIu32 "].%s", sm, name);
}

static void add_tracker(struct paths *list, uint32_t sms, const struct wm_tracker_spec *spec)
{
    for (uint32_t sm = 0, tracker = 0; sm < sms; sm += spec->sms_each, tracker++)
        for (uint32_t bank = 0; bank < spec->banks; bank++)
            ADD(list, "gpu0.tracker[%" PRIu32 "].bank[%" PRIu32 "]", tracker, bank);
}

// Side caches above L2, or those above a level between, which come before all others.
static void add_sides(struct paths *list, const struct wm_memory_spec *spec, bool above_own)
{
    static const char *const sides[] = {"constant", "texture", "scalar", "instruction"};
    for (uint32_t i = WM_LEVEL_SIDE; i < WM_LEVEL_L2; i++) {
        uint32_t below = wm_level_below(spec, i);
        bool is_above_own = below != WM_BELOW_MEMORY && below >= WM_LEVELS_NAMED;
        if (spec->levels[i].cache.present && is_above_own == above_own)
            add_at_sms(list, spec->sm_count, spec->levels[i].units_each, sides[i - WM_LEVEL_SIDE]);
    }
}

static void add_all(struct paths *list, const struct wm_memory_spec *spec)
{
    uint32_t sms = spec->sm_count, slices = spec->levels[WM_LEVEL_L2].cache.present
                                                ? spec->levels[WM_LEVEL_L2].slices
                                                : 0;
    add_sides(list, spec, true);
    if (spec->levels[WM_LEVEL_L1].cache.present)
        add_at_sms(list, sms, spec->levels[WM_LEVEL_L1].units_each, "l1");
    if (spec->levels[WM_LEVEL_L1].cache.present && spec->levels[WM_LEVEL_L1].victim_lines != 0)
        add_at_sms(list, sms, spec->levels[WM_LEVEL_L1].units_each, "victim");
    add_sides(list, spec, false);
    for (uint32_t own = WM_LEVELS_NAMED; own < WM_MOST_LEVELS; own++) // a preset's are of SMs
        if (spec->levels[own].cache.present)
            add_at_sms(list, sms, spec->levels[own].units_each, spec->levels[own].name);
    if (spec->tlb.present)
        add_at_sms(list, sms, spec->tlb.sms_each, "tlb");
    if (spec->tlb.present && spec->tlb.l2.entries != 0)
        ADD(list, "gpu0.tlb");
    if (spec->levels[WM_LEVEL_L1].tracker.present)
        add_tracker(list, sms, &spec->levels[WM_LEVEL_L1].tracker);
    for (uint32_t slice = 0; slice < slices; slice++)
        ADD(list, "gpu0.l2[%" PRIu32 "]", slice);
    for (uint32_t slice = 0; spec->levels[WM_LEVEL_L2].atomic_buffer_lines != 0 && slice < slices;
         slice++)
        ADD(list, "gpu0.l2[%" PRIu32 "].atomic_buffer", slice);
    for (uint32_t channel = 0; channel < spec->dram.channels; channel++)
        ADD(list, "gpu0.dram[%" PRIu32 "]", channel);
    for (uint32_t slice = 0;
         spec->levels[WM_LEVEL_L2].cache.dirty_limit_bytes != 0 && slice < slices; slice++)
        ADD(list, "gpu0.l2[%" PRIu32 "].dirty_limit", slice);
    for (uint32_t slice = 0; spec->levels[WM_LEVEL_L2].partitions > 1 && slice < slices; slice++)
        ADD(list, "gpu0.l2[%" PRIu32 "].partition", slice);
}

static void expect_paths(const char *name, const char *const *settings, size_t expected_count)
{
    struct wm_machine machine = machine_of(name, settings);
    struct paths list = {malloc(4096 * sizeof *list.items), 0};
    struct wm_memory *memory;
    struct wm_error error;
    add_all(&list, &machine.memory);
    cr_assert_eq(wm_memory_new(&machine.memory, "gpu0", &memory, &error), WM_OK);
    size_t count;
    const struct wm_component_counters *components = wm_memory_components(memory, &count);
    cr_assert_eq(count, list.count, "%s: %zu components, not %zu", name, count, list.count);
    if (expected_count != 0)
        cr_assert_eq(count, expected_count, "%s with %s: %zu components", name, settings[0], count);
    for (size_t i = 0; i < count; i++)
        cr_expect_str_eq(components[i].path, list.items[i]);

    // The graph of the description alone has the same, behind the units and beside the networks,
    // but for limits on dirty lines and for partitions, which are parts of caches.
    struct wm_memory_graph graph;
    wm_memory_graph_make(&machine.memory, "gpu0", &graph);
    size_t listed = 0;
    for (uint32_t c = 0; c < graph.component_count; c++) {
        bool counted = c != graph.units && graph.components[c].kind != WM_COMPONENT_NETWORK;
        for (uint32_t i = 0; counted && i < wm_memory_graph_path_count(&graph, c); i++) {
            char path[WM_COMPONENT_PATH_BYTES];
            wm_memory_graph_path(&graph, c, i, NULL, path, sizeof path);
            cr_assert_lt(listed, count);
            cr_expect_str_eq(path, components[listed++].path);
        }
    }
    while (listed < count && (strstr(components[listed].path, ".dirty_limit") != NULL ||
                              strstr(components[listed].path, ".partition") != NULL))
        listed++;
    cr_expect_eq(listed, count);
    wm_memory_free(memory);
    free(list.items);
}

Test(machine_graph, presets_have_the_paths_that_results_have)
{
    struct wm_arena arena;
    struct wm_error error;
    const char *const *names;
    size_t count;
    wm_arena_init(&arena);
    cr_assert_eq(wm_preset_names(&arena, &names, &count, &error), WM_OK);
    cr_assert_geq(count, 14);
    for (size_t i = 0; i < count; i++)
        expect_paths(names[i], NULL, 0);
    wm_arena_release(&arena);
}

Test(machine_graph, machines_of_other_shapes_do_too)
{
    static const struct {
        const char *name;
        const char *settings[MOST_SETTINGS];
        size_t components;
    } machines[] = {
        // Fifteen SMs with a constant and a texture cache each. Four an L1: the last has three.
        {"gtx480", {"gpu.l1.sms_each=4"}, 4 + SIDES + 12 + 6},
        {"gtx480", {"gpu.l1.sms_each=1024"}, 1 + SIDES + 12 + 6},
        {"gtx480", {"gpu.l1.sms_each=4", "gpu.l1.victim_lines=8"}, 2 * 4 + SIDES + 12 + 6},
        {"gtx480", {"gpu.l1.present=false"}, SIDES + 12 + 6},
        {"gtx480", {"gpu.l1.present=false", "gpu.l1.victim_lines=8"}, SIDES + 12 + 6},
        {"gtx480", {"gpu.l2.present=false"}, 15 + SIDES + 6},
        {"gtx480", {"gpu.l2.present=false", "gpu.l2.atomic_buffer=4"}, 15 + SIDES + 6},
        {"gtx480", {"gpu.l2.atomic_buffer=4"}, 15 + SIDES + 2 * 12 + 6},
        {"gtx480", {"gpu.tlb.present=true", "gpu.tlb.l2_entries=0"}, 15 + SIDES + 15 + 12 + 6},
        {"gtx480",
         {"gpu.tlb.present=true", "gpu.tlb.sms_each=7", "gpu.tlb.l2_entries=512"},
         15 + SIDES + 3 + 1 + 12 + 6},
        {"gtx480",
         {"gpu.constant.present=false", "gpu.texture.sms_each=2", "gpu.scalar.present=true",
          "gpu.scalar.sms_each=15", "gpu.instruction.present=true"},
         15 + 8 + 1 + 15 + 12 + 6},
        {"anssari", {"gpu.tracker.present=true"}, 16 + 8 + 2 * 8 + 8},
        {"anssari",
         {"gpu.tracker.present=true", "gpu.tracker.sms_each=4", "gpu.tracker.sets=256",
          "gpu.tracker.banks=2", "gpu.l2.atomic_buffer=16"},
         16 + 4 * 2 + 2 * 8 + 8},
    };
    for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++)
        expect_paths(machines[i].name, machines[i].settings, machines[i].components);
}

// --- Where misses go ---

static const struct wm_memory_link *link_between(const struct wm_memory_graph *graph, uint32_t from,
                                                 uint32_t to)
{
    const struct wm_memory_link *found = NULL;
    for (uint32_t i = 0; i < graph->link_count; i++)
        if (graph->links[i].from == from && graph->links[i].to == to) {
            cr_expect_null(found, "two links between %s and %s", graph->components[from].name,
                           graph->components[to].name);
            found = &graph->links[i];
        }
    return found;
}

// Each component's misses go down a link; from everywhere, the way ends in memory or, of
// translations that are counted alone, nowhere.
static void check_ways(const char *name, const struct wm_memory_graph *graph)
{
    cr_expect_eq(graph->components[graph->units].below, WM_NO_COMPONENT);
    for (uint32_t c = 0; c < graph->component_count; c++) {
        const struct wm_memory_component *component = &graph->components[c];
        uint64_t above = 0;
        uint32_t steps = 0, last = c;
        for (uint32_t i = 0; i < graph->link_count; i++)
            if (graph->links[i].to == c)
                above |= UINT64_C(1) << graph->links[i].from;
        cr_expect_eq(component->above, above, "%s: above %s", name, component->name);
        if (component->kind == WM_COMPONENT_UNITS || component->kind == WM_COMPONENT_NETWORK)
            continue;
        cr_expect_neq(above, 0, "%s: nothing is above %s", name, component->name);
        for (; graph->components[last].below != WM_NO_COMPONENT; steps++) {
            uint32_t below = graph->components[last].below;
            cr_assert_lt(steps, graph->component_count, "%s: misses go round", name);
            if (graph->components[last].kind != WM_COMPONENT_ATOMIC_BUFFER)
                cr_expect_not_null(link_between(graph, last, below), "%s: %s has no link", name,
                                   graph->components[last].name);
            last = below;
        }
        cr_expect(last == graph->memory || graph->components[last].kind == WM_COMPONENT_TLB,
                  "%s: misses of %s end at %s", name, component->name,
                  graph->components[last].name);
    }
}

Test(machine_graph, misses_go_down_to_memory)
{
    static const char *const all[] = {"gpu.tlb.present=true",      "gpu.tlb.l2_entries=512",
                                      "gpu.tlb.walks_use_l2=true", "gpu.constant.present=true",
                                      "gpu.constant.line=32B",     "gpu.texture.present=true",
                                      "gpu.texture.line=32B",      "gpu.l2.atomic_buffer=4",
                                      "gpu.tracker.present=true",  NULL};
    static const char *const bare[] = {"gpu.l1.present=false", "gpu.l2.present=false", NULL};
    static const char *const *const settings[] = {NULL, all, bare};
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        struct wm_machine machine = machine_of("anssari", settings[i]);
        struct wm_memory_graph graph;
        wm_memory_graph_make(&machine.memory, "gpu0", &graph);
        check_ways("anssari", &graph);
    }
    struct wm_machine machine = machine_of("anssari", all);
    struct wm_memory_graph graph;
    wm_memory_graph_make(&machine.memory, "gpu0", &graph);
    cr_expect_eq(graph.components[graph.levels[WM_LEVEL_L1]].below, graph.tracker);
    cr_expect_eq(graph.components[graph.tracker].below, graph.levels[WM_LEVEL_L2]);
    cr_expect_eq(graph.components[graph.levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_TEXTURE]].below,
                 graph.levels[WM_LEVEL_L2]);
    cr_expect_eq(graph.components[graph.l2_tlb].below, graph.levels[WM_LEVEL_L2]);
    cr_expect_eq(graph.components[graph.levels[WM_LEVEL_L2]].below, graph.memory);
    machine = machine_of("anssari", bare);
    wm_memory_graph_make(&machine.memory, "gpu0", &graph);
    cr_expect_not_null(link_between(&graph, graph.units, graph.memory));
    cr_expect_eq(wm_memory_graph_interconnect(&graph),
                 link_between(&graph, graph.units, graph.memory));
}

// --- Bytes and rates ---

Test(machine_graph, bytes_are_of_one_and_of_all)
{
    struct wm_machine machine = machine_of("v100", NULL);
    struct wm_memory_graph graph;
    wm_memory_graph_make(&machine.memory, "gpu0", &graph);
    const struct wm_memory_component *l1 = &graph.components[graph.levels[WM_LEVEL_L1]];
    cr_expect_eq(l1->instances, 80);
    cr_expect_eq(l1->bytes, 32 << 10);
    cr_expect_eq(l1->all_bytes, 80 * (32 << 10));
    const struct wm_memory_component *l2 = &graph.components[graph.levels[WM_LEVEL_L2]];
    cr_expect_eq(l2->instances, 1);
    cr_expect_eq(l2->parts, machine.memory.levels[WM_LEVEL_L2].slices);
    cr_expect_eq(l2->all_bytes, 6 << 20);
    static const char *const shared[] = {"gpu.l1.sms_each=7", "gpu.sm.unified=0B", NULL};
    machine = machine_of("v100", shared);
    wm_memory_graph_make(&machine.memory, "gpu0", &graph);
    cr_expect_eq(graph.components[graph.levels[WM_LEVEL_L1]].instances,
                 12); // eleven of seven SMs, one of three
    cr_expect_eq(graph.components[graph.levels[WM_LEVEL_L1]].units_each, 7);
}

Test(machine_graph, peak_rates_are_those_of_ports_and_banks)
{
    static const char *const settings[] = {"device.clock=1GHz",
                                           "gpu.interconnect.clock=500MHz",
                                           "gpu.interconnect.flit=32B",
                                           "gpu.l2.slices=12",
                                           "gpu.l1.ports=2",
                                           "gpu.l1.banks=0",
                                           "gpu.constant.present=true",
                                           NULL};
    struct wm_machine machine = machine_of("gtx480", settings);
    struct wm_memory_graph graph;
    wm_memory_graph_make(&machine.memory, "gpu0", &graph);
    const struct wm_memory_link *shared = wm_memory_graph_interconnect(&graph);
    // Twelve slices have fewer ports than fifteen SMs.
    cr_expect_eq(wm_memory_link_peak(shared, 1000000000), 12 * 32 * 500e6);
    const struct wm_memory_link *l1 = link_between(&graph, graph.units, graph.levels[WM_LEVEL_L1]);
    cr_expect_eq(wm_memory_link_peak(l1, 1000000000), 15 * 2 * 128 * 1e9);
    machine.memory.levels[WM_LEVEL_L1].banks.count = 32;
    machine.memory.levels[WM_LEVEL_L1].banks.width_bytes = 4;
    wm_memory_graph_make(&machine.memory, "gpu0", &graph);
    l1 = link_between(&graph, graph.units, graph.levels[WM_LEVEL_L1]);
    cr_expect_eq(wm_memory_link_peak(l1, 1000000000), 15 * 128 * 1e9);
    uint32_t constant = graph.levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_CONSTANT];
    cr_expect_eq(
        link_between(&graph, graph.units, constant)->bytes_per_cycle,
        2 * machine.memory.levels[WM_LEVEL_SIDE + WM_SIDE_CACHE_CONSTANT].cache.line_bytes);
    // The wire between L2 and memory has no limit: the channels have.
    cr_expect_eq(wm_memory_link_peak(link_between(&graph, graph.levels[WM_LEVEL_L2], graph.memory),
                                     1000000000),
                 0);
    cr_expect_eq(graph.components[graph.memory].bytes_per_second, 177400000000);
}

Test(machine_graph, what_is_counted_within_a_component_is_named_in_it)
{
    static const char *const butterfly[] = {"gpu.interconnect.topology=butterfly",
                                            "gpu.interconnect.radix=4", NULL};
    struct wm_machine machine = machine_of("gtx480", butterfly);
    struct wm_memory_graph graph;
    char path[WM_COMPONENT_PATH_BYTES];
    wm_memory_graph_make(&machine.memory, "gpu1", &graph);
    wm_memory_graph_path(&graph, graph.units, 14, NULL, path, sizeof path);
    cr_expect_str_eq(path, "gpu1.sm[14]");
    wm_memory_graph_path(&graph, graph.levels[WM_LEVEL_L1], 3, "timing", path, sizeof path);
    cr_expect_str_eq(path, "gpu1.sm[3].l1.timing");
    cr_expect_eq(wm_memory_graph_path_count(&graph, graph.replies), 2); // 4^2 ends are enough
    wm_memory_graph_path(&graph, graph.replies, 1, "switches", path, sizeof path);
    cr_expect_str_eq(path, "gpu1.replies[1].switches");
    machine = machine_of("gtx480", NULL);
    wm_memory_graph_make(&machine.memory, "gpu0", &graph);
    cr_expect_eq(wm_memory_graph_path_count(&graph, graph.requests), 0); // a crossbar
    cr_expect_eq(wm_memory_graph_path_count(&graph, WM_NO_COMPONENT), 0);
}

// --- Levels that files describe ---

// A machine with levels of its own in all places; what it has is spelled out below.
static const char levels_text[] =
    "name: levels\n"
    "device: {title: levels, compute_capability: 7.0, clock: 1GHz, memory_clock: 1GHz,\n"
    "  memory_bus_bits: 64, memory_size: 1GiB}\n"
    "gpu:\n"
    "  sm: {count: 10, max_warps: 32, max_threads: 1024, max_blocks: 8, registers: 65536,\n"
    "    shared: 48KiB, shared_per_block: 48KiB}\n"
    "  l1: {below: cluster, size: 16KiB, ways: 4, write: through-update, write_allocate: false}\n"
    "  texture: {present: true, per: 2 sm, below: cluster}\n"
    "  scalar: {present: true, below: l3}\n"
    "  cluster: {per: 4 sm, below: l2, size: 64KiB, ways: 4, slices: 2, victim_lines: 4}\n"
    "  l2: {per: 8 sm, slices: 1, size: 64KiB, ways: 4, write: back, write_allocate: true,\n"
    "    below: l3}\n"
    "  l3: {per: all, size: 1MiB, ways: 8, below: /llc}\n"
    "  dram: {channels: 2, bandwidth: 100GB/s}\n"
    "cpu:\n"
    "  core: {count: 3}\n"
    "  l1: {per: core, below: l2, size: 32KiB, ways: 8}\n"
    "  l2: {per: 2 core, below: /llc, size: 256KiB, ways: 8}\n"
    "llc: {below: memory, slices: 4, size: 8MiB, ways: 16}\n";

static struct wm_memory_graph graph_of_levels(void)
{
    static struct wm_machine machine;
    struct wm_memory_graph graph;
    struct wm_error error;
    cr_assert_eq(
        wm_machine_read(levels_text, strlen(levels_text), "levels", NULL, 0, &machine, &error),
        WM_OK, "%s: %s", error.place, error.message);
    wm_memory_graph_make(&machine.memory, "gpu0", &graph);
    return graph;
}

Test(machine_graph, levels_of_a_files_own_have_paths)
{
    struct wm_memory_graph graph = graph_of_levels();
    struct paths list = {malloc(4096 * sizeof *list.items), 0};
    add_at_sms(&list, 10, 1, "l1");
    add_at_sms(&list, 10, 2, "texture");
    add_at_sms(&list, 10, 4, "scalar");
    for (uint32_t sm = 0; sm < 10; sm += 4)
        for (uint32_t slice = 0; slice < 2; slice++)
            ADD(&list, "gpu0.sm[%" PRIu32 "].cluster[%" PRIu32 "]", sm, slice);
    for (uint32_t sm = 0; sm < 10; sm += 4)
        for (uint32_t slice = 0; slice < 2; slice++)
            ADD(&list, "gpu0.sm[%" PRIu32 "].cluster[%" PRIu32 "].victim", sm, slice);
    ADD(&list, "gpu0.sm[0].l2[0]");
    ADD(&list, "gpu0.sm[8].l2[0]");
    for (uint32_t core = 0; core < 3; core++)
        ADD(&list, "cpu0.core[%" PRIu32 "].l1", core);
    ADD(&list, "cpu0.core[0].l2");
    ADD(&list, "cpu0.core[2].l2");
    ADD(&list, "gpu0.l3");
    for (uint32_t slice = 0; slice < 4; slice++)
        ADD(&list, "llc[%" PRIu32 "]", slice);
    ADD(&list, "gpu0.dram[0]");
    ADD(&list, "gpu0.dram[1]");
    size_t listed = 0;
    for (uint32_t c = 0; c < graph.component_count; c++) {
        bool counted = graph.components[c].kind != WM_COMPONENT_UNITS &&
                       graph.components[c].kind != WM_COMPONENT_NETWORK;
        for (uint32_t i = 0; counted && i < wm_memory_graph_path_count(&graph, c); i++) {
            char path[WM_COMPONENT_PATH_BYTES];
            bool found = false;
            wm_memory_graph_path(&graph, c, i, NULL, path, sizeof path);
            for (size_t n = 0; n < list.count; n++)
                found = found || strcmp(path, list.items[n]) == 0;
            cr_expect(found, "%s", path);
            listed++;
        }
    }
    cr_expect_eq(listed, list.count);
    char path[WM_COMPONENT_PATH_BYTES];
    wm_memory_graph_path(&graph, graph.cores, 2, NULL, path, sizeof path);
    cr_expect_str_eq(path, "cpu0.core[2]");
    free(list.items);
}

Test(machine_graph, levels_of_a_files_own_are_linked)
{
    struct wm_memory_graph graph = graph_of_levels();
    enum { CLUSTER = WM_LEVELS_NAMED, L3, CPU_L1, CPU_L2, LLC };
    static const struct {
        uint32_t from, to, ports_above, ports_below;
        enum wm_link_topology topology;
    } expected[] = {
        {WM_LEVEL_L1, CLUSTER, 10, 6, WM_LINK_WIRE},
        {WM_LEVEL_SIDE + WM_SIDE_CACHE_TEXTURE, CLUSTER, 10, 6, WM_LINK_WIRE},
        {WM_LEVEL_SIDE + WM_SIDE_CACHE_SCALAR, L3, 10, 1, WM_LINK_CROSSBAR},
        {WM_LEVEL_L2, L3, 2, 1, WM_LINK_CROSSBAR},
        {L3, LLC, 1, 4, WM_LINK_WIRE},
        {CPU_L1, CPU_L2, 3, 2, WM_LINK_WIRE},
        {CPU_L2, LLC, 2, 4, WM_LINK_WIRE},
    };
    check_ways("levels", &graph);
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        uint32_t from = graph.levels[expected[i].from], to = graph.levels[expected[i].to];
        const struct wm_memory_link *link = link_between(&graph, from, to);
        cr_assert_not_null(link, "%s to %s", graph.components[from].name,
                           graph.components[to].name);
        cr_expect_eq(graph.components[from].below, to);
        cr_expect_eq(link->ports_above, expected[i].ports_above, "%s: %u ports above",
                     graph.components[from].name, link->ports_above);
        cr_expect_eq(link->ports_below, expected[i].ports_below, "%s: %u ports below",
                     graph.components[from].name, link->ports_below);
        cr_expect_eq(link->topology, expected[i].topology, "%s", graph.components[from].name);
    }
    // A victim cache stands between its level and the one below.
    uint32_t victim = graph.victims[CLUSTER];
    cr_expect_eq(graph.components[graph.levels[CLUSTER]].below, victim);
    cr_expect_eq(graph.components[victim].below, graph.levels[WM_LEVEL_L2]);
    cr_expect_not_null(link_between(&graph, graph.units, graph.levels[WM_LEVEL_L1]));
    cr_expect_not_null(link_between(&graph, graph.cores, graph.levels[CPU_L1]));
    cr_expect_null(link_between(&graph, graph.units, graph.levels[CPU_L1]));
    cr_expect_null(link_between(&graph, graph.units, graph.levels[CLUSTER]));
    cr_expect_eq(graph.components[graph.levels[CLUSTER]].instances, 3);
    cr_expect_eq(graph.components[graph.levels[LLC]].all_bytes, 8 << 20);
}
