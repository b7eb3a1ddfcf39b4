#include "cli/bypass/outputs.h"

#include "base/files/output_place.h"
#include "base/text/units.h"
#include "bypass/output.h"

#include <inttypes.h>
#include <string.h>

static bool is_ptx(const char *path)
{
    static const char end[] = ".ptx";
    size_t length = strlen(path);
    return length >= strlen(end) && strcmp(path + length - strlen(end), end) == 0;
}

enum wm_status wm_bypass_outputs_check(const struct wm_bypass_outputs *outputs, bool recording,
                                       struct wm_error *error)
{
    if (outputs->output == NULL || is_ptx(outputs->output))
        return WM_OK;
    if (strcmp(outputs->output, WM_OUTPUT_STANDARD) == 0) {
        wm_fail(error, WM_INVALID, "standard output takes no program");
        wm_error_place(error, "--output");
        return wm_error_hint(error, "name a file, which ends in .ptx for PTX");
    }
    if (!recording)
        return WM_OK;
    wm_fail(error, WM_INVALID, "a recording holds no program that could be rewritten");
    wm_error_place(error, "--output");
    return wm_error_hint(error, "give the program instead of its recording, or name a file that "
                                "ends in .ptx");
}

static const char *plural(uint32_t count)
{
    return count == 1 ? "" : "s";
}

static enum wm_status write_program(const struct wm_bypass_report *report, const char *executable,
                                    const char *path, struct wm_text *text, struct wm_error *error)
{
    struct wm_bypass_written written;
    WM_TRY(wm_bypass_write_program(report->program, report->solver, executable, path, &written,
                                   error));
    wm_text_format(text, "warpmem: %s: %" PRIu32 " PTX image%s rewritten", path, written.decided,
                   plural(written.decided));
    if (written.machine_code > 0)
        wm_text_format(text, ", %" PRIu32 " image%s of machine code dropped", written.machine_code,
                       plural(written.machine_code));
    if (written.left > 0)
        wm_text_format(text, "; %" PRIu32 " profiled module%s it does not hold", written.left,
                       plural(written.left));
    if (report->program->setting_count > 1) { // the first is for lists
        wm_text_add(text, "; its hints count with");
        for (uint32_t i = 1; i < report->program->setting_count; i++)
            wm_text_format(text, " --set %s", report->program->settings[i]);
    }
    wm_text_add(text, "\n");
    return WM_OK;
}

static enum wm_status write_ptx(const struct wm_bypass_report *report, const char *path,
                                struct wm_text *text, struct wm_error *error)
{
    uint32_t count;
    WM_TRY(wm_bypass_write_ptx(report->program, report->solver, path, &count, error));
    for (uint32_t i = 1; i <= count; i++) {
        wm_text_add(text, "warpmem: ");
        wm_bypass_ptx_path(path, i, text);
        wm_text_add(text, ": PTX rewritten\n");
    }
    return WM_OK;
}

// What is decided for a partition is for no other.
static enum wm_status write_decisions(const struct wm_bypass_report *report, const char *path,
                                      struct wm_text *text, struct wm_error *error)
{
    char machine[160], setting[80] = "", bytes[32];
    const struct wm_partitions *partitions = report->partitions;
    if (partitions != NULL)
        snprintf(setting, sizeof setting, " --set gpu.sm.default_carveout=%s",
                 wm_units_print(partitions->items[partitions->chosen].shared_bytes,
                                WM_QUANTITY_BYTES, bytes, sizeof bytes));
    snprintf(machine, sizeof machine, "%s%s", report->machine->name, setting);
    if (wm_bypass_write_decisions(report->program, report->solver, machine, path, error) != WM_OK)
        return wm_error_place(error, "--decisions");
    if (strcmp(path, WM_OUTPUT_STANDARD) == 0)
        return WM_OK;
    wm_text_format(text, "warpmem: %s: decisions, for%s", path, setting);
    if (report->program->setting_count == 0)
        wm_text_add(text, " --set gpu.l1.bypass=per-pc");
    for (uint32_t i = 0; i < report->program->setting_count; i++)
        wm_text_format(text, " --set %s", report->program->settings[i]);
    wm_text_format(text, " --set gpu.l1.bypass_list=@%s\n", path);
    return WM_OK;
}

enum wm_status wm_bypass_outputs_write(const struct wm_bypass_outputs *outputs,
                                       const struct wm_bypass_report *report,
                                       const char *executable, struct wm_text *text,
                                       struct wm_error *error)
{
    enum wm_status status = WM_OK;
    if (outputs->output != NULL) {
        status = is_ptx(outputs->output)
                     ? write_ptx(report, outputs->output, text, error)
                     : write_program(report, executable, outputs->output, text, error);
        if (status != WM_OK)
            return wm_error_place(error, "--output");
    }
    if (outputs->decisions == NULL)
        return WM_OK;
    return write_decisions(report, outputs->decisions, text, error);
}
