#include "engine/session/session_state.h"

__extension__ typedef unsigned __int128 wide;

// What leaks does so for as long as anything was under way. Where only some launches were counted
// that is not known: then as long as CPU cores ran, which wait for kernels, or as the launches took
// one after the other.
static uint64_t time_of(const struct wm_results *results)
{
    uint64_t on_cores = 0, all = 0;
    for (uint32_t i = 0; i < results->kernel_count; i++) {
        on_cores += results->kernels[i].on_cores ? results->kernels[i].cycles : 0;
        all += results->kernels[i].cycles;
    }
    uint64_t cycles = results->elapsed_cycles != 0 ? results->elapsed_cycles
                      : on_cores != 0              ? on_cores
                                                   : all;
    if (results->clock_hz == 0)
        return 0;
    wide time_ps = (wide)cycles * UINT64_C(1000000000000) / results->clock_hz;
    return time_ps < UINT64_MAX ? (uint64_t)time_ps : UINT64_MAX;
}

static const struct wm_energy_result *price(struct wm_results *results,
                                            const struct wm_energy_model *model,
                                            const struct wm_component_result *components,
                                            uint32_t component_count)
{
    struct wm_energy_counts counts = {0};
    struct wm_energy_result *energy = WM_ARENA_NEW(&results->arena, struct wm_energy_result);
    if (energy == NULL)
        return NULL;
    for (uint32_t i = 0; i < component_count; i++)
        wm_energy_count(model, &counts, components[i].path, components[i].set,
                        components[i].values);
    wm_energy_price(model, &counts, energy);
    return energy;
}

enum wm_status wm_session_energy(const struct wm_session *session, struct wm_results *results,
                                 struct wm_error *error)
{
    struct wm_energy_model model;
    char wrong[WM_ENERGY_NAME_BYTES];
    const struct wm_machine *machine = &session->machine;
    if (session->memory == NULL || machine->energy.table.count == 0)
        return WM_OK;
    WM_TRY(wm_energy_model_init(&model, &machine->energy, &machine->memory,
                                machine->sm.unified_bytes, wrong, error));
    if (model.time_ps == 0 && session->clock != NULL)
        model.time_ps = time_of(results);
    results->energy = price(results, &model, results->components, results->component_count);
    bool good = results->energy != NULL;
    for (uint32_t i = 0; i < results->kernel_count && good; i++) {
        struct wm_kernel_result *kernel = &results->kernels[i];
        kernel->energy = price(results, &model, kernel->components, kernel->component_count);
        good = kernel->energy != NULL;
    }
    return good ? WM_OK : wm_fail_no_memory(error, "the results");
}
