// What warpmem bypass says of an exact decision that was not proved: the bound, and the gap to it.
#include "cli/bypass/bypass_columns.h"

#include <criterion/criterion.h>

Test(bypass_bound, has_the_gap)
{
    char text[2 * WM_BYPASS_CELL_BYTES];
    struct wm_bypass_solution exact = {.saved = 1024 * 1000, .bound = 1024 * 1125};
    cr_expect_str_eq(
        wm_bypass_bound_text(&exact, text),
        "The exact solver stopped early: no set saves more than 1.10 MiB, 12.5 % above "
        "what it found.");
    exact.saved = 0; // of nothing there are no percent
    cr_expect_str_eq(wm_bypass_bound_text(&exact, text),
                     "The exact solver stopped early: no set saves more than 1.10 MiB.");
    exact.proved = true;
    cr_expect_str_eq(wm_bypass_bound_text(&exact, text), "");
}
