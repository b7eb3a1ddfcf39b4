// Kernels' source, line by line, with what each line did to memory and advice where a rule applies
// (docs/annotate.md). From results with explained misses; the source files are read when they are
// found, else the kernel's PTX is shown.
#ifndef WM_STUDY_ANNOTATE_H
#define WM_STUDY_ANNOTATE_H

#include "base/error.h"
#include "base/text.h"
#include "engine/results.h"

// For people, lines cut to `columns`, which may be WM_REPORT_WHOLE. With `chains`, below a line
// with instructions of inlined functions stands where these are.
void wm_annotate_text(const struct wm_results *results, unsigned columns, bool chains,
                      struct wm_text *text);
// docs/formats/annotate-json.md. WM_IO, WM_NO_MEMORY.
enum wm_status wm_annotate_json(const struct wm_results *results, const char *path,
                                struct wm_error *error);
// One page with no resource outside it. WM_IO, WM_NO_MEMORY.
enum wm_status wm_annotate_html(const struct wm_results *results, const char *path,
                                struct wm_error *error);
// The rules, with their thresholds, for people.
void wm_annotate_rules(struct wm_text *text);

#endif
