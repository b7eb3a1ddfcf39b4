// The mean that a figure has over its workloads. Private to study/.
#ifndef WM_STUDY_FILE_FIGURE_MEAN_H
#define WM_STUDY_FILE_FIGURE_MEAN_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

// Arithmetic or geometric mean of values that come one by one; zeros but for `geometric` before the
// first.
struct wm_figure_mean {
    bool geometric;
    double sum; // of logarithms, when geometric
    uint32_t count;
};

static inline void wm_figure_mean_add(struct wm_figure_mean *mean, double value)
{
    mean->sum += !mean->geometric ? value : value > 0 ? log(value) : NAN;
    mean->count++;
}

// NAN when a value was not known (NAN), when there was none, and for a geometric mean of one that
// is not positive.
static inline double wm_figure_mean_value(const struct wm_figure_mean *mean)
{
    double middle = mean->count != 0 ? mean->sum / mean->count : NAN;
    return mean->geometric ? exp(middle) : middle;
}

#endif
