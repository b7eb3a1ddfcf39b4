// Comma-separated values in long form (docs/formats/results-csv.md), quoted as RFC 4180 says.
#include "base/text/units.h"
#include "study/format/csv_field.h"
#include "study/run_report/counter_sets.h"
#include "study/run_report/report.h"
#include "study/run_report/report_file.h"
#include "study/run_report/request_ratios.h"
#include "study/run_report/result_sums.h"
#include "study/run_report/written_line_data.h"
#include "study/tables/energy.h"
#include "study/tables/launches.h"

#include <inttypes.h>

void wm_csv_field(FILE *stream, const char *text)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, stream);
        return;
    }
    fputc('"', stream);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            fputc('"', stream);
        fputc(*text, stream);
    }
    fputc('"', stream);
}

static void add_field_row(FILE *stream, const char *kernel, const char *where,
                          const struct wm_counter_declaration *counter, const char *value,
                          const char *source)
{
    wm_csv_field(stream, kernel);
    fputc(',', stream);
    wm_csv_field(stream, where);
    fprintf(stream, ",%s,%s,%s,", counter->name, value, counter->unit);
    wm_csv_field(stream, source);
    fputc('\n', stream);
}

static void add_row(FILE *stream, const char *kernel, const char *where,
                    const struct wm_counter_declaration *counter, uint64_t value,
                    const char *source)
{
    char number[24];
    snprintf(number, sizeof number, "%" PRIu64, value);
    add_field_row(stream, kernel, where, counter, number, source);
}

static void add_components(FILE *stream, const char *kernel,
                           const struct wm_component_result *components, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (size_t c = 0; c < components[i].set->count; c++)
            add_row(stream, kernel, components[i].path, &components[i].set->declarations[c],
                    components[i].values[c], "");
}

static void add_ratios(FILE *stream, const char *kernel, const char *where, const void *counters,
                       const char *source)
{
    struct wm_request_ratios ratios;
    const double *values = (const double *)&ratios;
    if (!wm_request_ratios_of(counters, &ratios))
        return;
    for (size_t i = 0; i < wm_request_ratio_set.count; i++) {
        const struct wm_counter_declaration *ratio = &wm_request_ratio_set.declarations[i];
        char number[32]; // thousandths, whatever the locale
        add_field_row(
            stream, kernel, where, ratio,
            wm_units_decimal((uint64_t)(values[i] * 1000 + 0.5), 3, number, sizeof number), source);
    }
}

// By kind, of the accesses beyond the SM.
static void add_requests(FILE *stream, const char *name, const struct wm_kernel_result *kernel)
{
    static const struct wm_counter_declaration counted[] = {{"requests", "warp-instructions", ""},
                                                            {"sectors", "sectors", ""},
                                                            {"bytes_requested", "bytes", ""}};
    for (int k = 0; k < WM_REQUEST_KINDS; k++) {
        enum wm_access_kind kind = (enum wm_access_kind)k;
        struct wm_instruction_counters counters = wm_kernel_requests(kernel, kind);
        const uint64_t values[] = {counters.executions, counters.sectors, counters.bytes_requested};
        char where[32];
        snprintf(where, sizeof where, "requests of %ss", wm_access_kind_name(kind));
        for (size_t i = 0; counters.executions != 0 && i < 3; i++)
            add_row(stream, name, where, &counted[i], values[i], "");
        add_ratios(stream, name, where, &counters, "");
    }
}

// What an instruction caused, or fetching code; or why what was missed was not there.
static void add_caused(FILE *stream, const char *kernel, const char *where,
                       const struct wm_instruction_counter_set *counted, const void *counters,
                       const char *source)
{
    uint64_t values[WM_MOST_INSTRUCTION_VALUES];
    wm_instruction_counter_values(counted, counters, values);
    for (size_t i = 0; i < counted->set.count; i++)
        add_row(stream, kernel, where, &counted->declarations[i], values[i], source);
}

static void add_instruction(FILE *stream, const char *kernel, const struct wm_results *results,
                            const struct wm_instruction_result *instruction)
{
    char where[32];
    snprintf(where, sizeof where, "pc %" PRIu32, instruction->pc);
    struct wm_text source;
    wm_text_init(&source);
    if (instruction->source_file != NULL)
        wm_text_format(&source, "%s:%" PRIu32 " ", instruction->source_file,
                       instruction->source_line);
    wm_text_format(&source, "ptx:%" PRIu32 " %s", instruction->ptx_line, instruction->text);
    add_caused(stream, kernel, where, results->counted, &instruction->counters,
               source.data != NULL ? source.data : "");
    add_ratios(stream, kernel, where, &instruction->counters,
               source.data != NULL ? source.data : "");
    if (instruction->explained != NULL)
        add_caused(stream, kernel, where, results->missed, instruction->explained,
                   source.data != NULL ? source.data : "");
    const uint64_t *timed = (const uint64_t *)instruction->timed;
    for (size_t c = 0; timed != NULL && c < wm_load_counter_set.count; c++)
        add_row(stream, kernel, where, &wm_load_counter_set.declarations[c], timed[c],
                source.data != NULL ? source.data : "");
    wm_text_release(&source);
}

static void add_kernel(FILE *stream, const struct wm_results *results, const char *name,
                       const struct wm_kernel_result *kernel)
{
    const struct wm_counter_set *own = &wm_kernel_counter_set;
    const uint64_t values[] = {
        kernel->launches,      kernel->warp_instructions, kernel->thread_instructions,
        kernel->blocks_per_sm, kernel->shared_bytes,      kernel->l1_bytes,
        kernel->cycles};
    // Cycles last: only of timed runs.
    size_t count = own->count - (kernel->cycles == 0);
    for (size_t i = 0; i < count; i++)
        add_row(stream, name, "kernel", &own->declarations[i], values[i], kernel->signature);
    add_requests(stream, name, kernel);
    add_components(stream, name, kernel->components, kernel->component_count);
    if (kernel->energy != NULL)
        wm_energy_csv(kernel->energy, name, stream);
    if (kernel->fetches.requests != 0)
        add_caused(stream, name, "fetches", results->counted, &kernel->fetches, "");
    if (kernel->fetches.requests != 0 && kernel->fetches_explained != NULL)
        add_caused(stream, name, "fetches", results->missed, kernel->fetches_explained, "");
    for (uint32_t i = 0; i < kernel->instruction_count; i++)
        add_instruction(stream, name, results, &kernel->instructions[i]);
}

// Where there are several GPUs, one of them has several kernels of a name.
static void add_named_kernel(FILE *stream, const struct wm_results *results,
                             const struct wm_kernel_result *kernel)
{
    struct wm_text name;
    wm_text_init(&name);
    wm_text_add(&name, kernel->name);
    if (results->gpus > 1)
        wm_text_format(&name, " on gpu%" PRIu32, kernel->gpu);
    add_kernel(stream, results, name.failed ? kernel->name : name.data, kernel);
    wm_text_release(&name);
}

static void add_host(FILE *stream, const struct wm_results *results)
{
    const uint64_t values[] = {results->host_to_device_bytes, results->device_to_host_bytes,
                               results->device_to_device_bytes};
    for (size_t i = 0; i < wm_host_counter_set.count; i++)
        add_row(stream, "", "host", &wm_host_counter_set.declarations[i], values[i], "");
}

enum wm_status wm_report_csv(const struct wm_results *results, const char *path,
                             struct wm_error *error)
{
    struct wm_report_file file;
    WM_TRY(wm_report_file_open(&file, path, error));
    fputs("kernel,where,counter,value,unit,source\n", file.stream);
    for (uint32_t i = 0; i < results->kernel_count; i++)
        add_named_kernel(file.stream, results, &results->kernels[i]);
    wm_launches_csv(results, file.stream);
    wm_written_lines_csv(results, file.stream);
    add_components(file.stream, "", results->components, results->component_count);
    if (results->energy != NULL)
        wm_energy_csv(results->energy, "", file.stream);
    add_host(file.stream, results);
    return wm_report_file_close(&file, true, error);
}
