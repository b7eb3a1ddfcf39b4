#include "study/run_report/load_servers.h"

#include "study/tables/level_columns.h"

const char *wm_load_server_name(const struct wm_level_list *levels, uint32_t number)
{
    return number == 0 ? "shared" : wm_level_place_name(levels, number - 1);
}

json_t *wm_json_load_servers(const struct wm_level_list *levels,
                             const struct wm_load_servers *served)
{
    json_t *object = json_object();
    enum wm_server servers[WM_SERVERS];
    uint32_t count = wm_servers_of(levels, servers);
    for (uint32_t i = 0; i < count; i++) {
        const char *name = wm_load_server_name(levels, i);
        uint64_t loads = served->loads[servers[i]];
        if (loads != 0 && json_object_set_new(object, name, json_integer((json_int_t)loads)) != 0) {
            json_decref(object);
            return NULL;
        }
    }
    return object;
}
