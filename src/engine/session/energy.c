#include "engine/session/session_state.h"

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
        wm_energy_count(model, &counts, components[i].set, components[i].values);
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
    results->energy = price(results, &model, results->components, results->component_count);
    bool good = results->energy != NULL;
    for (uint32_t i = 0; i < results->kernel_count && good; i++) {
        struct wm_kernel_result *kernel = &results->kernels[i];
        kernel->energy = price(results, &model, kernel->components, kernel->component_count);
        good = kernel->energy != NULL;
    }
    return good ? WM_OK : wm_fail_no_memory(error, "the results");
}
