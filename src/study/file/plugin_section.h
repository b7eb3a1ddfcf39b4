// The plug-ins of a study: what the file's "plugins" and --plugin name. What a plug-in is made of
// is part of what a machine that names an entry of it is: one that was built anew makes other
// results. Private to study/file/.
#ifndef WM_STUDY_FILE_PLUGIN_SECTION_H
#define WM_STUDY_FILE_PLUGIN_SECTION_H

#include "base/text/text.h"
#include "study/file/fields.h"

// Loads what the section names, paths relative to the study file, and then `added`, paths as they
// are. Errors of the section have a place in it.
enum wm_status wm_study_read_plugins(const struct wm_study_reader *reader,
                                     const struct wm_yaml_node *section,
                                     const struct wm_study_texts *added);
// Which of them the machine names an entry of, a bit each. `description` is the effective one.
enum wm_status wm_study_plugins_of(const struct wm_study *study, const char *description,
                                   uint32_t *used, struct wm_error *error);
// Adds the hashes of these to a text that is hashed; nothing for none.
void wm_study_plugins_mark(const struct wm_study *study, uint32_t used, struct wm_text *text);

#endif
