// The database of a study's results: points come and go as the study file does, and files that are
// none of ours stay as they are.
#include "study/database/results_database.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#define TWO_MACHINES "machines: {base: gtx480, axes: {p: {x: [], y: gpu.l2.replacement=fifo}}}\n"
#define ONE_MACHINE "machines: {base: gtx480, axes: {p: {y: gpu.l2.replacement=fifo}}}\n"
#define RENAMED "machines: {base: gtx480, axes: {p: {z: gpu.l2.replacement=fifo}}}\n"
#define HEAD "study: s\nworkloads: {w: a.cu}\nmetrics: {dram: dram.bytes_read}\n"

static char path[64];
static struct wm_database database;
static struct wm_error error;

static void open_database(void)
{
    cr_assert_eq(wm_database_open(&database, path, WM_DATABASE_CREATE, &error), WM_OK, "%s",
                 error.message);
}

static void make(void)
{
    snprintf(path, sizeof path, "/tmp/wm-results-XXXXXX");
    int file = mkstemp(path);
    cr_assert(file >= 0);
    close(file);
    open_database();
}

static void remove_it(void)
{
    wm_database_close(&database);
    unlink(path);
}

static void take_as(struct wm_study *study, const char *text, const char *version, bool keep)
{
    const struct wm_database_version asked = {version, keep};
    cr_assert_eq(wm_study_read_text(study, text, strlen(text), "s.yaml", &error), WM_OK, "%s",
                 error.message);
    snprintf(study->workloads[0].hash, sizeof study->workloads[0].hash, "w");
    cr_assert_eq(wm_database_sync_study(&database, study, &asked, NULL, &error), WM_OK, "%s",
                 error.message);
}

static void take(struct wm_study *study, const char *text)
{
    take_as(study, text, "1", false);
}

static void put(const struct wm_study *study, uint32_t machine, unsigned bytes)
{
    char json[200];
    snprintf(json, sizeof json,
             "{\"kernels\": [{\"components\": [{\"kind\": \"dram\", \"counters\": {\"bytes_read\": "
             "%u}}]}]}",
             bytes);
    const struct wm_point point = {0, machine, 0.5, json, NULL};
    cr_assert_eq(wm_database_put_point(&database, study, &point, &error), WM_OK, "%s",
                 error.message);
}

// The metric on a machine; NAN when the point is not there.
static double value(const struct wm_study *study, uint32_t machine)
{
    double *values;
    cr_assert_eq(wm_database_values(&database, study, &values, &error), WM_OK);
    double found = values[machine];
    free(values);
    return found;
}

TestSuite(results_database, .init = make, .fini = remove_it);

Test(results_database, points_are_there_when_it_is_opened_again)
{
    struct wm_study study;
    uint8_t states[2];
    take(&study, HEAD TWO_MACHINES);
    put(&study, 1, 70);
    wm_database_close(&database);
    wm_study_release(&study);
    open_database();
    take(&study, HEAD TWO_MACHINES);
    cr_assert_eq(wm_database_states(&database, &study, states, &error), WM_OK);
    cr_expect_eq(states[0], WM_POINT_ABSENT);
    cr_expect_eq(states[1], WM_POINT_DONE);
    cr_expect_eq(value(&study, 1), 70);
    cr_expect(isnan(value(&study, 0)));
    wm_study_release(&study);
}

Test(results_database, a_point_is_stored_once)
{
    struct wm_study study;
    take(&study, HEAD TWO_MACHINES);
    put(&study, 0, 1);
    const struct wm_point again = {0, 0, 0.5, "{}", NULL};
    cr_expect_neq(wm_database_put_point(&database, &study, &again, &error), WM_OK);
    cr_expect_eq(value(&study, 0), 1);
    wm_study_release(&study);
}

Test(results_database, results_that_are_no_json_leave_nothing)
{
    struct wm_study study;
    uint8_t states[2];
    take(&study, HEAD TWO_MACHINES);
    const struct wm_point broken = {0, 0, 0.5, "{\"kernels\": [", NULL};
    cr_expect_eq(wm_database_put_point(&database, &study, &broken, &error), WM_INVALID);
    cr_assert_eq(wm_database_states(&database, &study, states, &error), WM_OK);
    cr_expect_eq(states[0], WM_POINT_ABSENT);
    wm_study_release(&study);
}

Test(results_database, a_machine_that_goes_comes_back_with_its_point)
{
    struct wm_study study;
    take(&study, HEAD TWO_MACHINES);
    put(&study, 0, 10);
    put(&study, 1, 20);
    wm_study_release(&study);
    take(&study, HEAD ONE_MACHINE);
    cr_expect_eq(value(&study, 0), 20);
    wm_study_release(&study);
    take(&study, HEAD RENAMED);
    cr_expect_eq(value(&study, 0), 20, "a name is not what a machine is");
    wm_study_release(&study);
    take(&study, HEAD TWO_MACHINES);
    cr_expect_eq(value(&study, 0), 10);
    cr_expect_eq(value(&study, 1), 20);
    wm_study_release(&study);
}

Test(results_database, a_workload_that_changed_has_no_points)
{
    struct wm_study study;
    const struct wm_database_version asked = {"1", false};
    take(&study, HEAD ONE_MACHINE);
    put(&study, 0, 10);
    snprintf(study.workloads[0].hash, sizeof study.workloads[0].hash, "other");
    cr_assert_eq(wm_database_sync_study(&database, &study, &asked, NULL, &error), WM_OK);
    cr_expect(isnan(value(&study, 0)));
    wm_study_release(&study);
}

Test(results_database, metrics_are_found_again_when_they_change)
{
    struct wm_study study;
    take(&study, HEAD ONE_MACHINE);
    put(&study, 0, 10);
    wm_study_release(&study);
    take(&study,
         "study: s\nworkloads: {w: a.cu}\nmetrics: {dram: 2 * dram.bytes_read}\n" ONE_MACHINE);
    cr_expect_eq(value(&study, 0), 20);
    wm_study_release(&study);
}

Test(results_database, points_of_another_build_go_unless_they_are_kept)
{
    struct wm_study study;
    take_as(&study, HEAD ONE_MACHINE, "1", false);
    put(&study, 0, 10);
    wm_study_release(&study);
    take_as(&study, HEAD ONE_MACHINE, NULL, false);
    cr_expect_eq(value(&study, 0), 10);
    wm_study_release(&study);
    take_as(&study, HEAD ONE_MACHINE, "2", true);
    cr_expect_eq(value(&study, 0), 10);
    wm_study_release(&study);
    take_as(&study, HEAD ONE_MACHINE, "3", false);
    cr_expect(isnan(value(&study, 0)));
    wm_study_release(&study);
}

Test(results_database, failed_points_are_tried_again)
{
    struct wm_study study;
    uint8_t state;
    take(&study, HEAD ONE_MACHINE);
    const struct wm_point failed = {0, 0, 0.5, NULL, "it broke"};
    cr_assert_eq(wm_database_put_point(&database, &study, &failed, &error), WM_OK);
    cr_assert_eq(wm_database_states(&database, &study, &state, &error), WM_OK);
    cr_expect_eq(state, WM_POINT_FAILED);
    cr_assert_eq(wm_database_retry(&database, &error), WM_OK);
    cr_assert_eq(wm_database_states(&database, &study, &state, &error), WM_OK);
    cr_expect_eq(state, WM_POINT_ABSENT);
    wm_study_release(&study);
}

Test(results_database, two_studies_in_one_file_leave_each_other_alone)
{
    struct wm_study one, two;
    take(&one, HEAD ONE_MACHINE);
    put(&one, 0, 10);
    int64_t first = database.study_id;
    take(&two, "study: t\nworkloads: {w: a.cu}\nmetrics: {dram: dram.bytes_read}\n" RENAMED);
    put(&two, 0, 30);
    cr_expect_eq(value(&two, 0), 30);
    database.study_id = first;
    cr_expect_eq(value(&one, 0), 10);
    wm_study_release(&one);
    wm_study_release(&two);
}
