// How wide a report for people may be.
#ifndef WM_STUDY_RUN_REPORT_WIDTH_H
#define WM_STUDY_RUN_REPORT_WIDTH_H

// Where it goes to that descriptor, or to a file: -1. What COLUMNS says, where that is a number
// that reports can have (study/run_report/report.h; a larger one is WM_REPORT_UNLIMITED); else of a
// terminal its width, and of a file or a pipe WM_REPORT_UNLIMITED.
unsigned wm_report_width(int descriptor);

#endif
