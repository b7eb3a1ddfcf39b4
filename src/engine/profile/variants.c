#include "engine/profile/variants.h"

#include "base/containers/array.h"
#include "base/text/text.h"
#include "engine/replay/many_machines.h"

#include <stdlib.h>
#include <unistd.h>

enum { MOST_THREADS = 256 };

enum wm_status wm_variant_machine(const struct wm_machine *machine,
                                  const struct wm_plugins *plugins, const char *const *settings,
                                  uint32_t setting_count, struct wm_machine *made,
                                  struct wm_error *error)
{
    struct wm_text text;
    wm_text_init(&text);
    wm_machine_print(machine, &text);
    enum wm_status status =
        text.failed || text.data == NULL
            ? wm_fail_no_memory(error, "a machine")
            : wm_machine_read_with(plugins, text.data, text.length, machine->name, settings,
                                   setting_count, made, error);
    wm_text_release(&text);
    return status;
}

static enum wm_status make_machines(const struct wm_machine *machine,
                                    const struct wm_plugins *plugins,
                                    const struct wm_variant *variants, uint32_t count,
                                    const struct wm_session_options *options,
                                    struct wm_machine *machines, struct wm_error *error)
{
    for (uint32_t i = 0; i < count; i++) {
        WM_TRY(wm_variant_machine(machine, plugins, variants[i].settings, variants[i].setting_count,
                                  &machines[i], error));
        WM_TRY(wm_engine_check(&machines[i], options, error));
    }
    return WM_OK;
}

static uint32_t processors(void)
{
    long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 && count < MOST_THREADS ? (uint32_t)count : 1;
}

static enum wm_status measure_pass(struct wm_recording *recording, const struct wm_machine *machine,
                                   const struct wm_plugins *plugins, struct wm_variant *variants,
                                   uint32_t count, uint32_t threads,
                                   const struct wm_session_options *options, struct wm_error *error)
{
    struct wm_replay_variant replayed[WM_VARIANTS_A_PASS] = {0};
    struct wm_machine *machines;
    WM_TRY(WM_ARRAY_NEW(machines, count, error, "variants of the machine"));
    enum wm_status status =
        make_machines(machine, plugins, variants, count, options, machines, error);
    for (uint32_t i = 0; i < count; i++)
        replayed[i].machine = &machines[i];
    if (status == WM_OK)
        status = wm_replay_many(recording, replayed, count, threads, options, error);
    for (uint32_t i = 0; i < count; i++)
        variants[i].results = replayed[i].results;
    free(machines);
    return status;
}

enum wm_status wm_variants_measure(struct wm_recording *recording, const struct wm_machine *machine,
                                   const struct wm_plugins *plugins, struct wm_variant *variants,
                                   uint32_t count, uint32_t threads,
                                   const struct wm_session_options *options, struct wm_error *error)
{
    for (uint32_t i = 0; i < count; i++)
        variants[i].results = NULL;
    for (uint32_t first = 0; first < count; first += WM_VARIANTS_A_PASS) {
        uint32_t rest = count - first;
        WM_TRY(measure_pass(recording, machine, plugins, variants + first,
                            rest < WM_VARIANTS_A_PASS ? rest : WM_VARIANTS_A_PASS,
                            threads != 0 ? threads : processors(), options, error));
    }
    return WM_OK;
}
