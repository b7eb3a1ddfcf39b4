// Variants of machines: what the names of the DaCache paper mean, in any machine, and how names are
// put together.
#include "machine/machine.h"
#include "machine/preset.h"
#include "mem/replacement/entries.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

static struct wm_machine machine;

static void load(const char *name)
{
    struct wm_error error;
    cr_assert_eq(wm_machine_load(name, NULL, 0, &machine, &error), WM_OK, "%s: %s", name,
                 error.message);
}

// --- The paper's, by sections 4 and 5 and the table of docs/divergence.md ---

enum { DYNAMIC = -1 };

static const struct {
    const char *name;
    uint32_t promotion;
    int warps; // of a static region; DYNAMIC
    enum wm_region_full full;
} dacache[] = {
    {"dacache", 4, DYNAMIC, WM_FULL_BYPASSES},
    {"dacache-uncon", 4, DYNAMIC, WM_FULL_ANY},
    {"dacache-dyn", 4, DYNAMIC, WM_FULL_ANY},
    {"dacache-stall", 4, DYNAMIC, WM_FULL_STALLS},
    {"dacache-static0", 4, 0, WM_FULL_ANY},
    {"dacache-static1", 4, 1, WM_FULL_ANY},
    {"dacache-static2", 4, 2, WM_FULL_ANY},
    {"dacache-static3", 4, 3, WM_FULL_ANY},
    {"dacache-static4", 4, 4, WM_FULL_ANY},
    {"dacache-s0-bypass", 4, 0, WM_FULL_BYPASSES},
    {"dacache-s1-bypass", 4, 1, WM_FULL_BYPASSES},
    {"dacache-s2-bypass", 4, 2, WM_FULL_BYPASSES},
    {"dacache-s3-bypass", 4, 3, WM_FULL_BYPASSES},
    {"dacache-promo1", 1, DYNAMIC, WM_FULL_BYPASSES},
    {"dacache-promo2", 2, DYNAMIC, WM_FULL_BYPASSES},
    {"dacache-promo3", 3, DYNAMIC, WM_FULL_BYPASSES},
    {"dacache-promo4", 4, DYNAMIC, WM_FULL_BYPASSES},
    {"dacache-promo5", 5, DYNAMIC, WM_FULL_BYPASSES},
    {"dacache-promo-mru", 0, DYNAMIC, WM_FULL_BYPASSES},
};

static void check_dacache(size_t i)
{
    const struct wm_divergence_spec *spec = &machine.memory.levels[WM_LEVEL_L1].divergence;
    const char *name = dacache[i].name;
    cr_expect_eq(machine.memory.levels[WM_LEVEL_L1].cache.replacement, &wm_replacement_lru, "%s",
                 name);
    cr_expect_eq(spec->insertion, WM_INSERT_GAUGED, "%s", name);
    cr_expect_eq(spec->coherent, WM_COHERENT_DETECTED, "%s", name);
    cr_expect_eq(spec->promotion, dacache[i].promotion, "%s", name);
    cr_expect_eq(spec->full, dacache[i].full, "%s", name);
    bool dynamic = dacache[i].warps == DYNAMIC;
    cr_expect_eq(spec->region, dynamic ? WM_REGION_DYNAMIC : WM_REGION_STATIC, "%s", name);
    cr_expect_eq(spec->region_warps, dynamic ? 2 : (uint32_t)dacache[i].warps, "%s", name);
}

Test(variants, dacache_is_as_its_paper_names_it)
{
    for (size_t i = 0; i < sizeof dacache / sizeof dacache[0]; i++) {
        char name[128];
        snprintf(name, sizeof name, "dacache-2015+%s", dacache[i].name);
        load(name);
        cr_expect_str_eq(machine.name, name);
        check_dacache(i);
    }
}

static uint64_t value_of(const char *parameter)
{
    const struct wm_replacement_ops *ops = machine.memory.levels[WM_LEVEL_L1].cache.replacement;
    uint64_t values[WM_MAX_PARAMETERS];
    wm_entry_values_resolve(ops->parameters, ops->parameter_count,
                            &machine.memory.levels[WM_LEVEL_L1].cache.replacement_values, values);
    for (size_t i = 0; i < ops->parameter_count; i++)
        if (strcmp(ops->parameters[i].name, parameter) == 0)
            return values[i];
    cr_assert_fail("no parameter %s", parameter);
    return 0;
}

Test(variants, the_comparators_are_as_their_papers_have_them)
{
    load("dacache-2015+dacache-rrip");
    cr_expect_eq(machine.memory.levels[WM_LEVEL_L1].cache.replacement, &wm_replacement_drrip);
    cr_expect_eq(value_of("bits"), 3);
    cr_expect_eq(value_of("promotion"), 1);
    cr_expect_eq(value_of("leaders"), 4);
    load("dacache-2015+dacache-dip");
    cr_expect_eq(machine.memory.levels[WM_LEVEL_L1].cache.replacement, &wm_replacement_dip);
    cr_expect_eq(value_of("leaders"), 4);
    cr_expect_eq(value_of("epsilon"), 32);
    load("dacache-2015+ccws");
    cr_expect_eq(machine.sm.load_throttle.kind, WM_THROTTLE_LOST_LOCALITY);
    cr_expect_eq(machine.sm.load_throttle.tags, 16);
    cr_expect_eq(machine.sm.load_throttle.tag_ways, 8);
    cr_expect_eq(machine.sm.load_throttle.base_score, 100);
    cr_expect_eq(machine.sm.load_throttle.factor, 8);
}

Test(variants, nehalem_caches_are_those_of_a_core)
{
    load("cpu-multi2sim+nehalem-caches");
    const struct wm_cache_spec *l1 = &machine.memory.levels[WM_LEVEL_L1].cache;
    const struct wm_cache_spec *l2 = &machine.memory.levels[WM_LEVEL_L2].cache;
    cr_expect_eq(l1->size_bytes, 32 << 10);
    cr_expect_eq(l1->ways, 8);
    cr_expect_eq(l2->size_bytes, 256 << 10);
    cr_expect_eq(l2->ways, 8);
    cr_expect_eq(machine.sm.count, 1);
}

// How far the halves are apart is the machine's.
Test(variants, l2_partitions_are_those_of_gpus_that_have_them)
{
    static const struct {
        const char *name;
        uint32_t latency;
    } with[] = {
        {"a100+l2-partitions", 76}, {"h100+l2-partitions", 106}, {"h200+l2-partitions", 106}};
    for (size_t i = 0; i < sizeof with / sizeof with[0]; i++) {
        load(with[i].name);
        cr_expect_eq(machine.memory.levels[WM_LEVEL_L2].partitions, 2, "%s", with[i].name);
        cr_expect_eq(machine.memory.levels[WM_LEVEL_L2].partition_latency, with[i].latency, "%s",
                     with[i].name);
    }
    load("h100");
    cr_expect_eq(machine.memory.levels[WM_LEVEL_L2].partitions, 1);
}

Test(variants, hopper_tlb_is_sixteen_entries_of_sixteen_mib)
{
    load("h100+hopper-tlb");
    const struct wm_tlb_spec *spec = &machine.memory.tlb;
    cr_expect(spec->present);
    cr_expect_eq(spec->page_bytes, 16 << 20);
    cr_expect_eq(spec->l1.entries, 16);
    cr_expect_eq(spec->l1.ways, 16);
    cr_expect_geq(spec->l2.entries * spec->page_bytes, UINT64_C(141) << 30,
                  "all of an H200's memory");
    load("h100");
    cr_expect_not(machine.memory.tlb.present);
}

// --- Any machine, and several variants ---

Test(variants, go_with_any_machine_and_with_each_other)
{
    load("gtx480+ccws+dacache-static3");
    cr_expect_str_eq(machine.name, "gtx480+ccws+dacache-static3");
    cr_expect_eq(machine.sm.load_throttle.kind, WM_THROTTLE_LOST_LOCALITY);
    cr_expect_eq(machine.memory.levels[WM_LEVEL_L1].divergence.region_warps, 3);
    cr_expect_eq(machine.sm.count, 15, "what no variant speaks of is the machine's");
    load("gtx480+dacache-static3+dacache");
    cr_expect_eq(machine.memory.levels[WM_LEVEL_L1].divergence.region, WM_REGION_DYNAMIC,
                 "the last one rules");
}

Test(variants, settings_come_after_them)
{
    struct wm_error error;
    const char *const settings[] = {"gpu.l1.promotion=2"};
    cr_assert_eq(wm_machine_load("gtx480+dacache", settings, 1, &machine, &error), WM_OK);
    cr_expect_eq(machine.memory.levels[WM_LEVEL_L1].divergence.promotion, 2);
    const char *const other[] = {"gpu.l1.replacement=fifo"};
    cr_assert_eq(wm_machine_load("gtx480+dacache", other, 1, &machine, &error), WM_INVALID);
}

// A mistake is in the file that makes it: fifo is the first variant's, insertion the second's.
Test(variants, what_does_not_go_together_is_told_of)
{
    struct wm_error error;
    cr_assert_eq(wm_machine_load("gtx480+dacache-dip+dacache", NULL, 0, &machine, &error),
                 WM_INVALID);
    cr_expect(strstr(error.place, "variants/dacache.yaml:") != NULL, "%s", error.place);
}

Test(variants, that_are_not_there_are_told_of)
{
    struct wm_error error;
    cr_expect_eq(wm_machine_load("gtx480+dacach", NULL, 0, &machine, &error), WM_NOT_FOUND);
    cr_expect(strstr(error.hint, "dacache") != NULL);
    cr_expect_eq(wm_machine_load("gtx48+dacache", NULL, 0, &machine, &error), WM_NOT_FOUND);
    cr_expect(strstr(error.hint, "gtx480") != NULL);
    char path[4096];
    cr_expect_eq(wm_preset_path("gtx480+dacach", path, sizeof path, &error), WM_NOT_FOUND);
    cr_expect_eq(wm_machine_load("gtx480+a+a+a+a+a+a+a+a+a", NULL, 0, &machine, &error), WM_LIMIT);
}

// --- Names ---

static void check_split(const char *name, const char *base, uint32_t count, const char *last)
{
    struct wm_machine_name parts;
    struct wm_error error;
    cr_assert_eq(wm_machine_name_split(name, &parts, &error), WM_OK);
    cr_expect_str_eq(parts.base, base, "%s", name);
    cr_expect_eq(parts.variant_count, count, "%s", name);
    if (count != 0)
        cr_expect_str_eq(parts.variants[count - 1], last, "%s", name);
    wm_machine_name_release(&parts);
}

Test(variants, names_are_split_behind_files)
{
    check_split("v100", "v100", 0, "");
    check_split("v100+a", "v100", 1, "a");
    check_split("v100+a+bc+d", "v100", 3, "d");
    check_split("./mine.yaml+a", "./mine.yaml", 1, "a");
    check_split("./a+b.yaml", "./a+b.yaml", 0, "");
    check_split("a+b/mine", "a+b/mine", 0, "");
    check_split("a+b.yaml+c+d", "a+b.yaml", 2, "d");
    check_split("v100+", "v100+", 0, "");
}

// --- Their files ---

// As in presets, each value has its source, by a letter that the head explains.
Test(variants, every_value_has_its_source_and_every_file_its_sentence)
{
    struct wm_arena arena;
    const char *const *names;
    size_t count;
    wm_arena_init(&arena);
    cr_assert_eq(wm_table_preset_names(WM_VARIANTS_FOLDER, &arena, &names, &count, NULL), WM_OK);
    cr_assert_eq(count, sizeof dacache / sizeof dacache[0] + 8, "a variant that no test knows");
    for (size_t i = 0; i < count; i++) {
        char path[4096], line[512], explained[27] = "";
        cr_assert_eq(wm_variant_path(names[i], path, sizeof path, NULL), WM_OK);
        FILE *file = fopen(path, "re");
        cr_assert_not_null(file);
        cr_expect_not_null(fgets(line, sizeof line, file));
        cr_expect(strncmp(line, "# ", 2) == 0 && strlen(line) < 90, "%s", path);
        while (fgets(line, sizeof line, file)) {
            if (strncmp(line, "#   ", 4) == 0 && isupper((unsigned char)line[4]) && line[5] == ' ')
                explained[strlen(explained)] = line[4];
            char *comment = strchr(line, '#'), *colon = strchr(line, ':');
            if (!colon || colon[1] != ' ' || comment == line)
                continue;
            cr_assert_not_null(comment, "%s: no source: %s", path, line);
            cr_expect_not_null(strchr(explained, comment[2]), "%s: %s", path, line);
        }
        fclose(file);
    }
    wm_arena_release(&arena);
}
