#include "study/run_report/width.h"

#include "study/run_report/report.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

// 0: no width that a report can have.
static unsigned said_by_environment(void)
{
    const char *value = getenv("COLUMNS");
    char *end;
    if (value == NULL || value[0] < '0' || value[0] > '9')
        return 0;
    unsigned long number = strtoul(value, &end, 10);
    if (*end != '\0' || number < WM_REPORT_LEAST_COLUMNS)
        return 0;
    return number > WM_REPORT_MOST_COLUMNS ? WM_REPORT_UNLIMITED : (unsigned)number;
}

unsigned wm_report_width(int descriptor)
{
    struct winsize size;
    unsigned said = said_by_environment();
    if (said != 0)
        return said;
    if (descriptor < 0 || !isatty(descriptor))
        return WM_REPORT_UNLIMITED;
    if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col >= WM_REPORT_LEAST_COLUMNS)
        return size.ws_col;
    return WM_REPORT_COLUMNS;
}
