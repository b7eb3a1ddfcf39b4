#include "study/file/points.h"

#include <jansson.h>

static void mark(const struct wm_study *study, uint32_t workload, uint32_t machine, uint8_t *points)
{
    machine = wm_study_machine_for(study, machine, workload);
    if (machine != WM_STUDY_NO_MACHINE)
        points[(size_t)workload * study->machine_count + machine] = 1;
}

static void add_point(const struct wm_study *study, const char *workload, const char *machine,
                      uint8_t *points)
{
    uint32_t w = wm_study_workload_of(study, workload);
    if (w < study->workload_count)
        mark(study, w, wm_study_machine_of(study, machine), points);
}

enum wm_status wm_study_points_of_figure(const struct wm_study *study,
                                         const struct wm_study_figure *figure, uint8_t *points,
                                         struct wm_error *error)
{
    json_t *specification = json_loads(figure->specification, 0, NULL);
    if (specification == NULL)
        return wm_fail_no_memory(error, "a figure");
    const char *normalise = json_string_value(json_object_get(specification, "normalise"));
    const json_t *machines = json_object_get(specification, "machines");
    const json_t *workloads = json_object_get(specification, "workloads");
    for (size_t w = 0; w < json_array_size(workloads); w++) {
        const char *workload = json_string_value(json_array_get(workloads, w));
        if (normalise != NULL)
            add_point(study, workload, normalise, points);
        for (size_t m = 0; m < json_array_size(machines); m++)
            add_point(study, workload, json_string_value(json_array_get(machines, m)), points);
    }
    json_decref(specification);
    return WM_OK;
}

struct requested_points {
    const struct wm_study *study;
    uint8_t *points;
};

// Of a claim of which nothing is known every part is evaluated, as any may decide it.
static bool note_point(const void *context, uint32_t metric, uint32_t workload, uint32_t machine,
                       double *value)
{
    const struct requested_points *requested = context;
    (void)metric;
    mark(requested->study, workload, machine, requested->points);
    *value = 0;
    return false;
}

void wm_study_points_of_claim(const struct wm_study *study, const struct wm_study_claim *claim,
                              uint8_t *points)
{
    const struct requested_points requested = {study, points};
    const struct wm_expression_source source = {.metric = note_point, .context = &requested};
    struct wm_text ours;
    wm_text_init(&ours);
    wm_claim_check(claim->expression, &study->names, &source, &ours);
    wm_text_release(&ours);
}
