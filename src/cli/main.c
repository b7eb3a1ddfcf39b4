#include "base/host/processor.h"
#include "cli/framework/command.h"
#include "cli/framework/standard_output.h"
#include "cli/framework/write_signals.h"

// Without these the first count of bits would end in an illegal instruction
// (docs/decisions/0010-x86-64-v2.md).
static bool processor_is_known(void)
{
#if defined(__x86_64__) && defined(__POPCNT__)
    __builtin_cpu_init();
    return __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("sse4.2");
#else
    return true;
#endif
}

int main(int argc, char **argv)
{
    if (!processor_is_known()) {
        fputs("error: this processor has no SSE4.2 and POPCNT, for which warpmem was built\n"
              "hint: build it with meson setup build -Dc_args=-march=x86-64\n",
              stderr);
        return 2;
    }
    struct wm_error error;
    char text[sizeof error + 64];
    if (wm_processor_check(&error) != WM_OK) {
        fputs(wm_error_format(&error, text, sizeof text), stderr);
        return WM_EXIT_INVALID;
    }
    wm_write_signals_ignore();
    wm_standard_output_open();
    return wm_command_main(&wm_command_root, argc, argv, stdout, stderr);
}
