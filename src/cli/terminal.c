#include "cli/terminal.h"

#include "study/report.h"

#include <sys/ioctl.h>
#include <unistd.h>

unsigned wm_terminal_columns(void)
{
    struct winsize size;
    if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 &&
        size.ws_col >= WM_REPORT_LEAST_COLUMNS && size.ws_col <= WM_REPORT_MOST_COLUMNS)
        return size.ws_col;
    return WM_REPORT_COLUMNS;
}
