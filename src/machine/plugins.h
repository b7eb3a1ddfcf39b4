// Plug-ins: shared objects outside this tree that bring replacement, bypass and prefetch entries
// (warpmem/plugin.h). The caller that loads a machine says which of them are loaded; there is no
// list of the process.
//
// Thread rules: a list is changed by one thread, before machines are loaded with it.
#ifndef WM_MACHINE_PLUGINS_H
#define WM_MACHINE_PLUGINS_H

#include "base/error.h"
#include "warpmem/plugin.h"

#include <stddef.h>

struct wm_plugins {
    struct wm_loaded_plugin *loaded; // owned
    size_t count;
};

void wm_plugins_init(struct wm_plugins *plugins);
// Unloads all: what was built from a machine that names their entries must be gone before.
void wm_plugins_release(struct wm_plugins *plugins);

// Loads one. A path without a slash is a file of the working folder. WM_NOT_FOUND or WM_IO when
// there is no such file or it cannot be loaded, WM_INVALID when it is no plug-in of this warpmem's
// interface, an entry of it is incomplete, or has a name that is taken.
enum wm_status wm_plugins_load(struct wm_plugins *plugins, const char *path,
                               struct wm_error *error);

// The entries of all plug-ins in the order of loading; NULL past the last. `plugins` may be NULL.
// `*file`, unless NULL, is the plug-in's path, which lives as long as the list.
const struct wm_replacement_ops *wm_plugins_replacement(const struct wm_plugins *plugins,
                                                        size_t index, const char **file);
const struct wm_bypass_ops *wm_plugins_bypass(const struct wm_plugins *plugins, size_t index,
                                              const char **file);
const struct wm_prefetch_ops *wm_plugins_prefetch(const struct wm_plugins *plugins, size_t index,
                                                  const char **file);

#endif
