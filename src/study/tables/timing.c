#include "study/tables/timing.h"

#include "base/text/units.h"
#include "engine/access/sm_counters.h"
#include "study/run_report/result_sums.h"
#include "study/tables/column_titles.h"
#include "study/tables/cpu_cores.h"
#include "study/tables/location.h"

#include <inttypes.h>

enum { MOST_KERNELS = 3, UNIT_BYTES = 32 };

// A row: one kernel, or all of them added up.
struct timed {
    const struct wm_results *results;
    const struct wm_kernel_result *kernel; // NULL: all
    uint64_t cycles, warp_instructions;
    bool elapsed; // of all: launches ran side by side, and the cycles are those of the clock
};

// --- What the columns say ---

// What the tables in time have in common: a row a kernel, and what they are of.
#define KERNEL_COLUMN(head, legend)                                     \
    {                                                                   \
        head, 'l', 0, "a kernel; of several, all of them", legend, NULL \
    }
#define EACH_KERNEL(columns) WM_REPORT_TABLE("run and replay in time: each kernel", columns)

static const struct wm_report_column cycle_columns[] = {
    KERNEL_COLUMN("Warps waited", NULL),
    WM_COLUMN_CYCLES,
    WM_COLUMN_TIME,
    {"IPC", 'r', 0, "warp instructions a cycle, all SMs together",
     "warp instructions a cycle, of all SMs", "sm__inst_executed.sum.per_cycle_elapsed"},
    {"an SM", 'r', 0, "warp instructions a cycle of one SM, on average", "the same of one",
     "sm__inst_executed.avg.per_cycle_elapsed"},
    {"ready", 'r', 0,
     "of the cycles in which warps were resident, those in which they could have issued: another "
     "was chosen, or the unit was busy",
     "of resident warps' cycles, those in which they could issue (another was chosen, or the unit "
     "was busy), the next ones those in which they waited",
     "smsp__average_warps_issue_stalled_not_selected_per_issue_active.ratio, with math pipe "
     "throttle and selected"},
    {"result", 'r', 0, "those in which they waited for the result of another instruction", NULL,
     "smsp__average_warps_issue_stalled_wait_per_issue_active.ratio"},
    {"memory", 'r', 0, "those in which they waited for memory", NULL,
     "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio"},
    {"barrier", 'r', 0, "those in which they waited at a barrier", NULL,
     "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio"},
};
const struct wm_report_table wm_cycle_table = EACH_KERNEL(cycle_columns);

static const struct wm_report_column rate_columns[] = {
    KERNEL_COLUMN("Rates, GB/s", "in brackets, of the most that can be carried"),
    {"SM to L2", 'r', 0,
     "10^9 bytes a second that the interconnect carried from the SMs, headers included, and of "
     "what "
     "it can carry at most",
     NULL, NULL},
    {"L2 to SM", 'r', 0, "the same towards the SMs", NULL, NULL},
    {"DRAM", 'r', 0,
     "10^9 bytes a second that DRAM's data buses carried, and of what they can carry at most", NULL,
     "dram__bytes.sum.per_second, dram__throughput.avg.pct_of_peak_sustained_elapsed"},
    {"row hits", 'r', 0, "of the requests to DRAM, those whose row was open", NULL, NULL},
    {"in switches", 'r', 0,
     "cycles that a packet stood first in a buffer of the interconnect's switches, on average",
     "cycles that a packet waited there", NULL},
};
const struct wm_report_table wm_rate_table = EACH_KERNEL(rate_columns);

static const struct wm_report_column stall_columns[] = {
    KERNEL_COLUMN("Load/store stalls",
                  "of all SMs' cycles, those in which a request had to come again"),
    {"no MSHR", 'r', 0,
     "of all SMs' cycles, those in which a request waited for a free MSHR (miss status holding "
     "register) of L1",
     "all MSHRs of L1 in use", NULL},
    {"MSHR full", 'r', 0,
     "those in which a request waited because its line's MSHR holds as many requests as it can",
     "its line's MSHR can hold no more requests", NULL},
    {"ways taken", 'r', 0,
     "those in which a request waited because each way of its set was reserved for a line on its "
     "way",
     "each way of its set reserved for a line on its way", NULL},
    {"queue", 'r', 0, "those in which a request waited for room in the queue towards L2",
     "the queue to L2 full", NULL},
    {"L1 banks", 'r', 0, "those in which a request waited for a bank of L1's data",
     "bank of L1's data busy", NULL},
    {"shared", 'r', 0, "cycles that bank conflicts of shared memory added",
     "bank conflicts of shared memory",
     "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum, as cycles"},
};
const struct wm_report_table wm_stall_table = EACH_KERNEL(stall_columns);

static const struct wm_report_column l1_load_columns[] = {
    KERNEL_COLUMN("L1 by load", NULL),
    {"MPKI", 'r', 0, "requests that missed in L1, a thousand warp instructions", NULL, NULL},
    {"cycles", 'r', 0,
     "mean of the cycles from a load's issue until all its lanes had their data, shared memory "
     "included",
     "mean of a load, from its issue until all lanes have their data", NULL},
    {"coherent", 'r', 0, "loads of one line or two that were looked up in L1",
     "loads of one line or two", NULL},
    {"in L1", 'r', 0, "of them, those that found all their lines in L1",
     "of them, those that found all lines there", NULL},
    {"divergent", 'r', 0, "loads of more than two lines that were looked up in L1",
     "loads of more lines", NULL},
    {"in L1", 'r', 0, "of them, those that found all their lines in L1", NULL, NULL},
    {"oldest", 'r', 0,
     "of the instructions issued, those of the oldest unfinished warp of their scheduler",
     "of the instructions issued, those of a scheduler's oldest warp", NULL},
    {"3 oldest", 'r', 0, "the same of its three oldest unfinished warps", "of its three oldest",
     NULL},
};
const struct wm_report_table wm_l1_load_table = EACH_KERNEL(l1_load_columns);

typedef void fill_row(struct wm_text_table *table, const struct timed *timed);

static uint64_t sum_of(const struct timed *timed, const char *kind, const char *counter)
{
    if (timed->kernel == NULL)
        return wm_results_sum(timed->results, kind, counter);
    return wm_component_sum(timed->kernel->components, timed->kernel->component_count, kind,
                            counter);
}

// Whether a component is counted in an SM, or a CPU core: "gpu0.sm[3].link".
static bool is_in_unit(const struct wm_component_result *component)
{
    char level[WM_COMPONENT_PATH_BYTES];
    wm_counter_level(component->path, level);
    char *last = strrchr(level, '.'), *before;
    if (last == NULL)
        return false;
    *last = '\0';
    before = strrchr(level, '.');
    before = before != NULL ? before + 1 : level;
    return strncmp(before, "sm[", 3) == 0 || strncmp(before, "core[", 5) == 0;
}

// Flits that the links of SMs and cores sent, or those of what is at the network's other end.
static uint64_t flits_of_kernel(const struct wm_kernel_result *kernel, bool of_sms)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < kernel->component_count; i++) {
        uint64_t flits = wm_component_sum(&kernel->components[i], 1, "link", "flits");
        if (flits != 0 && is_in_unit(&kernel->components[i]) == of_sms)
            sum += flits;
    }
    return sum;
}

static double flits_of(const struct timed *timed, bool of_sms)
{
    const struct wm_results *results = timed->results;
    if (timed->kernel != NULL)
        return (double)flits_of_kernel(timed->kernel, of_sms);
    uint64_t sum = 0;
    for (uint32_t i = 0; i < results->kernel_count; i++)
        sum += flits_of_kernel(&results->kernels[i], of_sms);
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
    if (timed->kernel != NULL && timed->kernel->on_cores)
        wm_text_table_cell(table, 4, "-");
    else
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

enum { NETWORK_WAIT = 5 }; // a column where the interconnect has switches

static void fill_rates(struct wm_text_table *table, const struct timed *timed)
{
    const struct wm_timed_rates *rates = &timed->results->rates;
    double seconds = seconds_of(timed), flit = rates->flit_bytes;
    uint64_t hits = sum_of(timed, "dram_channel", "row_hits");
    uint64_t rows = hits + sum_of(timed, "dram_channel", "row_misses") +
                    sum_of(timed, "dram_channel", "row_conflicts");
    double dram = (double)(sum_of(timed, "dram_channel", "bytes_read") +
                           sum_of(timed, "dram_channel", "bytes_written"));
    rate_cell(table, 1, flits_of(timed, true) * flit, seconds, rates->link_bytes_per_second);
    rate_cell(table, 2, flits_of(timed, false) * flit, seconds, rates->link_bytes_per_second);
    rate_cell(table, 3, dram, seconds, rates->dram_bytes_per_second);
    share_cell(table, 4, (double)hits, (double)rows);
    double packets = (double)sum_of(timed, "link", "packets");
    if (table->columns > NETWORK_WAIT && packets != 0)
        wm_text_table_cell(table, NETWORK_WAIT, "%.1f",
                           (double)sum_of(timed, "switches", "waited") / packets);
}

// --- Load/store units ---

static void fill_stalls(struct wm_text_table *table, const struct timed *timed)
{
    static const char *const counters_by_pc[] = {"stalled_mshr", "stalled_merge",
                                                 "stalled_way",  "stalled_queue",
                                                 "stalled_bank", "bank_conflict_cycles"};
    double all = (double)timed->cycles * timed->results->rates.sms;
    for (uint32_t i = 0; i < sizeof counters_by_pc / sizeof counters_by_pc[0]; i++)
        share_cell(table, 1 + i, (double)sum_of(timed, "memory_unit", counters_by_pc[i]), all);
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
    uint64_t done = sum_of(timed, "memory_unit", "loads");
    if (done == 0)
        wm_text_table_cell(table, 2, "-");
    else
        wm_text_table_cell(table, 2, "%.1f",
                           (double)sum_of(timed, "memory_unit", "load_cycles") / (double)done);
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t loads = sum_of(timed, "l1", groups[i][0]);
        char number[UNIT_BYTES];
        wm_text_table_cell(table, 3 + 2 * i, "%s",
                           wm_units_round((double)loads, WM_QUANTITY_COUNT, number, sizeof number));
        share_cell(table, 4 + 2 * i, (double)sum_of(timed, "l1", groups[i][1]), (double)loads);
    }
    share_cell(table, 7, oldest, issued);
    share_cell(table, 8, oldest + others, issued);
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
    struct timed all = {.results = results};
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
        count++;
    }
    // Kernels that ran side by side used the machine at the same time: what all of them did is
    // compared with the time that passed.
    all.elapsed = results->elapsed_cycles != 0 && results->elapsed_cycles < all.cycles;
    if (all.elapsed)
        all.cycles = results->elapsed_cycles;
    if (timed_kernels > 1 || all.elapsed)
        rows[count++] = all;
    return count;
}

static void append_elapsed(const struct timed *last, struct wm_text *text)
{
    if (last->elapsed)
        wm_text_add(text,
                    "  Launches ran side by side: a kernel's cycles are those of its launches "
                    "added up,\n  and \"all, elapsed\" has those in which any was under way.\n");
}

static void print(const struct timed *rows, uint32_t count, const struct wm_report_table *declared,
                  uint32_t declared_count, fill_row *fill, unsigned columns, struct wm_text *text)
{
    struct wm_text_table table;
    wm_report_table_begin(&table, declared, declared_count);
    for (uint32_t i = 0; i < count; i++) {
        wm_text_table_row(&table);
        if (rows[i].kernel != NULL)
            wm_report_name_cell(&table, 0, "  ", rows[i].kernel);
        else
            wm_text_table_cell(&table, 0, rows[i].elapsed ? "  all, elapsed" : "  all");
        fill(&table, &rows[i]);
    }
    wm_text_add(text, "\n");
    wm_text_table_print(&table, columns, text);
    wm_report_table_legend(declared, declared_count, columns, text);
}

// What is said of SMs alone: of kernels that ran there, and of all where these are several.
static uint32_t choose_of_sms(const struct timed *rows, uint32_t count, struct timed *of_sms)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (rows[i].kernel != NULL ? !rows[i].kernel->on_cores : kept > 1 || rows[i].elapsed)
            of_sms[kept++] = rows[i];
    return kept == 1 && of_sms[0].kernel == NULL ? 0 : kept;
}

void wm_report_time(const struct wm_results *results, unsigned columns, struct wm_text *text)
{
    struct timed rows[MOST_KERNELS + 1];
    uint32_t count = choose(results, rows);
    if (count == 0 || results->clock_hz == 0)
        return;
    print(rows, count, &wm_cycle_table, wm_cycle_table.count, fill_cycles, columns, text);
    append_elapsed(&rows[count - 1], text);
    bool has_switches = wm_results_sum(results, "switches", "packets") != 0;
    print(rows, count, &wm_rate_table, has_switches ? wm_rate_table.count : NETWORK_WAIT,
          fill_rates, columns, text);
    wm_report_cpu_cores(results, columns, text);
    count = choose_of_sms(rows, count, rows);
    if (count == 0)
        return;
    print(rows, count, &wm_stall_table, wm_stall_table.count, fill_stalls, columns, text);
    print(rows, count, &wm_l1_load_table, wm_l1_load_table.count, fill_loads, columns, text);
}
