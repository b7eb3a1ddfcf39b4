// The report of a study: one page that opens without a network, with the study's claims, its
// figures with the paper's numbers, its machines, and what each kernel and load did.
#ifndef WM_STUDY_PAGE_STUDY_REPORT_H
#define WM_STUDY_PAGE_STUDY_REPORT_H

#include "base/error.h"

#include <stddef.h>

// What the page is made of besides the results. All texts are borrowed.
struct wm_report_assets {
    const char *style, *script;
    const char *chart_script;  // makes charts out of figures, with the library's help
    const char *chart_library; // "": none was there when warpmem was built
    const char *chart_licences;
    const char *chart_missing; // why there is none: a sentence's part, ending in a newline
};

// Those that were built into this program.
extern const struct wm_report_assets wm_report_assets;

// Writes the report of every study in a results database (docs/formats/results-database.md) to
// `output`, whole or not at all. The same database and assets give the same bytes. The database is
// only read. WM_NOT_FOUND or WM_INVALID when it is not there, is none of warpmem's, has another
// version, is damaged or holds no point, or is `output` itself; WM_IO and WM_NO_MEMORY.
enum wm_status wm_study_report(const char *database, const char *output,
                               const struct wm_report_assets *assets, struct wm_error *error);

#endif
