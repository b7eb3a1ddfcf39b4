// The terminal that reports are read on.
#ifndef WM_CLI_TERMINAL_H
#define WM_CLI_TERMINAL_H

// The width for reports on standard output: WM_REPORT_COLUMNS where no terminal tells.
unsigned wm_terminal_columns(void);

#endif
