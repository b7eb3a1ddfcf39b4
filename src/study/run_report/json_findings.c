#include "study/run_report/json_findings.h"

#include "engine/check/check.h"
#include "study/format/json_text.h"

static json_t *finding_access(const struct wm_check_access *access)
{
    json_t *value = json_object();
    static const char *const kinds[] = {"load", "store", "atomic", "reduction"};
    json_object_set_new(value, "kind", wm_json_text(kinds[access->kind]));
    json_object_set_new(value, "text", wm_json_text(access->text));
    json_object_set_new(value, "ptx_line", json_integer((json_int_t)access->ptx_line));
    json_object_set_new(value, "source_file",
                        access->source_file ? wm_json_text(access->source_file) : json_null());
    json_object_set_new(value, "source_line", json_integer((json_int_t)access->source_line));
    json_object_set_new(
        value, "thread",
        json_pack("[iii]", (int)access->thread[0], (int)access->thread[1], (int)access->thread[2]));
    return value;
}

static json_t *finding_value(const struct wm_check_finding *finding)
{
    json_t *value = json_object(), *accesses = json_array();
    json_object_set_new(value, "kind", wm_json_text(wm_check_kind_name(finding->kind)));
    json_object_set_new(value, "count", json_integer((json_int_t)finding->count));
    json_object_set_new(value, "what", finding->what ? wm_json_text(finding->what) : json_null());
    json_object_set_new(value, "address", json_integer((json_int_t)finding->address));
    json_object_set_new(value, "bytes", json_integer((json_int_t)finding->bytes));
    if (finding->place) {
        json_object_set_new(value, "place", wm_json_text(finding->place));
        json_object_set_new(
            value, "access",
            wm_json_text(finding->accesses[0].kind == WM_ACCESS_LOAD ? "load" : "store"));
    }
    if (finding->kernel) {
        json_object_set_new(value, "kernel", wm_json_text(finding->kernel));
        json_object_set_new(value, "block",
                            json_pack("[iii]", (int)finding->block[0], (int)finding->block[1],
                                      (int)finding->block[2]));
        for (int i = 2; i-- > 0;) // in the order of time
            if (finding->accesses[i].text)
                json_array_append_new(accesses, finding_access(&finding->accesses[i]));
        json_object_set_new(value, "accesses", accesses);
    } else {
        json_decref(accesses);
    }
    return value;
}

json_t *wm_json_races(const struct wm_results *results)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < results->race_count; i++) {
        const struct wm_host_device_race *race = &results->races[i];
        json_t *value = json_object();
        json_object_set_new(value, "kernel", wm_json_text(race->kernel));
        json_object_set_new(value, "what", wm_json_text(race->what));
        json_object_set_new(value, "text", wm_json_text(race->text));
        json_object_set_new(value, "ptx_line", json_integer((json_int_t)race->ptx_line));
        json_object_set_new(value, "source_file",
                            race->source_file ? wm_json_text(race->source_file) : json_null());
        json_object_set_new(value, "source_line", json_integer((json_int_t)race->source_line));
        json_object_set_new(value, "host_wrote", json_boolean(race->changed));
        json_array_append_new(list, value);
    }
    return list;
}

json_t *wm_json_findings(const struct wm_results *results)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < results->finding_count; i++)
        json_array_append_new(list, finding_value(&results->findings[i]));
    return list;
}
