// A study file read whole: machines of the cross, metrics of results, and where mistakes are.
#include "study/file/metric_counters.h"
#include "study/file/study_file.h"

#include <criterion/criterion.h>
#include <jansson.h>

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
    "{\"kind\": \"dram\", \"counters\": {\"bytes_read\": 5}}]}],"
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
    wm_study_metric_values(&study, json, values, known);
    cr_expect(known[0] && known[1] && !known[2] && !known[3]);
    cr_expect_eq(values[1], 7);
    json_decref(json);
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
