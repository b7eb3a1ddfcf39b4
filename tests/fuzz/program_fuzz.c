// Program files: whatever the bytes, an answer before anything is started; what is refused says
// why.
#include "cli/run/program_check.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wm_program_file_info facts;
    struct wm_error error;
    wm_error_clear(&error);
    enum wm_status status = wm_program_check_bytes(data, size, "program", &facts, &error);
    if (status != WM_OK && (!error.message[0] || error.status != status))
        abort();
    if (status == WM_OK && facts.cudart != 0 && (facts.cudart < 11 || facts.cudart > 13))
        abort();
    if (status == WM_OK && facts.static_cudart != 0 &&
        (facts.static_cudart < 11 || facts.static_cudart > 13))
        abort();
    return 0;
}
