#include "study/report_meetings.h"

#include <inttypes.h>
#include <string.h>

static void print_meeting(const struct wm_host_meeting *meeting, struct wm_text *text)
{
    if (meeting->source_file != NULL) {
        const char *name = strrchr(meeting->source_file, '/');
        wm_text_format(text, "  %s:%" PRIu32, name != NULL ? name + 1 : meeting->source_file,
                       meeting->source_line);
    } else {
        wm_text_format(text, "  PTX line %" PRIu32, meeting->ptx_line);
    }
    wm_text_format(text, "  %.*s  %s%s\n", (int)strcspn(meeting->text, " \t"), meeting->text,
                   meeting->what, meeting->changed ? ": written meanwhile" : "");
}

void wm_report_meetings(const struct wm_results *results, struct wm_text *text)
{
    enum { MOST = 5 };
    uint32_t count = results->meeting_count;
    if (count == 0)
        return;
    wm_text_add(text,
                "\nNumbers may differ from run to run: the host or another process can write what "
                "these read.\n");
    for (uint32_t i = 0; i < count && i < MOST; i++)
        print_meeting(&results->meetings[i], text);
    if (count > MOST)
        wm_text_format(text, "  and %" PRIu32 " more\n", count - MOST);
}
