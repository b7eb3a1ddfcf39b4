#include "study/report_time.h"

#include "base/units.h"
#include "study/result_sums.h"
#include "study/text_table.h"

#include <inttypes.h>

enum { MOST_KERNELS = 3, UNIT_BYTES = 32 };

// A row: one kernel, or all of them added up.
struct timed {
    char name[WM_TABLE_CELL_BYTES - 8];
    const struct wm_results *results;
    const struct wm_kernel_result *kernel; // NULL: all
    uint64_t cycles, warp_instructions;
};

typedef void fill_row(struct wm_text_table *table, const struct timed *timed);

static uint64_t sum_of(const struct timed *timed, const char *kind, const char *counter)
{
    if (timed->kernel == NULL)
        return wm_results_sum(timed->results, kind, counter);
    return wm_component_sum(timed->kernel->components, timed->kernel->component_count, kind,
                            counter);
}

// Flits that links of this side sent: "gpu0.sm[" or "gpu0.l2[" begins their paths.
static uint64_t flits_of_kernel(const struct wm_kernel_result *kernel, const char *side)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < kernel->component_count; i++)
        if (strncmp(kernel->components[i].path, side, strlen(side)) == 0)
            sum += wm_component_sum(&kernel->components[i], 1, "link", "flits");
    return sum;
}

static double flits_of(const struct timed *timed, const char *side)
{
    const struct wm_results *results = timed->results;
    if (timed->kernel != NULL)
        return (double)flits_of_kernel(timed->kernel, side);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < results->kernel_count; i++)
        sum += flits_of_kernel(&results->kernels[i], side);
    return (double)sum;
}

static void share_cell(struct wm_text_table *table, uint32_t column, double part, double whole)
{
    if (whole <= 0)
        wm_text_table_cell(table, column, "-");
    else
        wm_text_table_cell(table, column, "%.1f%%", 100.0 * part / whole);
}

static double seconds_of(const struct timed *timed)
{
    return (double)timed->cycles / (double)timed->results->clock_hz;
}

static void time_cell(struct wm_text_table *table, uint32_t column, double seconds)
{
    char number[UNIT_BYTES];
    // Picoseconds are the unit that the base keeps.
    wm_text_table_cell(table, column, "%s",
                       wm_units_round(seconds * 1e12, WM_QUANTITY_SECONDS, number, sizeof number));
}

// --- Cycles, and where warps waited ---

static void fill_cycles(struct wm_text_table *table, const struct timed *timed)
{
    static const char *const waits[] = {"waited_ready", "waited_result", "waited_memory",
                                        "waited_barrier"};
    enum { WAITS = sizeof waits / sizeof waits[0] };
    double instructions = (double)timed->warp_instructions, cycles = (double)timed->cycles;
    double sms = timed->results->rates.sms, sum = 0, waited[WAITS];
    wm_text_table_cell(table, 1, "%" PRIu64, timed->cycles);
    time_cell(table, 2, seconds_of(timed));
    wm_text_table_cell(table, 3, "%.3g", instructions / cycles);
    wm_text_table_cell(table, 4, "%.3g", instructions / cycles / sms);
    for (uint32_t i = 0; i < WAITS; i++) {
        waited[i] = (double)sum_of(timed, "issue", waits[i]);
        sum += waited[i];
    }
    for (uint32_t i = 0; i < WAITS; i++)
        share_cell(table, 5 + i, waited[i], sum);
}

// --- Rates ---

static void rate_cell(struct wm_text_table *table, uint32_t column, double bytes, double seconds,
                      double most)
{
    double rate = bytes / seconds;
    int decimals = rate < 10e9 ? 2 : rate < 100e9 ? 1 : 0;
    wm_text_table_cell(table, column, "%.*f (%.1f%%)", decimals, rate / 1e9, 100.0 * rate / most);
}

enum { NETWORK_WAIT = 6 }; // a column where the interconnect has switches

static void fill_rates(struct wm_text_table *table, const struct timed *timed)
{
    const struct wm_timed_rates *rates = &timed->results->rates;
    double seconds = seconds_of(timed), flit = rates->flit_bytes;
    uint64_t loads = sum_of(timed, "memory_unit", "loads");
    uint64_t hits = sum_of(timed, "dram_channel", "row_hits");
    uint64_t rows = hits + sum_of(timed, "dram_channel", "row_misses") +
                    sum_of(timed, "dram_channel", "row_conflicts");
    double dram = (double)(sum_of(timed, "dram_channel", "bytes_read") +
                           sum_of(timed, "dram_channel", "bytes_written"));
    if (loads == 0)
        wm_text_table_cell(table, 1, "-");
    else
        wm_text_table_cell(table, 1, "%.1f",
                           (double)sum_of(timed, "memory_unit", "load_cycles") / (double)loads);
    rate_cell(table, 2, flits_of(timed, "gpu0.sm[") * flit, seconds, rates->link_bytes_per_second);
    rate_cell(table, 3, flits_of(timed, "gpu0.l2[") * flit, seconds, rates->link_bytes_per_second);
    rate_cell(table, 4, dram, seconds, rates->dram_bytes_per_second);
    share_cell(table, 5, (double)hits, (double)rows);
    double packets = (double)sum_of(timed, "link", "packets");
    if (table->columns > NETWORK_WAIT && packets != 0)
        wm_text_table_cell(table, NETWORK_WAIT, "%.1f",
                           (double)sum_of(timed, "switches", "waited") / packets);
}

// --- Load/store units ---

static void fill_stalls(struct wm_text_table *table, const struct timed *timed)
{
    static const char *const causes[] = {"stalled_mshr",  "stalled_merge", "stalled_way",
                                         "stalled_queue", "stalled_bank",  "bank_conflict_cycles"};
    double all = (double)timed->cycles * timed->results->rates.sms;
    for (uint32_t i = 0; i < sizeof causes / sizeof causes[0]; i++)
        share_cell(table, 1 + i, (double)sum_of(timed, "memory_unit", causes[i]), all);
}

// --- L1 by load, and who issued ---

static void fill_loads(struct wm_text_table *table, const struct timed *timed)
{
    static const char *const groups[][2] = {{"coherent_loads", "coherent_loads_cached"},
                                            {"divergent_loads", "divergent_loads_cached"}};
    double issued = (double)sum_of(timed, "issue", "issued");
    double oldest = (double)sum_of(timed, "issue", "issued_by_oldest");
    double others = (double)(sum_of(timed, "issue", "issued_by_second") +
                             sum_of(timed, "issue", "issued_by_third"));
    if (timed->warp_instructions != 0)
        wm_text_table_cell(table, 1, "%.1f",
                           1000.0 * (double)sum_of(timed, "l1", "accesses_missed") /
                               (double)timed->warp_instructions);
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t loads = sum_of(timed, "l1", groups[i][0]);
        char number[UNIT_BYTES];
        wm_text_table_cell(table, 2 + 2 * i, "%s",
                           wm_units_round((double)loads, WM_QUANTITY_COUNT, number, sizeof number));
        share_cell(table, 3 + 2 * i, (double)sum_of(timed, "l1", groups[i][1]), (double)loads);
    }
    share_cell(table, 6, oldest, issued);
    share_cell(table, 7, oldest + others, issued);
}

// --- Tables ---

static bool took_longer(const struct wm_kernel_result *a, const struct wm_kernel_result *b)
{
    return a->cycles != b->cycles ? a->cycles > b->cycles : a < b;
}

// The kernels that took most cycles, in order of first launch, and then all of them.
static uint32_t choose(const struct wm_results *results, struct timed rows[MOST_KERNELS + 1])
{
    uint32_t count = 0, timed_kernels = 0;
    struct timed all = {.name = "all", .results = results};
    for (uint32_t i = 0; i < results->kernel_count; i++) {
        const struct wm_kernel_result *kernel = &results->kernels[i];
        if (kernel->cycles == 0)
            continue;
        timed_kernels++;
        all.cycles += kernel->cycles;
        all.warp_instructions += kernel->warp_instructions;
        uint32_t longer = 0;
        for (uint32_t j = 0; j < results->kernel_count && longer < MOST_KERNELS; j++)
            longer += j != i && took_longer(&results->kernels[j], kernel);
        if (longer == MOST_KERNELS)
            continue;
        rows[count] = (struct timed){.results = results,
                                     .kernel = kernel,
                                     .cycles = kernel->cycles,
                                     .warp_instructions = kernel->warp_instructions};
        wm_short_name(kernel->signature, rows[count].name, sizeof rows[count].name);
        count++;
    }
    if (timed_kernels > 1)
        rows[count++] = all;
    return count;
}

static void print(const struct timed *rows, uint32_t count, const char *const *heads,
                  const char *alignment, fill_row *fill, unsigned columns, struct wm_text *text)
{
    struct wm_text_table table;
    wm_text_table_init(&table, alignment);
    wm_text_table_row(&table);
    for (uint32_t i = 0; alignment[i] != '\0'; i++)
        wm_text_table_cell(&table, i, "%s", heads[i]);
    for (uint32_t i = 0; i < count; i++) {
        wm_text_table_row(&table);
        wm_text_table_cell(&table, 0, "  %s", rows[i].name);
        fill(&table, &rows[i]);
    }
    wm_text_add(text, "\n");
    wm_text_table_print(&table, columns, text);
}

void wm_report_time(const struct wm_results *results, unsigned columns, struct wm_text *text)
{
    static const char *const cycles[] = {"Warps waited", "cycles", "time",   "IPC",    "an SM",
                                         "ready",        "result", "memory", "barrier"};
    static const char *const rates[] = {"Rates, GB/s", "load cycles", "SM to L2",   "L2 to SM",
                                        "DRAM",        "row hits",    "in switches"};
    static const char *const stalls[] = {
        "Load/store stalls", "no MSHR", "entry full", "ways taken", "queue", "L1 banks", "shared"};
    static const char *const loads[] = {"L1 by load", "MPKI",  "coherent",  "whole",
                                        "divergent",  "whole", "by oldest", "by 3 oldest"};
    struct timed rows[MOST_KERNELS + 1];
    uint32_t count = choose(results, rows);
    if (count == 0 || results->clock_hz == 0)
        return;
    print(rows, count, cycles, "lrrrrrrrr", fill_cycles, columns, text);
    bool has_switches = wm_results_sum(results, "switches", "packets") != 0;
    print(rows, count, rates, has_switches ? "lrrrrrr" : "lrrrrr", fill_rates, columns, text);
    print(rows, count, stalls, "lrrrrrr", fill_stalls, columns, text);
    print(rows, count, loads, "lrrrrrrr", fill_loads, columns, text);
}
