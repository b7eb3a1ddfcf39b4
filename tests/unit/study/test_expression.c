// Metrics and claims: what is parsed, what is refused and where, and values known by hand.
#include "study/expressions/expression.h"

#include <criterion/criterion.h>
#include <math.h>

// Three workloads on two sizes of L2 and three mechanisms; the third only with the larger L2.
static const char *const sizes[] = {"128KiB", "1MiB"};
static const char *const mechanisms[] = {"base", "tracker", "tracker+bypass"};
static const struct wm_axis axes[] = {{"l2", sizes, 2}, {"mechanism", mechanisms, 3}};
static const char *const workloads[] = {"bfs", "lbm", "mri-q"};
static const char *const metrics[] = {"dram", "hits", "gaps"};
static const uint8_t machines[][WM_STUDY_MOST_AXES] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {1, 2}};
static const struct wm_expression_names names = {metrics, 3, workloads, 3, axes, 2, machines, 5};

// By machine as above; "gaps" is known of bfs alone.
static const double dram[3][5] = {
    {200, 150, 100, 90, 80},   // bfs
    {400, 400, 300, 300, 150}, // lbm
    {50, 50, 40, 40, 40},      // mri-q
};

static bool metric_of(const void *context, uint32_t metric, uint32_t workload, uint32_t machine,
                      double *value)
{
    (void)context;
    *value = metric == 1 ? (double)(10 * workload + machine) : dram[workload][machine];
    return metric != 2 || workload == 0;
}

static enum wm_verdict check(const char *text, char ours[400])
{
    struct wm_arena arena;
    struct wm_text said;
    struct wm_error error;
    const struct wm_expression *claim;
    const struct wm_expression_source source = {.metric = metric_of};
    size_t offset = 0;
    wm_arena_init(&arena);
    wm_text_init(&said);
    cr_assert_eq(wm_claim_parse(text, &names, &arena, &claim, &offset, &error), WM_OK, "%s: %s",
                 text, error.message);
    enum wm_verdict verdict = wm_claim_check(claim, &names, &source, &said);
    if (ours)
        snprintf(ours, 400, "%s", said.data);
    wm_text_release(&said);
    wm_arena_release(&arena);
    return verdict;
}

#define HOLDS(text) cr_expect_eq(check(text, NULL), WM_CLAIM_HOLDS, "%s", text)
#define FAILS(text) cr_expect_eq(check(text, NULL), WM_CLAIM_FAILS, "%s", text)
#define UNKNOWN(text) cr_expect_eq(check(text, NULL), WM_CLAIM_UNKNOWN, "%s", text)

Test(expression, arithmetic_of_numbers)
{
    HOLDS("1 + 2 * 3 = 7");
    HOLDS("(1 + 2) * 3 = 9");
    HOLDS("8 / 4 / 2 = 1");
    HOLDS("8 - 4 - 2 = 2");
    HOLDS("-2 * -3 = 6");
    HOLDS("25% = 0.25");
    HOLDS("1e3 = 1000");
    HOLDS("abs(3 - 5) = 2");
    HOLDS("min(3, 1, 2) = 1 and max(3, 1, 2) = 3");
    HOLDS("1 < 2 <= 2 != 3 >= 3 > 2");
    FAILS("1 < 3 < 2");
    HOLDS("0.98 within 0.05 of 1");
    FAILS("0.94 within 0.05 of 1");
}

Test(expression, truth_binds_as_it_is_written)
{
    HOLDS("1 = 1 or 1 = 2 and 1 = 2");
    FAILS("(1 = 1 or 1 = 2) and 1 = 2");
    HOLDS("not 1 = 2 and 1 = 1");
    FAILS("not (1 = 1 or 1 = 2)");
    HOLDS("not not 1 = 1");
}

Test(expression, functions_go_over_workloads)
{
    // 128 KiB: 0.75, 1, 1
    HOLDS("mean(dram[128KiB, tracker] / dram[128KiB, base]) within 1e-9 of 2.75 / 3");
    HOLDS("geomean(dram[128KiB, tracker] / dram[128KiB, base]) within 1e-9 of 0.9085602964");
    HOLDS("min(dram[128KiB, tracker] / dram[128KiB, base]) = 0.75");
    HOLDS("max(dram[128KiB, base]) = 400");
    HOLDS("sum(dram[128KiB, base]) = 650");
    HOLDS("argmin(dram[tracker+bypass] / dram[1MiB, base]) is lbm");
    HOLDS("argmax(dram[tracker+bypass] / dram[1MiB, base]) is bfs, mri-q");
    FAILS("argmin(dram[tracker+bypass] / dram[1MiB, base]) is bfs, mri-q");
    HOLDS("count(dram[128KiB, tracker] = dram[128KiB, base]) = 2");
    HOLDS("share(dram[128KiB, tracker] = dram[128KiB, base]) within 1e-9 of 2 / 3");
    HOLDS("any(dram[128KiB, base] > 399)");
    FAILS("all(dram[128KiB, base] > 51)");
    HOLDS("max(dram[128KiB, base] / mean(dram[128KiB, base])) within 1e-9 of 1200 / 650");
}

Test(expression, workloads_are_restricted)
{
    HOLDS("mean(dram[128KiB, base] on bfs, lbm) = 300");
    HOLDS("mean(dram[128KiB, base] except lbm) = 125");
    HOLDS("mean(dram[128KiB, base]) = 300 on bfs, lbm");
    HOLDS("mean(dram[128KiB, base] on bfs) = 200 except lbm");
    HOLDS("dram[bfs, 128KiB, base] = 200");
    HOLDS("dram[128KiB, tracker] = dram[128KiB, base] on lbm, mri-q");
    FAILS("dram[128KiB, tracker] = dram[128KiB, base]");
    HOLDS("dram[128KiB, tracker] = dram[128KiB, base] except bfs");
}

Test(expression, only_and_each)
{
    HOLDS("only bfs: dram[128KiB, tracker] < dram[128KiB, base]");
    FAILS("only bfs, lbm: dram[128KiB, tracker] < dram[128KiB, base]");
    FAILS("only lbm: dram[128KiB, tracker] < dram[128KiB, base]");
    HOLDS("each l2: only bfs: dram[tracker] < dram[base]");
    HOLDS("each l2: max(dram[tracker] / dram[base]) <= 1");
    FAILS("each l2: min(dram[tracker] / dram[base]) <= 0.8");
    HOLDS("each l2 in 128KiB: min(dram[tracker] / dram[base]) <= 0.8");
    HOLDS("each l2: each mechanism in base, tracker: dram[lbm] > 250");
    HOLDS("each mechanism: dram[1MiB] > 30");
}

Test(expression, functions_go_over_values_of_an_axis)
{
    char ours[400];
    HOLDS("max(dram[bfs, 1MiB] over mechanism) = 100");
    HOLDS("min(dram[bfs, 1MiB] over mechanism) = 80");
    HOLDS("sum(dram[bfs, 1MiB] over mechanism in base, tracker) = 190");
    HOLDS("count(dram[lbm, 1MiB] = 300 over mechanism) = 2");
    HOLDS("geomean(dram[base] over l2) within 1e-9 of 141.4213562373 on bfs");
    // Of each workload the best, and then over workloads.
    HOLDS("mean(min(dram[1MiB] over mechanism)) = 90");
    HOLDS("min(dram[1MiB] over mechanism) <= 150");
    HOLDS("each l2: max(dram[lbm] over mechanism in base, tracker) = dram[lbm, base]");
    UNKNOWN("max(gaps[lbm, 1MiB] over mechanism) > 0");
    check("max(dram[bfs, 1MiB] over mechanism) > min(dram[bfs, 1MiB] over mechanism)", ours);
    cr_expect_str_eq(ours, "100 (base) and 80 (tracker+bypass)");
    check("count(dram[lbm, 1MiB] = 300 over mechanism) = 2", ours);
    cr_expect_str_eq(ours, "2 (base 300, tracker 300, tracker+bypass 150)");
}

Test(expression, a_neutral_value_is_meant_where_its_axis_is_not_named)
{
    static const char *const loads[] = {"-", "a", "a+b"};
    static const struct wm_axis with[] = {{"l2", sizes, 2}, {"around", loads, 3}};
    static const uint8_t rows[][WM_STUDY_MOST_AXES] = {{0, 0}, {0, 1}, {0, 2}, {1, 0}};
    static const struct wm_expression_names neutral = {metrics, 3, workloads, 3, with, 2, rows, 4};
    static const struct {
        const char *selectors;
        uint32_t machine;
    } cases[] = {{"128KiB", 0}, {"128KiB, a+b", 2}, {"1MiB", 3}, {"1MiB, -", 3}};
    struct wm_error error;
    uint32_t machine = 0;
    size_t offset = 0;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cr_expect_eq(wm_machine_select(cases[i].selectors, &neutral, &machine, &offset, &error),
                     WM_OK);
        cr_expect_eq(machine, cases[i].machine, "%s: %u", cases[i].selectors, machine);
    }
    cr_expect_neq(wm_machine_select("1MiB, a", &neutral, &machine, &offset, &error), WM_OK);
}

Test(expression, what_is_unknown_stays_so_unless_the_rest_decides)
{
    UNKNOWN("mean(gaps[1MiB, base]) > 0");
    HOLDS("gaps[bfs, 1MiB, base] = 100");
    HOLDS("mean(gaps[1MiB, base] on bfs) = 100");
    UNKNOWN("1 / (dram[bfs, 1MiB, base] - 100) > 0");
    FAILS("gaps[lbm, 1MiB, base] > 0 and 1 = 2");
    HOLDS("gaps[lbm, 1MiB, base] > 0 or 1 = 1");
    UNKNOWN("gaps[lbm, 1MiB, base] > 0 and 1 = 1");
    FAILS("all(gaps[1MiB, base] > 100)");
    UNKNOWN("all(gaps[1MiB, base] > 99)");
    HOLDS("any(gaps[1MiB, base] > 99)");
    UNKNOWN("count(gaps[1MiB, base] > 99) = 1");
    UNKNOWN("not gaps[lbm, 1MiB, base] > 0");
    UNKNOWN("only bfs: gaps[1MiB, base] > 0");
    FAILS("only lbm: gaps[1MiB, base] > 0");
    UNKNOWN("geomean(dram[1MiB, base] - 40) > 0");
}

Test(expression, the_numbers_that_decide_are_shown)
{
    char ours[400];
    check("mean(dram[1MiB, tracker] / dram[1MiB, base]) <= 1", ours);
    cr_expect_str_eq(ours, "0.9667");
    check("max(dram[1MiB, tracker] / dram[1MiB, base]) <= 1", ours);
    cr_expect_str_eq(ours, "1 (lbm)");
    check("dram[bfs, 128KiB, base] < dram[lbm, 128KiB, base]", ours);
    cr_expect_str_eq(ours, "200 and 400");
    check("0.9 <= dram[bfs, 1MiB, tracker] / dram[bfs, 1MiB, base] <= 1", ours);
    cr_expect_str_eq(ours, "0.9");
    check("argmin(hits[1MiB, base]) is bfs", ours);
    cr_expect_str_eq(ours, "bfs (bfs 2, lbm 12, mri-q 22)");
    check("only bfs: dram[128KiB, tracker] < 200", ours);
    cr_expect_str_eq(ours, "bfs 150, lbm 400, mri-q 50");
    check("each l2: mean(dram[base] on bfs) > 0 and 1 = 1", ours);
    cr_expect_str_eq(ours, "128KiB: 200; 1MiB: 100");
    check("count(dram[1MiB, base] > 50) >= 2", ours);
    cr_expect_str_eq(ours, "2 (bfs 100, lbm 300, mri-q 40)");
    check("mean(gaps[1MiB, base]) > 0", ours);
    cr_expect_str_eq(ours, "not known: gaps of lbm on \"1MiB, base\"");
    check("1 / (hits[bfs, 128KiB, base]) > 0", ours);
    cr_expect_str_eq(ours, "not known: a division by zero");
}

// Refused at this byte, with these words in the message.
static void refuse(const char *text, size_t where, const char *words)
{
    struct wm_arena arena;
    struct wm_error error;
    const struct wm_expression *claim;
    size_t offset = 0;
    wm_arena_init(&arena);
    wm_error_clear(&error);
    enum wm_status status = wm_claim_parse(text, &names, &arena, &claim, &offset, &error);
    cr_expect_neq(status, WM_OK, "%s", text);
    cr_expect_eq(offset, where, "%s: at %zu", text, offset);
    cr_expect(strstr(error.message, words) != NULL, "%s: %s", text, error.message);
    wm_arena_release(&arena);
}

Test(expression, mistakes_have_a_place)
{
    refuse("", 0, "ends where a value is expected");
    refuse("1 +", 3, "ends where a value is expected");
    refuse("1 + 2", 2, "a number stands where a statement");
    refuse("(1 = 1", 6, "ends where \")\" is expected");
    refuse("1 = 1)", 5, "should end here");
    refuse("1 = 1 2", 6, "should end here");
    refuse("1MiB = 1", 0, "no number");
    refuse("drum[1MiB, base] = 1", 0, "no metric \"drum\"");
    refuse("dram[2MiB, base] = 1", 5, "\"2MiB\" is no value");
    refuse("dram[l3=1MiB, base] = 1", 5, "no axis \"l3\"");
    refuse("dram[l2=2MiB, base] = 1", 8, "no value of axis l2 \"2MiB\"");
    refuse("dram[1MiB, 128KiB] = 1", 11, "two values");
    refuse("dram[bfs, lbm, 1MiB, base] = 1", 10, "two workloads");
    refuse("dram[1MiB] = 1", 0, "3 machines of the study are [1MiB]");
    refuse("dram[128KiB, tracker+bypass] = 1", 0, "no machine of the study");
    refuse("each l2: dram[tracker+bypass] = 1", 9, "no machine of the study");
    refuse("dram[1MiB, base = 1", 11, "no axis \"base\"");
    refuse("dram[1MiB, base < 1", 16, "\"]\" is expected");
    refuse("mean(1) = 1", 0, "goes over workloads");
    refuse("mean(mean(dram[1MiB, base])) = 1", 0, "goes over workloads");
    refuse("only bfs: mean(dram[1MiB, base]) = 1", 0, "chooses workloads");
    refuse("all(dram[1MiB, base]) and 1 = 1", 4, "a number stands where a statement");
    refuse("mean(dram[1MiB, base] > 1) = 1", 22, "a statement stands where a number");
    refuse("argmin(dram[1MiB, base]) < 1", 0, "a workload stands where a number");
    refuse("dram[1MiB, base] is bfs", 0, "a number stands where a workload");
    refuse("average(dram[1MiB, base]) = 1", 0, "no function \"average\"");
    refuse("dram[1MiB, base] = 1 on", 23, "a name is expected");
    refuse("dram[1MiB, base] = 1 on lbn", 24, "no workload \"lbn\"");
    refuse("dram[1MiB, base] = 1 except bfs, lbm, mri-q", 27, "no workload is left");
    refuse("only lbm dram[1MiB, base] = 1", 9, "\":\" is expected");
    refuse("each l3: 1 = 1", 5, "no axis \"l3\"");
    refuse("max(dram[bfs, 1MiB] over l3) = 1", 25, "no axis \"l3\"");
    refuse("max(dram[bfs, 1MiB] over mechanism in lru) = 1", 38, "no value of this axis \"lru\"");
    refuse("max(dram[bfs, 1MiB, base] over mechanism) = 1", 0, "the same for each value");
    refuse("max(dram[bfs, 128KiB] over mechanism) = 1", 4, "no machine of the study");
    refuse("argmax(dram[bfs, 1MiB] over mechanism) is bfs", 0, "finds workloads");
    refuse("1 within 2", 10, "ends where \"of\"");
    refuse("and", 0, "stands where a value is expected");
}

Test(expression, depth_and_length_have_limits)
{
    char deep[600];
    memset(deep, '(', 200);
    memcpy(deep + 200, "1", 2);
    refuse(deep, 50, "nested too deeply");
    memset(deep, '-', 200);
    refuse(deep, 50, "nested too deeply");
    static char longest[5000];
    memset(longest, ' ', sizeof longest - 1);
    refuse(longest, 0, "longer than");
    refuse("max(max(max(max(dram[1MiB, base])))) = 1", 12, "more than 3 functions");
}

// ---- A whole paper ------------------------------------------------------------------------------

Test(expression, every_kind_of_claim_of_the_first_study_can_be_said)
{
    static const char *const l2[] = {"128KiB", "256KiB", "512KiB", "1MiB"};
    static const char *const mechanism[] = {"base",         "tracker",    "tracker+policy",
                                            "l2-bypass",    "one-sharer", "two-trackers",
                                            "four-trackers"};
    static const struct wm_axis paper_axes[] = {{"l2", l2, 4}, {"mechanism", mechanism, 7}};
    static const char *const programs[] = {"bfs",  "cutcp", "gridding", "histo",  "lbm",
                                           "mriq", "sgemm", "spmv",     "stencil"};
    static const char *const measures[] = {
        "dram",      "energy",         "misses",      "energy_dram", "energy_l1",
        "energy_l2", "energy_tracker", "energy_wire", "area_st",     "area_l2"};
    static uint8_t rows[28][WM_STUDY_MOST_AXES];
    static const char *const claims[] = {
        "1 - mean(dram[128KiB, tracker] / dram[128KiB, base]) within 3% of 9%",
        "dram[128KiB, tracker] / dram[256KiB, base] <= 1.1 on bfs, cutcp, histo, mriq, spmv",
        "each l2: dram[lbm, tracker] / dram[lbm, base] >= 0.95",
        "mean(dram[1MiB, tracker+policy] / dram[1MiB, base]) <= 0.85",
        "1 - mean(energy[1MiB, tracker+policy] / energy[1MiB, tracker]) within 5% of 25%",
        "mean(dram[256KiB, tracker+policy]) / mean(dram[1MiB, base]) within 0.1 of 1",
        "each l2 in 128KiB, 256KiB, 512KiB: argmin(dram[tracker+policy] / dram[tracker]) is lbm",
        "each l2: dram[tracker+policy] / dram[tracker] within 2% of 1 on cutcp, sgemm, stencil",
        "mean(misses[1MiB, tracker+policy] - misses[1MiB, tracker]) <= 0.05",
        "only bfs, cutcp, spmv: dram[1MiB, l2-bypass] < dram[1MiB, tracker+policy]",
        "only cutcp: abs(dram[1MiB, one-sharer] / dram[1MiB, tracker] - 1) >= 0.02",
        "each mechanism in two-trackers, four-trackers: only cutcp, sgemm: dram[1MiB] / "
        "dram[1MiB, tracker] > 1.02",
        "share((energy_dram[1MiB, base] + energy_l1[1MiB, base]) / energy[1MiB, base] > 0.5) >= "
        "0.9 and max(energy_wire[1MiB, tracker] / energy[1MiB, tracker]) < 0.02",
        "energy_l2[1MiB, tracker+policy] < energy_l2[1MiB, base] on bfs, histo, sgemm",
        "1 - mean(energy[1MiB, tracker+policy] / energy[1MiB, base]) within 5% of 28%",
        "each l2: max(area_st[tracker] / area_l2[tracker]) < 0.2 and max(energy_tracker[tracker] "
        "/ energy_l2[tracker]) < 0.1",
    };
    for (uint8_t i = 0; i < 28; i++) {
        rows[i][0] = i / 7;
        rows[i][1] = i % 7;
    }
    const struct wm_expression_names paper = {
        measures, 10, programs, 9, paper_axes, 2, (const uint8_t(*)[WM_STUDY_MOST_AXES])rows, 28};
    for (size_t i = 0; i < sizeof claims / sizeof claims[0]; i++) {
        struct wm_arena arena;
        struct wm_error error;
        const struct wm_expression *claim;
        size_t offset = 0;
        wm_arena_init(&arena);
        wm_error_clear(&error);
        cr_expect_eq(wm_claim_parse(claims[i], &paper, &arena, &claim, &offset, &error), WM_OK,
                     "%s: at %zu: %s", claims[i], offset, error.message);
        wm_arena_release(&arena);
    }
}

// ---- Metrics ------------------------------------------------------------------------------------

static bool counter_of(const void *context, const char *path, double *value)
{
    (void)context;
    *value = strcmp(path, "l1.hits") == 0 ? 30 : 10;
    return strcmp(path, "l1.nothing") != 0;
}

static bool measure(const char *text, double *value)
{
    struct wm_arena arena;
    struct wm_error error;
    const struct wm_expression *metric;
    const struct wm_expression_source source = {metric_of, counter_of, NULL};
    size_t offset = 0;
    wm_arena_init(&arena);
    cr_assert_eq(wm_metric_parse(text, &names, &arena, &metric, &offset, &error), WM_OK, "%s",
                 error.message);
    bool known = wm_metric_value(metric, &source, value);
    wm_arena_release(&arena);
    return known;
}

Test(expression, metrics_are_arithmetic_on_counters)
{
    double value;
    cr_expect(measure("l1.misses / (l1.hits + l1.misses)", &value));
    cr_expect_eq(value, 0.25);
    cr_expect(measure("max(l1.hits, l1.\"misses\", 7) - 1", &value));
    cr_expect_eq(value, 29);
    cr_expect(measure("dram + 1", &value), "a metric before it");
    cr_expect_not(measure("l1.hits / (l1.misses - 10)", &value));
    cr_expect_not(measure("l1.nothing * 0", &value));
}

Test(expression, metrics_refuse_what_claims_have)
{
    static const char *const wrong[] = {"l1.hits < 3", "mean(l1.hits)", "not l1.hits",   "l1.",
                                        "l1.\"a.b\"",  "dram[1MiB]",    "l1.hits on bfs"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct wm_arena arena;
        const struct wm_expression *metric;
        size_t offset = 0;
        wm_arena_init(&arena);
        cr_expect_neq(wm_metric_parse(wrong[i], &names, &arena, &metric, &offset, NULL), WM_OK,
                      "%s", wrong[i]);
        wm_arena_release(&arena);
    }
}

Test(expression, a_machine_by_its_values)
{
    uint32_t machine;
    size_t offset;
    cr_expect_eq(wm_machine_select("tracker, 128KiB", &names, &machine, &offset, NULL), WM_OK);
    cr_expect_eq(machine, 1);
    cr_expect_eq(wm_machine_select("tracker+bypass", &names, &machine, &offset, NULL), WM_OK);
    cr_expect_eq(machine, 4);
    cr_expect_eq(wm_machine_select("tracker", &names, &machine, &offset, NULL), WM_INVALID);
    cr_expect_neq(wm_machine_select("bfs, tracker, 1MiB", &names, &machine, &offset, NULL), WM_OK);
}
