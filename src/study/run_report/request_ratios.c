#include "study/run_report/request_ratios.h"

#include "study/run_report/result_sums.h"

static const struct wm_counter_declaration declarations[] = {
    WM_REQUEST_RATIOS(WM_COUNTER_DECLARATION)};
const struct wm_counter_set wm_request_ratio_set = {"instruction_ratios", "requests of warps",
                                                    declarations,
                                                    sizeof declarations / sizeof declarations[0]};

static double thousandths(double value)
{
    return (double)(uint64_t)(value * 1000.0 + 0.5) / 1000.0;
}

bool wm_request_ratios_of(const struct wm_instruction_counters *counters,
                          struct wm_request_ratios *ratios)
{
    *ratios = (struct wm_request_ratios){0};
    if (counters->executions == 0 || counters->sectors == 0)
        return false;
    double sectors = (double)counters->sectors;
    double used = 100.0 * (double)counters->bytes_requested / (sectors * WM_SECTOR_BYTES);
    ratios->sectors_per_request = thousandths(sectors / (double)counters->executions);
    ratios->bytes_used_percent = used < 100.0 ? thousandths(used) : 100.0;
    return true;
}

struct wm_instruction_counters wm_kernel_requests(const struct wm_kernel_result *kernel,
                                                  enum wm_access_kind kind)
{
    struct wm_instruction_counters sum = {0};
    for (uint32_t i = 0; i < kernel->instruction_count; i++)
        if (kernel->instructions[i].kind == kind &&
            wm_space_leaves_sm(kernel->instructions[i].space))
            wm_instruction_counters_add(&sum, &kernel->instructions[i].counters);
    return sum;
}
