// The files of the page as report_assets.s holds them (embed.py), each with a NUL behind it.
#include "study/page/study_report.h"

extern const char wm_report_asset_style[], wm_report_asset_script[], wm_report_asset_chart_script[],
    wm_report_asset_chart_library[], wm_report_asset_chart_licences[],
    wm_report_asset_chart_missing[];

const struct wm_report_assets wm_report_assets = {
    .style = wm_report_asset_style,
    .script = wm_report_asset_script,
    .chart_script = wm_report_asset_chart_script,
    .chart_library = wm_report_asset_chart_library,
    .chart_licences = wm_report_asset_chart_licences,
    .chart_missing = wm_report_asset_chart_missing,
};
