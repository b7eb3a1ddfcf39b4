#include "cli/options/limit_option.h"

#include "base/text/units.h"

// `base`: how many of the quantity's units one of the process's is.
static enum wm_status read_limit(const char *option, const char *text, enum wm_quantity quantity,
                                 uint64_t base, uint64_t *limit, struct wm_error *error)
{
    uint64_t value = 0;
    *limit = 0;
    if (!text)
        return WM_OK;
    if (wm_units_parse(text, quantity, &value, error) != WM_OK)
        return wm_error_place(error, "%s", option);
    if (value < base) {
        wm_fail(error, WM_INVALID, "\"%.60s\" leaves nothing to run", text);
        return wm_error_place(error, "%s", option);
    }
    *limit = value / base;
    return WM_OK;
}

enum wm_status wm_limit_options_read(const struct wm_limit_values *values, struct wm_limits *limits,
                                     struct wm_error *error)
{
    WM_TRY(read_limit("--limit-instructions", values->instructions, WM_QUANTITY_COUNT, 1,
                      &limits->instructions, error));
    return read_limit("--limit-time", values->time, WM_QUANTITY_SECONDS, 1000, &limits->ns, error);
}
