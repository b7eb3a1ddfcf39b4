// Variants of a machine, each some settings away from it, measured on one recording: what would be
// with that setting, on the same accesses. For trials of what is proposed: by advice
// (study/annotate/advice_trials.h), and by the choice of a policy among many.
#ifndef WM_ENGINE_PROFILE_VARIANTS_H
#define WM_ENGINE_PROFILE_VARIANTS_H

#include "engine/session/session.h"
#include "machine/plugins.h"
#include "trace/recording_reader.h"

// One variant.
struct wm_variant {
    const char *const *settings; // borrowed: "gpu.l1.bypass=per-pc"; none: the machine as it is
    uint32_t setting_count;
    // What it came to; the caller frees it, whatever the outcome. NULL where nothing was measured.
    struct wm_results *results;
};

// The machine with the settings, which take precedence over what it was made with (files that it
// was made from are not read again). `plugins` may be NULL; `made` and what is built from it use
// them. WM_INVALID and others of wm_machine_read_with.
enum wm_status wm_variant_machine(const struct wm_machine *machine,
                                  const struct wm_plugins *plugins, const char *const *settings,
                                  uint32_t setting_count, struct wm_machine *made,
                                  struct wm_error *error);

// Drives the recording through all variants of the machine, side by side, on at most `threads`
// threads (0: one a processor), with `options` as of wm_replay_many; the machine and the plug-ins
// are borrowed. Reads the recording once for every WM_VARIANTS_A_PASS variants: that bounds the
// memory in use. The numbers depend neither on that nor on the threads.
//
// Errors: of a variant that no machine can be made of, or that the engine does not run; and those
// of wm_replay_many. `results` of a variant are complete or NULL.
enum { WM_VARIANTS_A_PASS = 32 };
enum wm_status wm_variants_measure(struct wm_recording *recording, const struct wm_machine *machine,
                                   const struct wm_plugins *plugins, struct wm_variant *variants,
                                   uint32_t count, uint32_t threads,
                                   const struct wm_session_options *options,
                                   struct wm_error *error);

#endif
