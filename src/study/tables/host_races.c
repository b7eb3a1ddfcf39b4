#include "study/tables/host_races.h"

#include <inttypes.h>
#include <string.h>

static void print_meeting(const struct wm_host_device_race *race, struct wm_text *text)
{
    if (race->source_file != NULL) {
        const char *name = strrchr(race->source_file, '/');
        wm_text_format(text, "  %s:%" PRIu32, name != NULL ? name + 1 : race->source_file,
                       race->source_line);
    } else {
        wm_text_format(text, "  PTX line %" PRIu32, race->ptx_line);
    }
    wm_text_format(text, "  %.*s  %s%s\n", (int)strcspn(race->text, " \t"), race->text, race->what,
                   race->changed ? ": written meanwhile" : "");
}

void wm_report_host_races(const struct wm_results *results, struct wm_text *text)
{
    enum { MOST = 5 };
    uint32_t count = results->race_count;
    if (count == 0)
        return;
    wm_text_add(text,
                "\nNumbers may differ from run to run: the host or another process can write what "
                "these read.\n");
    for (uint32_t i = 0; i < count && i < MOST; i++)
        print_meeting(&results->races[i], text);
    if (count > MOST)
        wm_text_format(text, "  and %" PRIu32 " more\n", count - MOST);
}
