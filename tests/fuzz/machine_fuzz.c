// Machine files: whatever the bytes, an answer; what is accepted must print back to itself; what is
// refused must say where and why. Text after a line "--set" is taken as settings, a line each.
#include "machine/machine.h"

#include <stdbool.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void check_accepted(const struct wm_machine *machine)
{
    struct wm_text text;
    struct wm_machine again;
    wm_text_init(&text);
    wm_machine_print(machine, &text);
    require(!text.failed);
    require(wm_machine_read(text.data, text.length, "printed", NULL, 0, &again, NULL) == WM_OK);
    require(memcmp(machine, &again, sizeof again) == 0);
    wm_text_release(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MOST_SETTINGS = 8 };
    static const char mark[] = "\n--set\n";
    char *input = malloc(size + 1);
    if (!input)
        return 0;
    memcpy(input, data, size);
    input[size] = '\0';

    const char *settings[MOST_SETTINGS];
    uint32_t setting_count = 0;
    size_t length = size;
    char *at = memmem(input, size, mark, sizeof mark - 1);
    if (at) {
        length = (size_t)(at - input) + 1;
        at += sizeof mark - 1;
        while (*at && setting_count < MOST_SETTINGS) {
            settings[setting_count++] = at;
            at += strcspn(at, "\n");
            if (*at)
                *at++ = '\0';
        }
    }
    // A copy of the exact length, so that a read past its end is seen.
    char *text = malloc(length ? length : 1);
    if (text) {
        memcpy(text, input, length);
        struct wm_machine machine;
        struct wm_error error;
        if (wm_machine_read(text, length, "fuzz", settings, setting_count, &machine, &error) ==
            WM_OK) {
            check_accepted(&machine);
        } else {
            char buffer[sizeof error + 64];
            require(error.status != WM_OK && error.place[0] && error.message[0]);
            wm_error_format(&error, buffer, sizeof buffer);
        }
    }
    free(text);
    free(input);
    return 0;
}
