// Traces of Accel-Sim: whatever the bytes, a recording or an error that says where and why. The
// bytes are kernel-1.traceg in a folder of their own; where they are no trace they are taken for a
// list, which may name itself. What is accepted is exported, and that is accepted again.
#include "source/accelsim/accelsim_import.h"
#include "source/accelsim/export.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

struct places {
    char folder[64], trace[96], recording[96], again[96], list[128];
};

static void make_places(struct places *places)
{
    const char *memory = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    snprintf(places->folder, sizeof places->folder, "%s/accelsim_fuzz_XXXXXX", memory);
    require(mkdtemp(places->folder) != NULL);
    snprintf(places->trace, sizeof places->trace, "%s/kernel-1.traceg", places->folder);
    snprintf(places->recording, sizeof places->recording, "%s/x.wmt", places->folder);
    snprintf(places->again, sizeof places->again, "%s/again", places->folder);
    snprintf(places->list, sizeof places->list, "%s/kernelslist.g", places->again);
}

static enum wm_status import(const char *path, const char *output, uint64_t *launches)
{
    struct wm_error error;
    wm_error_clear(&error);
    struct wm_accelsim_import asked = {
        .path = path, .output = output, .writer = "fuzz", .most_blocks = 512};
    enum wm_status status = wm_accelsim_import(&asked, &error);
    if (status != WM_OK)
        require(error.message[0] != '\0' && (error.place[0] != '\0' || status == WM_NO_MEMORY));
    *launches = asked.launches;
    return status;
}

static void check_accepted(const struct places *places, uint64_t launches)
{
    struct wm_recording recording;
    require(wm_recording_open(&recording, places->recording, NULL) == WM_OK);
    struct wm_accelsim_export asked = {.folder = places->again, .writer = "fuzz"};
    struct wm_error error;
    wm_error_clear(&error);
    enum wm_status status = wm_accelsim_export(&asked, &recording, &error);
    wm_recording_close(&recording);
    require(status == WM_OK && asked.launches == launches);
    uint64_t again;
    // A launch in which nothing was executed has no blocks to export.
    status = import(places->list, "/dev/null", &again);
    require(status == WM_INVALID || (status == WM_OK && again == launches));
    require(status == WM_OK || asked.warp_instructions == 0 || launches > 1);
    char path[160];
    for (uint64_t id = 1; id <= launches; id++) {
        snprintf(path, sizeof path, "%s/kernel-%lu.traceg", places->again, (unsigned long)id);
        unlink(path);
    }
    unlink(places->list);
    rmdir(places->again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct places places;
    make_places(&places);
    FILE *file = fopen(places.trace, "wb");
    require(file != NULL);
    require(fwrite(data, 1, size, file) == size);
    fclose(file);
    uint64_t launches;
    if (import(places.trace, places.recording, &launches) == WM_OK)
        check_accepted(&places, launches);
    unlink(places.recording);
    unlink(places.trace);
    rmdir(places.folder);
    return 0;
}
