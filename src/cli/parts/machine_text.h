// What the commands that print machines and their parts share.
#ifndef WM_CLI_PARTS_MACHINE_TEXT_H
#define WM_CLI_PARTS_MACHINE_TEXT_H

#include "base/containers/arena.h"
#include "base/text/text.h"
#include "cli/framework/command.h"
#include "cli/options/machine_options.h"
#include "machine/machine.h"
#include "machine/plugins.h"

#define WM_MACHINE_KIND "machine"
#define WM_VARIANT_KIND "variant"
#define WM_VARIANT_KIND_SENTENCE "changes to a machine, written behind its name: MACHINE+VARIANT"
#define WM_MACHINE_KIND_SENTENCE "the machines that come with warpmem"

// Prints the text to the invocation's output and releases it; returns the exit status.
int wm_command_print(const struct wm_invocation *invocation, struct wm_text *text);

// The plug-ins of an option --plugin, in its order. On an error nothing is left loaded.
enum wm_status wm_plugin_option_load(const struct wm_option_list *files, struct wm_plugins *plugins,
                                     struct wm_error *error);

// " 80 SMs, L1 32 KiB, L2 6.00 MiB, DRAM 900 GB/s".
void wm_machine_figures(const struct wm_machine *machine, struct wm_text *text);
// A row for each preset; a broken one is reported to the invocation's `err`. Returns the exit
// status.
int wm_machine_rows(const struct wm_invocation *invocation, struct wm_text *text);
// The same of variants of machines: name and sentence.
int wm_variant_rows(const struct wm_invocation *invocation, struct wm_text *text);
// What a variant does: the first line of its file, which is a comment; in the arena.
enum wm_status wm_variant_sentence(const char *path, struct wm_arena *arena, const char **sentence,
                                   struct wm_error *error);

#endif
