// The rules at their thresholds, and results put beside lines, on results made by hand.
#include "study/annotate/advice_trials.h"
#include "study/annotate/annotate.h"
#include "study/annotate/cells.h"
#include "study/annotate/kernel.h"

#include <criterion/criterion.h>
#include <unistd.h>

static bool applies(const char *name, const struct wm_rule_view *view)
{
    for (uint32_t i = 0; i < wm_annotate_rule_count; i++)
        if (strcmp(wm_annotate_rule_table[i].name, name) == 0)
            return wm_annotate_rule_table[i].applies(view);
    cr_assert(false, "no rule %s", name);
    return false;
}

// A warp's load of 32 words, `sectors` touched in `requests` lines, 100 times.
static struct wm_rule_view load_of(uint64_t sectors, uint64_t requests, uint64_t l1_hits)
{
    return (struct wm_rule_view){
        .kind = WM_ACCESS_LOAD,
        .space = WM_SPACE_GLOBAL,
        .line_bytes = 128,
        .counters = {.executions = 100,
                     .lanes = 3200,
                     .bytes_requested = 12800,
                     .requests = 100 * requests,
                     .sectors = 100 * sectors,
                     .levels[WM_LEVEL_L1].hits = l1_hits,
                     .levels[WM_LEVEL_L1].misses = 100 * sectors - l1_hits},
        .explained = {.regular = 100},
    };
}

Test(annotate_rules, uncoalesced_from_twice_the_sectors_needed)
{
    struct wm_rule_view view = load_of(7, 2, 0);
    cr_expect_not(applies("uncoalesced", &view));
    view = load_of(8, 2, 0);
    cr_expect(applies("uncoalesced", &view));
    view.counters.executions = 7;
    cr_expect_not(applies("uncoalesced", &view), "too few to speak of");
    view = load_of(1, 1, 0); // a broadcast
    cr_expect_not(applies("uncoalesced", &view));
    view = load_of(8, 2, 0);
    view.space = WM_SPACE_SHARED;
    cr_expect_not(applies("uncoalesced", &view));
}

Test(annotate_rules, uncoalesced_is_what_the_program_arranges)
{
    struct wm_rule_view view = load_of(32, 32, 0);
    view.explained.regular = 50;
    cr_expect(applies("uncoalesced", &view));
    view.explained.regular = 49;
    cr_expect_not(applies("uncoalesced", &view), "a gather");
    view.explained.advancing = 50;
    cr_expect(applies("uncoalesced", &view), "each lane walks through a piece of its own");
    view.in_vector = true;
    cr_expect_not(applies("uncoalesced", &view),
                  "one access of the thread for several is the cure");
    view.in_vector = false;
    view.kind = WM_ACCESS_ATOMIC;
    cr_expect_not(applies("uncoalesced", &view), "bins lie where the data says");
}

Test(annotate_rules, one_sector_of_a_line)
{
    struct wm_rule_view view = load_of(5, 4, 0);
    cr_expect(applies("one-sector", &view));
    view = load_of(8, 8, 0);
    cr_expect_not(applies("one-sector", &view), "it is uncoalesced");
    view = load_of(6, 4, 0);
    cr_expect_not(applies("one-sector", &view));
    view = load_of(4, 4, 200);
    cr_expect_not(applies("one-sector", &view), "half of them hit");
    view = load_of(4, 4, 0);
    view.line_bytes = 32;
    cr_expect_not(applies("one-sector", &view), "the line is the sector");
    view = load_of(4, 4, 0);
    view.kind = WM_ACCESS_STORE;
    cr_expect_not(applies("one-sector", &view));
}

// Of another load's 1,000 sectors 100 had gone before their next use.
Test(annotate_rules, bypass_where_others_want_the_place)
{
    struct wm_rule_kernel_totals kernel = {.name = "k", .lookups = 1400, .near_misses = 100};
    struct wm_rule_view view = load_of(4, 1, 0);
    cr_expect_not(applies("bypass-l1", &view), "nothing is known of others");
    view.kernel = &kernel;
    cr_expect(applies("bypass-l1", &view));
    kernel.near_misses = 99;
    cr_expect_not(applies("bypass-l1", &view), "they want it too little");
    kernel.near_misses = 100;
    view.explained.levels[WM_LEVEL_L1].again = 9; // of 400
    cr_expect_not(applies("bypass-l1", &view));
    view.explained.levels[WM_LEVEL_L1].again = 8;
    view.explained.wanted_again = 3; // of 100
    cr_expect_not(applies("bypass-l1", &view), "others come back for what it had brought");
    view.explained.wanted_again = 2;
    view.explained.levels[WM_LEVEL_L1].capacity = 9;
    cr_expect_not(applies("bypass-l1", &view), "it comes back for what others had brought");
    view = load_of(4, 1, 9);
    view.kernel = &kernel;
    cr_expect_not(applies("bypass-l1", &view), "more than one in fifty hits");
    kernel = (struct wm_rule_kernel_totals){.name = "k", .lookups = 400};
    view = load_of(4, 1, 0);
    view.kernel = &kernel;
    cr_expect_not(applies("bypass-l1", &view), "nobody else looks into L1");
}

Test(annotate_rules, thrashing_from_a_quarter_of_the_sectors)
{
    struct wm_rule_kernel_totals kernel = {.name = "k"};
    struct wm_rule_view view = load_of(4, 1, 0);
    view.kernel = &kernel;
    view.explained.levels[WM_LEVEL_L1].capacity = 99;
    cr_expect_not(applies("thrashing-l1", &view));
    view.explained.levels[WM_LEVEL_L1].conflict = 1;
    cr_expect(applies("thrashing-l1", &view));
}

// Of 12,800 bytes that warps ask for, 3,200 are asked for in their block for the first time. All
// the kernel does is that load: tiles leave a quarter of its look-ups.
static struct wm_rule_view shared_load(void)
{
    struct wm_rule_view view = load_of(4, 4, 400);
    view.explained.block_bytes = 12800;
    view.explained.block_first = 3200;
    view.explained.block_other_warp = 6400;
    view.tile_bytes = 4097;
    return view;
}

static bool is_tiled(struct wm_rule_view view)
{
    struct wm_rule_kernel_totals kernel = {.name = "k"};
    wm_rule_kernel_totals_add(&kernel, &view);
    view.kernel = &kernel;
    return applies("shared-tile", &view);
}

Test(annotate_rules, shared_tile_for_bytes_that_warps_of_a_block_share)
{
    cr_expect(is_tiled(shared_load()));
    struct wm_rule_view view = shared_load();
    view.explained.block_first = 3201;
    cr_expect_not(is_tiled(view), "fewer than four times");
    view = shared_load();
    view.explained.block_other_warp = 6399;
    cr_expect_not(is_tiled(view), "mostly the same warp");
    view = shared_load();
    view.explained.regular = 49;
    cr_expect_not(is_tiled(view), "a gather");
    view = shared_load();
    view.tile_bytes = 4096;
    cr_expect_not(is_tiled(view), "a warp's registers have room for it");
    view = shared_load();
    view.ordered = true;
    cr_expect_not(is_tiled(view), "it is volatile");
    view = shared_load();
    view.explained.block_bytes = view.explained.block_first = view.explained.block_other_warp = 0;
    cr_expect_not(is_tiled(view), "nothing is known of its bytes");
}

Test(annotate_rules, shared_tile_where_it_relieves_what_is_busiest)
{
    struct wm_rule_kernel_totals kernel = {.name = "k"};
    struct wm_rule_view view = shared_load();
    cr_expect_not(applies("shared-tile", &view), "nothing is known of the kernel");
    view.kernel = &kernel;
    wm_rule_kernel_totals_add(&kernel, &view); // 400 lines; tiles leave 100
    struct wm_rule_view stream = load_of(4, 1, 0);
    stream.below_l1_bytes = 64 * 450;            // 450 cycles of the way to L2
    wm_rule_kernel_totals_add(&kernel, &stream); // and 100 lines: 500 in all, 200 are left
    cr_expect(applies("shared-tile", &view), "450 is nine tenths of 500");
    stream.counters = (struct wm_instruction_counters){0};
    stream.below_l1_bytes = 64;
    wm_rule_kernel_totals_add(&kernel, &stream);
    cr_expect_not(applies("shared-tile", &view), "the way to L2 is as busy as before");
    kernel = (struct wm_rule_kernel_totals){.name = "k"};
    view.below_l1_bytes = 64 * 1000; // of 3,200 bytes: L1 loses them again and again
    wm_rule_kernel_totals_add(&kernel, &view);
    wm_rule_kernel_totals_add(&kernel, &stream);
    cr_expect(applies("shared-tile", &view), "tiles save the way to L2");
}

Test(annotate_rules, privatise_from_a_quarter_of_the_lanes)
{
    struct wm_rule_view view = load_of(4, 1, 0);
    view.kind = WM_ACCESS_REDUCTION;
    view.counters.atomic_conflicts = 800; // of 3,200
    cr_expect(applies("privatise", &view));
    view.space = WM_SPACE_SHARED;
    cr_expect(applies("privatise", &view));
    view.counters.atomic_conflicts = 799;
    cr_expect_not(applies("privatise", &view));
    view.explained.atomic_other_warp = 1;
    cr_expect(applies("privatise", &view), "one more is behind another warp");
    view.counters.atomic_conflicts = 0;
    view.explained.atomic_other_warp = 800;
    cr_expect(applies("privatise", &view), "warps alone are behind each other");
    view = load_of(4, 1, 0);
    view.counters.atomic_conflicts = 3000;
    cr_expect_not(applies("privatise", &view), "no atomic");
}

// An L1 of 512 lines; of the load's 400 sectors half miss for capacity.
Test(annotate_rules, thrashing_is_reuse_within_four_times_l1)
{
    struct wm_rule_view view = load_of(4, 1, 200);
    view.l1_lines = 512;
    view.explained.levels[WM_LEVEL_L1].capacity = 200;
    view.explained.reuse_0 = 50;
    cr_expect(applies("thrashing-l1", &view), "no distance says it is far");
    view.explained.reuse_1024 = 50;
    cr_expect(applies("thrashing-l1", &view));
    view.explained.reuse_1024 = 0;
    view.explained.reuse_2048 = 50;
    cr_expect_not(applies("thrashing-l1", &view), "all of it comes back too late");
    view.explained.reuse_512 = 50;
    cr_expect(applies("thrashing-l1", &view), "half of 200 is a quarter of 400");
    view.explained.reuse_2048 = 51;
    cr_expect_not(applies("thrashing-l1", &view));
    view.explained.levels[WM_LEVEL_L1].conflict = 3;
    cr_expect(applies("thrashing-l1", &view), "conflicts count wherever they come back");
    view.explained.levels[WM_LEVEL_L1].conflict = 0;
    view.explained.reuse_256 = 100; // hits: they say nothing of the misses
    cr_expect_not(applies("thrashing-l1", &view));
    view.l1_lines = 500; // in the bucket from 256 on: it counts as late, within reach
    cr_expect(applies("thrashing-l1", &view));
}

Test(annotate_rules, bank_conflicts_from_a_quarter)
{
    struct wm_rule_view view = {
        .kind = WM_ACCESS_LOAD,
        .space = WM_SPACE_SHARED,
        .counters.executions = 75,
        .explained = {.regular = 75, .shared_passes = 100, .shared_replays = 25}};
    cr_expect(applies("bank-conflict", &view));
    view.explained.regular = 37;
    cr_expect_not(applies("bank-conflict", &view), "where they lie depends on data");
    view.explained.regular = 75;
    view.kind = WM_ACCESS_ATOMIC;
    cr_expect_not(applies("bank-conflict", &view));
    view.kind = WM_ACCESS_LOAD;
    view.explained.shared_replays = 24;
    cr_expect_not(applies("bank-conflict", &view));
}

Test(annotate_rules, every_rule_is_printed_and_says_a_sentence)
{
    struct wm_text text;
    struct wm_rule_kernel_totals others = {.name = "k", .lookups = 800};
    struct wm_rule_view view = load_of(8, 8, 0);
    view.kernel = &others;
    wm_text_init(&text);
    wm_annotate_rules(&text);
    for (uint32_t i = 0; i < wm_annotate_rule_count; i++) {
        cr_expect_not_null(strstr(text.data, wm_annotate_rule_table[i].name));
        cr_expect_gt(strlen(wm_annotate_rule_table[i].threshold), 20);
    }
    wm_text_release(&text);
    for (uint32_t i = 0; i < wm_annotate_rule_count; i++) {
        wm_text_init(&text);
        const struct wm_annotate_rule *rule = &wm_annotate_rule_table[i];
        rule->say(&view, &text);
        cr_assert_not(text.failed);
        cr_expect_gt(text.length, 40);
        size_t said = text.length;
        rule->saves(&view, &text);
        cr_expect_eq(strncmp(text.data + said, "saves ", 6), 0, "%s", text.data);
        cr_expect_gt(strlen(rule->computed), 20);
        cr_expect_null(strstr(text.data, "nan"));
        wm_text_release(&text);
    }
}

static struct wm_instruction_misses explained[4];
static struct wm_instruction_result instructions[4];
static struct wm_listing_line listing[5];
static struct wm_kernel_result kernel;
static struct wm_results results;
static struct wm_instruction_counter_set counted;

// Five instructions: a parameter, two loads of line 3, arithmetic on line 4, a store without place.
static void make_results(const char *file)
{
    static const uint32_t lines[5] = {2, 3, 3, 4, 0};
    static const char *const texts[5] = {"ld.param", "ld.global", "ld.global", "add", "st.global"};
    uint32_t next = 0;
    for (uint32_t i = 0; i < 4; i++)
        explained[i] = (struct wm_instruction_misses){.regular = 100};
    for (uint32_t i = 0; i < 5; i++) {
        listing[i] = (struct wm_listing_line){.pc = i,
                                              .ptx_line = 20 + i,
                                              .text = texts[i],
                                              .source_file = i < 4 ? file : NULL,
                                              .source_line = lines[i]};
        if (i == 3)
            continue;
        struct wm_rule_view view = load_of(8, 8, 0);
        instructions[next] =
            (struct wm_instruction_result){.pc = i,
                                           .ptx_line = 20 + i,
                                           .text = texts[i],
                                           .source_file = listing[i].source_file,
                                           .source_line = lines[i],
                                           .kind = i == 4 ? WM_ACCESS_STORE : WM_ACCESS_LOAD,
                                           .space = i == 0 ? WM_SPACE_PARAMETER : WM_SPACE_GLOBAL,
                                           .counters = view.counters,
                                           .explained = &explained[next]};
        next++;
    }
    kernel = (struct wm_kernel_result){.name = "k",
                                       .signature = "k()",
                                       .shown = {"k", "k", "k()"},
                                       .launches = 1,
                                       .instructions = instructions,
                                       .instruction_count = 4,
                                       .listing = listing,
                                       .listing_count = 5};
    const struct wm_memory_spec usual = {.levels[WM_LEVEL_L1].cache.present = true,
                                         .levels[WM_LEVEL_L2].cache.present = true};
    wm_instruction_counter_set_make(&usual, &counted);
    results = (struct wm_results){.machine_name = "test",
                                  .counted = &counted,
                                  .engine = "walk",
                                  .explained = true,
                                  .line_bytes = 128,
                                  .kernels = &kernel,
                                  .kernel_count = 1};
}

Test(annotate, instructions_of_one_line_are_added_up_and_the_rest_is_ptx)
{
    char path[] = "/tmp/annotateXXXXXX";
    int handle = mkstemp(path);
    FILE *stream = fdopen(handle, "w");
    fputs("// head\r\n__global__ void k()\n\tload;\nadd;\nafter\nfar\n", stream);
    fclose(stream);
    make_results(path);
    struct wm_annotation annotation;
    cr_assert(wm_annotation_init(&annotation, &results, NULL));
    cr_assert_eq(annotation.kernel_count, 1);
    cr_assert_eq(annotation.kernels[0].section_count, 2);
    const struct wm_annotated_section *source = &annotation.kernels[0].sections[0];
    cr_expect_str_eq(source->file, path);
    cr_assert_eq(source->line_count, 5, "a line around those with instructions");
    cr_expect_str_eq(source->lines[0].text, "// head");
    cr_expect_not(source->lines[1].has_memory, "parameters are not counted");
    cr_expect_eq(source->lines[2].accesses, 200);
    cr_expect_eq(source->lines[2].counters.sectors, 1600);
    cr_assert_eq(source->lines[2].advice_count, 1);
    cr_expect_str_eq(source->lines[2].advice[0].rule->name, "uncoalesced");
    cr_expect_eq(source->lines[2].advice[0].instructions, 2);
    cr_expect_eq(source->lines[2].advice[0].view.counters.executions, 200);
    const struct wm_annotated_section *ptx = &annotation.kernels[0].sections[1];
    cr_expect_null(ptx->file);
    cr_assert_eq(ptx->line_count, 1);
    cr_expect_eq(ptx->lines[0].number, 24);
    cr_expect_eq(ptx->lines[0].accesses, 100);
    wm_annotation_release(&annotation);
    unlink(path);
}

Test(annotate, without_its_source_all_of_a_kernel_is_ptx)
{
    make_results("/no/such/file.cu");
    struct wm_annotation annotation;
    cr_assert(wm_annotation_init(&annotation, &results, NULL));
    cr_assert_eq(annotation.kernels[0].section_count, 1);
    cr_assert_eq(annotation.kernels[0].sections[0].line_count, 5);
    cr_expect_eq(annotation.kernels[0].sections[0].lines[1].accesses, 100);
    wm_annotation_release(&annotation);
}

Test(annotate, text_keeps_to_its_columns)
{
    make_results("/no/such/file.cu");
    static const unsigned widths[] = {0, 70, 80, 200};
    for (int i = 0; i < 4; i++) {
        struct wm_text text;
        wm_text_init(&text);
        wm_annotate_text(&results, NULL, widths[i], false, &text);
        cr_assert_not(text.failed);
        cr_expect_not_null(strstr(text.data, "uncoalesced: "));
        size_t most = widths[i] == 0 ? 80 : widths[i];
        for (const char *line = text.data; line != NULL && *line != '\0';) {
            const char *end = strchr(line, '\n');
            cr_expect_leq((size_t)(end - line), most, "%.*s", (int)(end - line), line);
            cr_expect(end == line || end[-1] != ' ', "a blank at the end");
            line = end + 1;
        }
        wm_text_release(&text);
    }
}

Test(annotate, in_time_loads_have_cycles_and_servers_and_no_sharers)
{
    struct wm_annotate_columns columns;
    make_results("/no/such/file.cu");
    results.engine = "clock";
    results.notes_written_lines = true;
    wm_annotate_columns_make(&results, &columns);
    cr_assert_eq(columns.count, WM_ANNOTATE_DECLARED - 1);
    cr_expect_str_eq(columns.shown[8].head, "cycles");
    cr_expect_str_eq(columns.shown[9].head, "served by");
    cr_expect_str_eq(columns.shown[10].head, "unused");
    cr_expect_str_eq(columns.shown[11].head, "taken");
}

Test(annotate, cells_say_what_was_never_used_and_who_shares)
{
    struct wm_annotate_cell cells[WM_ANNOTATE_CELLS];
    struct wm_annotate_columns columns;
    struct wm_annotated_line line = {.has_memory = true, .accesses = 10};
    make_results("/no/such/file.cu");
    wm_annotate_columns_make(&results, &columns);
    cr_expect_eq(columns.count, WM_ANNOTATE_DECLARED - 5, "without coherence, not in time");
    results.notes_written_lines = true;
    wm_annotate_columns_make(&results, &columns);
    wm_annotate_cells_of(&columns, &line, cells);
    cr_assert_eq(columns.count, WM_ANNOTATE_DECLARED - 2, "the usual levels, not in time");
    for (uint32_t i = 0; i < columns.count; i++) {
        // Those of time stand before what was never used.
        const struct wm_report_column *declared = &wm_annotate_table.columns[i < 8 ? i : i + 2];
        cr_expect_str_eq(columns.shown[i].head, declared->head);
        cr_expect_str_eq(columns.shown[i].sentence, declared->sentence);
        cr_expect_eq(columns.shown[i].optional, declared->optional, "%s", declared->head);
        if (i > 0)
            cr_expect_str_empty(cells[i].text, "%s", declared->head);
    }
    line.explained.levels[WM_LEVEL_L1].fetched_bytes = 300;
    line.explained.levels[WM_LEVEL_SIDE].fetched_bytes = 100;
    line.explained.levels[WM_LEVEL_L1].unused_bytes = 200;
    line.explained.levels[WM_LEVEL_L2].unused_bytes = 1000; // not L1's
    line.explained.reads_private = 30;
    line.explained.reads_dynamic = 70;
    wm_annotate_cells_of(&columns, &line, cells);
    cr_expect_str_eq(cells[8].text, "50%");
    cr_expect_eq(cells[8].value, 50);
    cr_expect_str_eq(cells[9].text, "dynamic 70%");
    line.counters.copies_taken = 7;
    line.counters.coherence_misses = 120000;
    line.explained.true_sharing = 1;
    line.explained.false_sharing = 3;
    wm_annotate_cells_of(&columns, &line, cells);
    cr_expect_str_eq(cells[10].text, "7");
    cr_expect_str_eq(cells[11].text, "120 k");
    cr_expect_str_eq(cells[12].text, "75%");
    cr_expect_eq(cells[12].value, 25, "false sharing is waste");
    line.explained.levels[WM_LEVEL_L1].unused_bytes = 400;
    wm_annotate_cells_of(&columns, &line, cells);
    cr_expect_eq(cells[8].value, 0, "nothing used is as bad as nothing found");
}

// Four loads of a struct that lanes have 16 bytes apart, in whatever order they come.
Test(annotate, neighbouring_accesses_of_a_thread_are_one)
{
    make_results("/no/such/file.cu");
    static const char *const texts[4] = {"ld.global.f32 %f1, [%rd4+8]", "ld.global.f32 %f2, [%rd4]",
                                         "ld.global.f32 %f3, [%rd4+12]",
                                         "ld.global.f32 %f4, [%rd4+4]"};
    for (uint32_t i = 0; i < 4; i++) {
        struct wm_rule_view view = load_of(16, 4, 0);
        instructions[i].kind = WM_ACCESS_LOAD;
        instructions[i].space = WM_SPACE_GLOBAL;
        instructions[i].text = texts[i];
        instructions[i].counters = view.counters;
        explained[i].aligned_8 = i < 2 ? 100 : 0;
        explained[i].aligned_16 = i == 1 ? 100 : 0;
    }
    struct wm_annotation annotation;
    struct wm_arena arena;
    struct wm_annotate_kernel context;
    wm_arena_init(&arena);
    cr_assert(wm_annotate_kernel_init(&context, &arena, &results, &kernel));
    for (uint32_t i = 0; i < 4; i++) {
        cr_expect_eq(context.vectors[i], i == 1 ? 4 : 0, "%u", i);
        cr_expect(context.covered[i]);
    }
    cr_assert(wm_annotation_init(&annotation, &results, NULL));
    uint32_t advised = 0;
    for (uint32_t i = 0; i < annotation.kernels[0].sections[0].line_count; i++)
        advised += annotation.kernels[0].sections[0].lines[i].advice_count;
    cr_expect_eq(advised, 1);
    wm_annotation_release(&annotation);

    explained[1].aligned_16 = 99; // once not
    cr_assert(wm_annotate_kernel_init(&context, &arena, &results, &kernel));
    cr_expect_eq(context.vectors[1], 2, "two pairs are left");
    cr_expect_eq(context.vectors[0], 2);
    instructions[0].text = "ld.volatile.global.f32 %f1, [%rd4+8]";
    cr_assert(wm_annotate_kernel_init(&context, &arena, &results, &kernel));
    cr_expect_eq(context.vectors[0], 0);
    // Lanes side by side: the neighbours are other lanes'.
    for (uint32_t i = 0; i < 4; i++)
        instructions[i].counters.sectors = 400;
    cr_assert(wm_annotate_kernel_init(&context, &arena, &results, &kernel));
    cr_expect_eq(context.vectors[1], 0);
    wm_arena_release(&arena);
}
