// A study file read whole: machines of the cross, metrics of results, and where mistakes are.
#include "study/file/metric_counters.h"
#include "study/file/points.h"
#include "study/file/study_file.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#define HEAD "study: s\nworkloads: {w: a.cu --n 1}\n"
#define METRICS "metrics: {dram: dram.bytes_read}\n"

static enum wm_status read_study(struct wm_study *study, const char *text, struct wm_error *error)
{
    return wm_study_read_text(study, text, strlen(text), "s.yaml", error);
}

static void read_good(struct wm_study *study, const char *text)
{
    struct wm_error error;
    char shown[4096];
    cr_assert_eq(read_study(study, text, &error), WM_OK, "%s",
                 wm_error_format(&error, shown, sizeof shown));
}

Test(study_file, machines_are_the_cross_product_first_axis_slowest)
{
    static const char *const labels[] = {"a, x", "a, y", "b, x", "b, y"};
    struct wm_study study;
    read_good(&study,
              HEAD METRICS "machines:\n  base: gtx480\n  set: gpu.sm.count=2\n  axes:\n"
                           "    l2: {a: gpu.l2.size=96KiB, b: []}\n"
                           "    p: {x: [], y: [gpu.l2.replacement=fifo, gpu.sm.count=3]}\n");
    cr_assert_eq(study.machine_count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        cr_expect_str_eq(study.machines[i].label, labels[i]);
        bool fifo = strstr(study.machines[i].description, "replacement: fifo") != NULL;
        cr_expect_eq(fifo, i % 2 == 1);
        cr_expect_eq(strstr(study.machines[i].description, "    count: 3 ") != NULL, fifo,
                     "an axis' settings come after the common ones");
        for (uint32_t j = 0; j < i; j++)
            cr_expect_str_neq(study.machines[i].hash, study.machines[j].hash);
    }
    cr_expect(strstr(study.recorded_on, "    count: 2 ") != NULL);
    wm_study_release(&study);
}

Test(study_file, a_cross_selects)
{
    static const char *const labels[] = {"a, x", "a, y", "b, y"};
    struct wm_study study;
    read_good(&study,
              HEAD METRICS "machines:\n  axes:\n    l2: {a: [], b: gpu.l2.replacement=fifo}\n"
                           "    p: {x: [], y: {machine: h100}}\n"
                           "  cross:\n    - {p: y}\n    - {l2: a, p: [x, y]}\n");
    cr_assert_eq(study.machine_count, 3);
    for (uint32_t i = 0; i < 3; i++)
        cr_expect_str_eq(study.machines[i].label, labels[i]);
    cr_expect(strstr(study.machines[1].description, "\nname: h100") != NULL);
    wm_study_release(&study);
}

Test(study_file, an_axis_of_all_sets_of_a_list)
{
    static const char *const labels[] = {"small", "small, a", "small, b", "small, a+b", "large"};
    static const char *const lists[] = {"none", "k:pc1", "k:pc2", "k:pc1,k:pc2", "none"};
    struct wm_study study;
    read_good(
        &study, HEAD METRICS
        "machines:\n  axes:\n    l2: {small: [], large: gpu.l2.replacement=fifo}\n"
        "    around:\n      subsets: {key: gpu.l1.bypass_list, with: gpu.l1.bypass=per-pc,\n"
        "        of: {a: \"k:pc1\", b: \"k:pc2\"}}\n"
        "  cross:\n    - {l2: small, around: \"*\"}\n    - {l2: large}\n"
        "figures:\n  f: {metric: dram, machines: {l2: [small, large]}}\n"
        "  g: {metric: dram, x: around, machines: {l2: small, around: \"*\"}, mean: geometric}\n"
        "claims: {c: {text: t, claim: \"max(dram[small] over around) > dram[large]\"}}\n");
    cr_assert_eq(study.machine_count, 5);
    for (uint32_t i = 0; i < 5; i++) {
        char line[64];
        snprintf(line, sizeof line, "bypass_list: \"%s\"", lists[i]);
        cr_expect_str_eq(study.machines[i].label, labels[i]);
        cr_expect(strstr(study.machines[i].description, line) != NULL, "%s", line);
        cr_expect_eq(strstr(study.machines[i].description, "bypass: per-pc") != NULL,
                     i != 0 && i != 4);
    }
    cr_expect(strstr(study.figures[0].specification, "[\"small\", \"large\"]") != NULL, "%s",
              study.figures[0].specification);
    cr_expect(strstr(study.figures[0].specification, "\"mean_kind\": \"arithmetic\"") != NULL);
    cr_expect(strstr(study.figures[1].specification, "\"small, a+b\"") != NULL);
    cr_expect(strstr(study.figures[1].specification, "\"mean_kind\": \"geometric\"") != NULL);
    wm_study_release(&study);
}

// ---- Choices ------------------------------------------------------------------------------------

#define CHOSEN_MACHINES                                                                   \
    "study: s\nworkloads: {w: a.cu, v: b.cu, u: c.cu}\n" METRICS                          \
    "machines:\n  axes:\n    l2: {a: [], b: gpu.l2.replacement=fifo}\n    p: {x: [], y: " \
    "gpu.sm.count=3}\n"

static char choices_folder[] = "/tmp/warpmem-choices-XXXXXX";
static char choices_file[64];

static void write_choices(const char *text)
{
    FILE *file = fopen(choices_file, "w");
    cr_assert_not_null(file);
    fputs(text, file);
    cr_assert_eq(fclose(file), 0);
}

static void begin_choices(void)
{
    cr_assert_not_null(mkdtemp(choices_folder));
    snprintf(choices_file, sizeof choices_file, "%s/by.yaml", choices_folder);
}

static void end_choices(void)
{
    unlink(choices_file);
    rmdir(choices_folder);
}

static enum wm_status read_choices(struct wm_study *study, const char *choices, const char *rest,
                                   struct wm_error *error)
{
    char text[2048], path[64];
    snprintf(path, sizeof path, "%s/s.yaml", choices_folder);
    snprintf(text, sizeof text, CHOSEN_MACHINES "%s%s", choices, rest);
    return wm_study_read_text(study, text, strlen(text), path, error);
}

Test(choices, stand_for_a_machine_by_workload, .init = begin_choices, .fini = end_choices)
{
    struct wm_study study;
    struct wm_error error;
    write_choices("w: more\n# of v nothing is known\nu: less\n");
    cr_assert_eq(
        read_choices(&study, "choices: {l2: {c: {by: by.yaml, values: {more: b, less: a}}}}\n",
                     "figures: {f: {metric: dram, machines: {p: x}, workloads: [u, w], mean: "
                     "geometric}, g: {metric: dram}}\n"
                     "claims: {k: {text: t, claim: \"all(dram[c, y] > dram[a, x]) on w, u\"}}\n",
                     &error),
        WM_OK, "%s: %s", error.place, error.message);
    cr_assert_eq(study.machine_count, 4, "no machine more");
    cr_assert_eq(study.choice_count, 2, "beside each value of the other axis");
    cr_expect_str_eq(wm_study_machine_label(&study, 4), "c, x");
    cr_expect_str_eq(wm_study_machine_label(&study, 5), "c, y");
    cr_expect_eq(wm_study_machine_of(&study, "c, y"), 5);
    cr_expect_eq(wm_study_machine_of(&study, "a, y"), 1);
    cr_expect_eq(wm_study_machine_of(&study, "d"), 6);
    // Machines: a x, a y, b x, b y. Workloads: w, v, u.
    static const uint32_t expected[2][3] = {{2, WM_STUDY_NO_MACHINE, 0},
                                            {3, WM_STUDY_NO_MACHINE, 1}};
    for (uint32_t c = 0; c < 2; c++)
        for (uint32_t w = 0; w < 3; w++)
            cr_expect_eq(wm_study_machine_for(&study, 4 + c, w), expected[c][w]);
    cr_expect_eq(wm_study_machine_for(&study, 3, 1), 3, "a machine is itself");
    cr_expect_not_null(strstr(study.figures[0].specification, "[\"a, x\", \"b, x\", \"c, x\"]"));
    cr_expect_not_null(strstr(study.figures[0].specification,
                              "\"choices\": {\"c, x\": {\"u\": \"a, x\", \"w\": \"b, x\"}}"));
    cr_expect_null(strstr(study.figures[1].specification, "\"c, x\""),
                   "all machines are no choice");
    // What they are made of is run, and no point of theirs.
    uint8_t points[3 * 4] = {0};
    static const uint8_t of_claim[3 * 4] = {1, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0};
    wm_study_points_of_claim(&study, &study.claims[0], points);
    cr_expect_eq(memcmp(points, of_claim, sizeof points), 0);
    memset(points, 0, sizeof points);
    static const uint8_t of_figure[3 * 4] = {1, 0, 1, 0, 0, 0, 0, 0, 1, 0, 1, 0};
    cr_assert_eq(wm_study_points_of_figure(&study, &study.figures[0], points, &error), WM_OK);
    cr_expect_eq(memcmp(points, of_figure, sizeof points), 0);
    wm_study_release(&study);
}

// `file` is what the choice's file has.
static void refuse_choices(const char *file, const char *choices, const char *rest,
                           const char *place, const char *message)
{
    struct wm_study study;
    struct wm_error error;
    write_choices(file);
    cr_assert_neq(read_choices(&study, choices, rest, &error), WM_OK, "%s", choices);
    size_t length = strlen(error.place), end = strlen(place);
    cr_expect(length >= end && strcmp(error.place + length - end, place) == 0, "%s at %s",
              error.message, error.place);
    cr_expect_not_null(strstr(error.message, message), "%s", error.message);
    wm_study_release(&study);
}

#define GOOD_CHOICE "choices: {l2: {c: {by: by.yaml, values: {more: b, less: a}}}}\n"

Test(choices, mistakes_have_a_place, .init = begin_choices, .fini = end_choices)
{
    refuse_choices("z: more\n", GOOD_CHOICE, "", "/by.yaml:1:1", "no workload \"z\"");
    refuse_choices("w: more\nu: most\n", GOOD_CHOICE, "", "/by.yaml:2:4", "\"most\" is nothing");
    refuse_choices("w: [more]\n", GOOD_CHOICE, "", "/by.yaml:1:4", "nothing that c knows");
    refuse_choices("- w\n", GOOD_CHOICE, "", "/by.yaml:1:1", "");
    refuse_choices("", "choices: {l3: {c: {by: by.yaml}}}\n", "", "/s.yaml:8:11", "l3");
    refuse_choices("", "choices: {l2: {c: {values: {more: b}}}}\n", "", "/s.yaml:8:16", "\"by\"");
    refuse_choices("", "choices: {l2: {c: {by: by.yaml}}}\n", "", "/s.yaml:8:16", "\"values\"");
    refuse_choices("", "choices: {l2: {b: {by: by.yaml, values: {more: b}}}}\n", "", "/s.yaml:8:16",
                   "a value \"b\" already");
    refuse_choices("", "choices: {l2: {c: {by: by.yaml, values: {more: d}}}}\n", "", "/s.yaml:8:48",
                   "no value \"d\"");
    refuse_choices("", "choices: {l2: {c: {by: none.yaml, values: {more: b}}}}\n", "",
                   "/s.yaml:8:24", "file of choices");
    refuse_choices("w: more\n", GOOD_CHOICE,
                   "figures: {f: {metric: dram, machines: {l2: c}, workloads: v}}\n",
                   "/s.yaml:9:14", "chooses nothing for workload \"v\"");
    refuse_choices("w: more\n", GOOD_CHOICE,
                   "figures: {f: {metric: dram, machines: {l2: c}, workloads: w, x: p}}\n",
                   "/s.yaml:9:65", "no place on axis p");
    refuse_choices("w: more\n", GOOD_CHOICE,
                   "figures: {f: {metric: dram, normalise: \"c, x\", workloads: w}}\n",
                   "/s.yaml:9:40", "not by the choice");
    refuse_choices("w: more\n", "  cross: [{l2: a}]\n" GOOD_CHOICE, "", "/s.yaml:9:16",
                   "no machines of the study");
}

// ---- Numbers of a file --------------------------------------------------------------------------

#define GIVEN_MACHINES                                                           \
    "study: s\nworkloads: {w: a.cu, v: b.cu}\nmachines: {axes: {l2: {a: [], b: " \
    "gpu.l2.replacement=fifo}}}\nmetrics:\n  m: l1.hits\n"

static enum wm_status read_given(struct wm_study *study, const char *file, const char *metric,
                                 struct wm_error *error)
{
    char text[1024], path[64];
    write_choices(file);
    snprintf(path, sizeof path, "%s/s.yaml", choices_folder);
    snprintf(text, sizeof text, GIVEN_MACHINES "  given: {%s}\n  twice: 2 * given\n", metric);
    return wm_study_read_text(study, text, strlen(text), path, error);
}

Test(numbers, are_of_a_point, .init = begin_choices, .fini = end_choices)
{
    struct wm_study study;
    struct wm_error error;
    char text[128];
    cr_assert_eq(read_given(&study, "a: {w: 1.5, v: -2}\nb: {v: 0.25}\n", "by: by.yaml", &error),
                 WM_OK, "%s: %s", error.place, error.message);
    // By point: w on a, w on b, v on a, v on b.
    static const double expected[] = {1.5, NAN, -2, 0.25};
    json_t *json = json_object();
    for (size_t point = 0; point < 4; point++) {
        double values[WM_STUDY_MOST_METRICS];
        bool known[WM_STUDY_MOST_METRICS];
        wm_study_metric_values(&study, point, json, values, known);
        bool there = !isnan(expected[point]);
        cr_expect_eq(known[1], there);
        cr_expect_eq(known[2], there, "what is made of it, too");
        cr_expect(!there || (values[1] == expected[point] && values[2] == 2 * expected[point]));
    }
    json_decref(json);
    snprintf(text, sizeof text, "%s", study.metrics[1].text);
    wm_study_release(&study);
    cr_assert_eq(read_given(&study, "a: {w: 1.25, v: -2}\nb: {v: 0.25}\n", "by: by.yaml", &error),
                 WM_OK);
    cr_expect_str_neq(study.metrics[1].text, text, "other numbers are another metric");
    wm_study_release(&study);
}

Test(numbers, mistakes_have_a_place, .init = begin_choices, .fini = end_choices)
{
    static const struct {
        const char *file, *metric, *place, *message;
    } bad[] = {
        {"a: {z: 1}\n", "by: by.yaml", "/by.yaml:1:5", "no workload \"z\""},
        {"a: {w: one}\n", "by: by.yaml", "/by.yaml:1:8", "no number"},
        {"a: {w: inf}\n", "by: by.yaml", "/by.yaml:1:8", "no number"},
        {"a: {w: 1}\nc: {w: 1}\n", "by: by.yaml", "/by.yaml:2:1", "\"c\""},
        {"a: 1\n", "by: by.yaml", "/by.yaml:1:4", "a number for each workload"},
        {"a: {w: 1}\n", "by: by.yaml, value: l1.hits", "/s.yaml:6:11", "a value already"},
        {"a: {w: 1}\n", "by: none.yaml", "/s.yaml:6:15", "file of numbers"},
        {"a: {w: 1}\n", "title: t", "/s.yaml:6:3", "\"value\" is missing"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct wm_study study;
        struct wm_error error;
        cr_assert_neq(read_given(&study, bad[i].file, bad[i].metric, &error), WM_OK, "%zu", i);
        size_t length = strlen(error.place), end = strlen(bad[i].place);
        cr_expect(length >= end && strcmp(error.place + length - end, bad[i].place) == 0,
                  "%zu: %s at %s", i, error.message, error.place);
        cr_expect_not_null(strstr(error.message, bad[i].message), "%s", error.message);
        wm_study_release(&study);
    }
}

// ---- Machines -----------------------------------------------------------------------------------

Test(study_file, without_axes_there_is_the_base)
{
    struct wm_study study;
    read_good(&study, HEAD METRICS "machines: {base: gtx480}\n"
                                   "claims: {c: {text: t, claim: mean(dram) > 0}}\n");
    cr_assert_eq(study.machine_count, 1);
    cr_expect_str_eq(study.machines[0].label, "gtx480");
    cr_expect_eq(study.claim_count, 1);
    wm_study_release(&study);
}

Test(study_file, workloads_in_one_line_or_by_keys)
{
    struct wm_study study;
    read_good(&study,
              "study: s\nworkloads:\n  a: a.cu --n 1\n  b: {command: ./b, arguments: "
              "[x y, z]}\n  c: {source: c.cu, options: -O1 -DX}\n" METRICS "machines: {}\n");
    cr_assert_eq(study.workload_count, 3);
    cr_expect_str_eq(study.workloads[0].source, "a.cu");
    cr_expect_eq(study.workloads[0].arguments.count, 2);
    cr_expect_str_eq(study.workloads[1].command, "./b");
    cr_expect_str_eq(study.workloads[1].arguments.items[0], "x y");
    cr_expect_eq(study.workloads[2].options.count, 2);
    wm_study_release(&study);
}

static const char results[] =
    "{\"host_to_device_bytes\": 7, \"energy\": {\"dynamic_pj\": 2.5, \"structures\": ["
    "{\"structure\": \"l2\", \"reads\": 3}, {\"structure\": \"dram\", \"reads\": 4}]},"
    "\"kernels\": ["
    "{\"launches\": 2, \"energy\": {\"dynamic_pj\": 1.5}, \"components\": ["
    "{\"kind\": \"dram\", \"counters\": {\"bytes_read\": 10}},"
    "{\"kind\": \"dram\", \"counters\": {\"bytes_read\": 20}},"
    "{\"kind\": \"l2\", \"counters\": {\"bytes_read\": 1000}}]},"
    "{\"launches\": 3, \"energy\": {\"dynamic_pj\": 0.5}, \"components\": ["
    "{\"kind\": \"dram\", \"counters\": {\"bytes_read\": 5}}],"
    "\"instructions\": [{\"counters\": {\"sectors\": 1, \"l2.bytes\": 64}},"
    "{\"counters\": {\"sectors\": 2}}], \"fetches\": {\"counters\": {\"l2.bytes\": 128}}}],"
    "\"components\": [{\"kind\": \"dram\", \"counters\": {\"bytes_read\": 99}}]}";

Test(study_file, counters_are_summed_over_kernels_and_components)
{
    static const struct {
        const char *path;
        double value;
    } cases[] = {
        {"dram.bytes_read", 35},          {"run.dram.bytes_read", 99},
        {"kernels.launches", 5},          {"host.host_to_device_bytes", 7},
        {"energy.dynamic_pj", 2.5},       {"energy.structures.dram.reads", 4},
        {"kernels.energy.dynamic_pj", 2}, {"l1.hits", 0},
        {"instruction.sectors", 3},       {"instruction.l2.bytes", 192},
    };
    double value;
    json_t *json = json_loads(results, 0, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        cr_expect(wm_study_counter(json, cases[i].path, &value), "%s", cases[i].path);
        cr_expect_eq(value, cases[i].value, "%s: %g", cases[i].path, value);
    }
    cr_expect_not(wm_study_counter(json, "energy.leakage_pj", &value));
    cr_expect_not(wm_study_counter(json, "kernels.energy.time_s", &value));
    json_decref(json);
}

Test(study_file, metrics_use_the_ones_before_them)
{
    struct wm_study study;
    double values[WM_STUDY_MOST_METRICS];
    bool known[WM_STUDY_MOST_METRICS];
    read_good(&study, HEAD "machines: {}\nmetrics:\n  a: dram.bytes_read\n  b: a / kernels.launches"
                           "\n  c: energy.leakage_pj\n  d: c + a\n");
    json_t *json = json_loads(results, 0, NULL);
    wm_study_metric_values(&study, 0, json, values, known);
    cr_expect(known[0] && known[1] && !known[2] && !known[3]);
    cr_expect_eq(values[1], 7);
    json_decref(json);
    wm_study_release(&study);
}

// Levels are those of the study's machines; a name that a counter had says which it has.
Test(study_file, counters_of_instructions_are_known_by_their_names)
{
    struct wm_study study;
    struct wm_error error;
    read_good(&study,
              HEAD "machines: {}\nmetrics:\n  a: instruction.l1.hits + instruction.dram.bytes\n"
                   "  b: instruction.sectors / instruction.executions\n");
    wm_study_release(&study);
    cr_expect_neq(
        read_study(&study, HEAD "machines: {}\nmetrics: {a: instruction.bytes_l1_l2}\n", &error),
        WM_OK);
    cr_expect_str_eq(error.hint, "it is called instruction.l2.bytes");
    wm_study_release(&study);
}

// Refused, with this place and these words.
static void refuse(const char *text, const char *place, const char *words)
{
    struct wm_study study;
    struct wm_error error;
    cr_expect_neq(read_study(&study, text, &error), WM_OK, "%s", text);
    cr_expect_str_eq(error.place, place, "%s: %s: %s", text, error.place, error.message);
    cr_expect(strstr(error.message, words), "%s: %s", text, error.message);
    wm_study_release(&study);
}

Test(study_file, mistakes_have_a_place)
{
    refuse("", "s.yaml:1:1", "no keys");
    refuse("a: [", "s.yaml:2:1", "not well-formed");
    refuse("study: s\n*a : 1\n", "s.yaml:2:1",
           "the anchor or alias \"a\" has no place in a study file");
    refuse("study: {a: b}\n", "s.yaml:1:8", "takes a value");
    refuse(HEAD METRICS "machines: {}\nclaims: {c: {text: t}}\n", "s.yaml:5:10", "\"claim\"");
    refuse(HEAD METRICS "machines: {}\nclaims:\n  c: {text: t, claim: \"1 <\"}\n", "s.yaml:6:27",
           "ends where a value");
    refuse(HEAD METRICS
           "machines: {}\nclaims:\n  c:\n    text: t\n    claim: >\n      1 <\n      2 +\n",
           "s.yaml:8:12", "ends where a value");
    refuse(HEAD "machines: {}\nmetrics: {a: l1.hots}\n", "s.yaml:4:14", "no counter");
    refuse(HEAD "machines: {}\nmetrics: {a: instruction.l3.hits}\n", "s.yaml:4:14", "no counter");
    refuse(HEAD "machines: {}\nmetrics: {\"\xc3\xa4\": a, b: \"l1.hits + c\"}\n", "s.yaml:4:11",
           "no name of a metric");
    refuse(HEAD METRICS "machines: {axes: {l2: {a: gpu.l2.size=1KiB}}}\n", "s.yaml:4:27",
           "machine");
    refuse(HEAD "machines: {}\nmetrics: {a: energy.dynamic}\n", "s.yaml:4:14", "no counter");
    refuse(HEAD "machines: {}\nmetrics: {a: energy.structures.l3.reads}\n", "s.yaml:4:14",
           "no counter");
    refuse(HEAD "machines: {}\nmetrics: {a: kernels.energy.structures.l2}\n", "s.yaml:4:14",
           "no counter");
    refuse(HEAD METRICS "machines: {axes: {}}\n", "s.yaml:4:18", "nothing");
    refuse(HEAD METRICS "machines: {axes: {l: {subsets: {key: gpu.l1.bypass_list}}}}\n",
           "s.yaml:4:23", "\"of\" is missing");
    refuse(HEAD METRICS "machines: {axes: {l: {subsets: {key: gpu.l1.size, of: {a: 3KiB}}}}}\n",
           "s.yaml:4:55", "machine \"a\"");
    refuse(HEAD METRICS
           "machines: {axes: {l: {subsets: {key: k, of: {a: 1, b: 2, c: 3, d: 4, e: 5, "
           "f: 6, g: 7}}}}}\n",
           "s.yaml:4:41", "more than 6 members");
    refuse("study: s\npoints: some\n", "s.yaml:2:9", "points is \"some\"");
    refuse(HEAD "machines: {}\nmetrics: {a: l1.hits, b: l1.misses}\n"
                "figures: {f: {metric: [a, b], mean: geometric}}\n",
           "s.yaml:5:37", "stacked metrics");
    refuse(HEAD METRICS "machines: {cross: []}\n", "s.yaml:4:19", "cross holds a list");
}

Test(study_file, a_byte_that_is_zero_is_no_text)
{
    struct wm_study study;
    struct wm_error error;
    cr_expect_eq(wm_study_read_text(&study, "study: s\n\0b", 11, "s.yaml", &error), WM_INVALID);
    cr_expect_str_eq(error.place, "s.yaml:2:1");
    wm_study_release(&study);
}
