// The machines of one replay: each of -m with each of --variant, and their results.
#ifndef WM_CLI_REPLAY_REPLAY_VARIANTS_H
#define WM_CLI_REPLAY_REPLAY_VARIANTS_H

#include "cli/framework/options.h"
#include "engine/replay/many_machines.h"
#include "machine/plugins.h"

struct wm_variants {
    // Owned, the machines and results too; machine by machine, the machine itself first.
    struct wm_replay_variant *variants;
    uint32_t count, threads;
    struct wm_plugins plugins;
};

// As the options have them; borrowed.
struct wm_variants_options {
    const struct wm_option_list *machines, *settings, *variants, *plugins;
    const char *threads; // NULL: one a processor
    bool clock, explain; // by which engine: all machines must allow it
};

// Builds every machine, and checks that the engine can run it. Release it in any case.
enum wm_status wm_variants_init(struct wm_variants *variants,
                                const struct wm_variants_options *options, struct wm_error *error);
void wm_variants_release(struct wm_variants *variants);

// Fills the results of all.
enum wm_status wm_variants_replay(struct wm_variants *variants, struct wm_recording *recording,
                                  const struct wm_session_options *options, struct wm_error *error);

#endif
