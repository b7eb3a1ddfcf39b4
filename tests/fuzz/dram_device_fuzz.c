// Files of DRAM devices: whatever the bytes, an answer; what is accepted prints and reads back to
// the same, and a channel can be made of it that serves requests; what is refused says why and
// where.
#include "machine/dram_rows.h"
#include "mem/dram/channel.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void check_channel(const struct wm_dram_channel_spec *device)
{
    enum { REQUESTS = 8 };
    struct wm_dram_channel_spec spec = *device;
    struct wm_dram_channel *channel;
    uint64_t next;
    spec.controller.read_queue = spec.controller.write_queue = REQUESTS;
    spec.controller.drain_high = 4;
    require(wm_dram_channel_new(&spec, &channel, NULL) == WM_OK);
    for (uint64_t i = 0; i < REQUESTS; i++) {
        struct wm_dram_request request = {.address = i * 0x9e3779b97f4a7c15, .token = i};
        request.write = i % 3 == 0;
        require(wm_dram_channel_add(channel, 0, &request));
    }
    // Refreshes that are due all the time may keep requests waiting, but not for ever.
    for (int steps = 0; steps < 10000 && (next = wm_dram_channel_next(channel)) != UINT64_MAX;
         steps++)
        wm_dram_channel_advance(channel, next, NULL, NULL);
    require(wm_dram_channel_waiting(channel) == 0);
    wm_dram_channel_free(channel);
}

static void check_accepted(const struct wm_dram_channel_spec *device)
{
    struct wm_dram_channel_spec again = {0};
    struct wm_text text;
    wm_text_init(&text);
    wm_row_table_print(&wm_dram_row_table, device, &text);
    require(wm_row_table_read(&wm_dram_row_table, text.data, NULL, &again, NULL) == WM_OK);
    require(memcmp(device, &again, sizeof again) == 0);
    wm_text_release(&text);
    check_channel(device);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size ? size : 1); // of the exact length, so that a read past it is seen
    struct wm_dram_channel_spec device = {0};
    struct wm_error error;
    if (!text)
        return 0;
    memcpy(text, data, size);
    if (wm_row_table_read_text(&wm_dram_row_table, text, size, "fuzz", &device, &error) == WM_OK)
        check_accepted(&device);
    else
        require(error.status != WM_OK && error.message[0] && error.place[0]);
    free(text);
    return 0;
}
