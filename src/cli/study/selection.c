#include "cli/study/selection.h"

#include "study/file/points.h"

#include <stdlib.h>
#include <string.h>

// Takes the next of the names off `*list`; false at its end.
static bool next_name(const char **list, const char **name, size_t *length)
{
    if (*list == NULL)
        return false;
    *name = *list;
    *length = strcspn(*list, ",");
    *list = (*list)[*length] == ',' ? *list + *length + 1 : NULL;
    return true;
}

static bool is_name(const char *known, const char *name, size_t length)
{
    return strlen(known) == length && strncmp(known, name, length) == 0;
}

// `known` are the names that there are, with blanks between them.
static enum wm_status unknown(const char *option, const char *what, const char *name, size_t length,
                              const struct wm_text *known, struct wm_error *error)
{
    wm_fail(error, WM_INVALID, "the study has no %s \"%.*s\"", what,
            (int)(length < 64 ? length : 64), name);
    wm_error_place(error, "%s", option);
    return wm_error_hint(error, "it has%s", known->length > 0 ? known->data : " none");
}

static enum wm_status unknown_workload(const struct wm_study *study, const char *name,
                                       size_t length, struct wm_error *error)
{
    struct wm_text known;
    wm_text_init(&known);
    for (uint32_t i = 0; i < study->workload_count; i++)
        wm_text_format(&known, " %s", study->workloads[i].label);
    enum wm_status status = unknown("--workload", "workload", name, length, &known, error);
    wm_text_release(&known);
    return status;
}

static enum wm_status unknown_figure(const struct wm_study *study, const char *name, size_t length,
                                     struct wm_error *error)
{
    struct wm_text known;
    wm_text_init(&known);
    for (uint32_t i = 0; i < study->figure_count; i++)
        wm_text_format(&known, "%s \"%s\"", i > 0 ? "," : "", study->figures[i].id);
    enum wm_status status = unknown("--figure", "figure", name, length, &known, error);
    wm_text_release(&known);
    return status;
}

static enum wm_status select_workloads(const struct wm_study *study, const char *list,
                                       uint8_t *chosen, struct wm_error *error)
{
    const char *name;
    size_t length;
    while (next_name(&list, &name, &length)) {
        uint32_t i = 0;
        while (i < study->workload_count && !is_name(study->workloads[i].label, name, length))
            i++;
        if (i == study->workload_count)
            return unknown_workload(study, name, length, error);
        chosen[i] = 1;
    }
    return WM_OK;
}

static enum wm_status select_figures(const struct wm_study *study, const char *list,
                                     uint8_t *points, struct wm_error *error)
{
    const char *name;
    size_t length;
    while (next_name(&list, &name, &length)) {
        uint32_t i = 0;
        while (i < study->figure_count && !is_name(study->figures[i].id, name, length))
            i++;
        if (i == study->figure_count)
            return unknown_figure(study, name, length, error);
        WM_TRY(wm_study_points_of_figure(study, &study->figures[i], points, error));
    }
    return WM_OK;
}

// Without a choice of figures: all points, or those that figures and claims are made of.
static enum wm_status select_points(const struct wm_study *study, const char *figures,
                                    uint8_t *points, struct wm_error *error)
{
    if (figures != NULL)
        return select_figures(study, figures, points, error);
    if (!study->used_points) {
        memset(points, 1, (size_t)study->workload_count * study->machine_count);
        return WM_OK;
    }
    for (uint32_t i = 0; i < study->figure_count; i++)
        WM_TRY(wm_study_points_of_figure(study, &study->figures[i], points, error));
    for (uint32_t i = 0; i < study->claim_count; i++)
        wm_study_points_of_claim(study, &study->claims[i], points);
    return WM_OK;
}

enum wm_status wm_study_select(const struct wm_study *study, const char *workloads,
                               const char *figures, uint8_t **selected, struct wm_error *error)
{
    uint8_t *on = calloc(study->workload_count + UINT64_C(1), 1);
    *selected = calloc(study->workload_count + UINT64_C(1), study->machine_count + UINT64_C(1));
    enum wm_status status = WM_OK;
    if (on == NULL || *selected == NULL)
        status = wm_fail_no_memory(error, "the study");
    if (status == WM_OK)
        status = select_workloads(study, workloads, on, error);
    if (status == WM_OK)
        status = select_points(study, figures, *selected, error);
    for (uint32_t w = 0; status == WM_OK && workloads != NULL && w < study->workload_count; w++)
        if (!on[w])
            memset(*selected + (size_t)w * study->machine_count, 0, study->machine_count);
    if (status != WM_OK) {
        free(*selected);
        *selected = NULL;
    }
    free(on);
    return status;
}
