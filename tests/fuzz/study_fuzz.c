// Study files, and claims by themselves: whatever the bytes, an answer; what is refused must say
// why. A text that begins with "claim" and a newline is a claim, which is checked too when it is
// one.
#include "study/file/study_file.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static bool value_of(const void *context, uint32_t metric, uint32_t workload, uint32_t machine,
                     double *value)
{
    (void)context;
    *value = (double)(metric + 2 * workload) - machine;
    return metric != 1 || workload != 1;
}

static void check_claim(const char *text)
{
    static const char *const sizes[] = {"1MiB", "2MiB"}, *const kinds[] = {"base", "a+b", "1MiB"};
    static const struct wm_axis axes[] = {{"l2", sizes, 2}, {"kind", kinds, 3}};
    static const char *const workloads[] = {"bfs", "lbm"}, *const metrics[] = {"dram", "l1_misses"};
    static const uint8_t machines[][WM_STUDY_MOST_AXES] = {{0, 0}, {0, 1}, {1, 0}, {1, 1}, {1, 2}};
    static const struct wm_expression_names names = {metrics, 2, workloads, 2,
                                                     axes,    2, machines,  5};
    const struct wm_expression_source source = {.metric = value_of};
    const struct wm_expression *claim;
    struct wm_arena arena;
    struct wm_error error;
    size_t offset = SIZE_MAX;
    wm_arena_init(&arena);
    wm_error_clear(&error);
    if (wm_claim_parse(text, &names, &arena, &claim, &offset, &error) == WM_OK) {
        struct wm_text ours;
        wm_text_init(&ours);
        enum wm_verdict verdict = wm_claim_check(claim, &names, &source, &ours);
        require(verdict != WM_CLAIM_UNKNOWN || ours.length > 0);
        wm_text_release(&ours);
    } else {
        require(error.status != WM_OK && error.message[0] && offset <= strlen(text));
    }
    wm_arena_release(&arena);
}

static void check_study(const char *text, size_t length)
{
    struct wm_study study;
    struct wm_error error;
    if (wm_study_read_text(&study, text, length, "fuzz", &error) != WM_OK)
        require(error.status != WM_OK && error.message[0]);
    wm_study_release(&study);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char mark[] = "claim\n";
    const size_t mark_length = sizeof mark - 1;
    // Of the exact length, so that a read past its end is seen.
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    if (size >= mark_length && memcmp(text, mark, mark_length) == 0)
        check_claim(text + mark_length);
    else if (!strstr(text, "/dev")) // no machine is read from there
        check_study(text, size);
    free(text);
    return 0;
}
