// A replacement entry of one's own, outside warpmem's tree: the line that was used least often
// makes room. From any folder, with warpmem's headers found by -I (or installed):
//
//     gcc -shared -fPIC -I ../include -o frequency.so plugin_frequency.c
//     warpmem run --plugin frequency.so --set 'gpu.l1.replacement=frequency(most=3)' -- ./gemm 128
#include <warpmem/plugin.h>

struct state {
    uint64_t most;
};                    // of one cache
typedef uint8_t uses; // of one line

static void reset(void *array, const struct wm_replacement_geometry *geometry)
{
    ((struct state *)array)->most = geometry->parameters[0];
}

static void hit(const struct wm_replacement_set *set, uint32_t way,
                const struct wm_replacement_event *event)
{
    (void)event;
    uses *line = (uses *)set->lines + way;
    *line = (uses)(*line + (*line < ((const struct state *)set->array)->most));
}

static void insert(const struct wm_replacement_set *set, uint32_t way,
                   const struct wm_replacement_event *event)
{
    (void)event;
    ((uses *)set->lines)[way] = 0;
}

static int32_t victim(const struct wm_replacement_set *set,
                      const struct wm_replacement_event *event, const uint64_t *allowed)
{
    (void)event;
    int32_t best = WM_NO_WAY;
    for (uint32_t way = 0; way < set->ways; way++)
        if ((!allowed || allowed[way / 64] >> (way % 64) & 1) &&
            (best < 0 || ((uses *)set->lines)[way] < ((uses *)set->lines)[best]))
            best = (int32_t)way;
    return best;
}

static const struct wm_parameter parameters[] = {
    {"most", "uses that are counted of one line", 1, 255, 15},
};
static const struct wm_replacement_ops frequency = {
    .name = "frequency",
    .title = "least frequently used",
    .source = "examples/plugin_frequency.c",
    .sentence = "displaces the line with the fewest uses",
    .parameters = parameters,
    .parameter_count = 1,
    .array_state_bytes = sizeof(struct state),
    .line_state_bytes = sizeof(uses),
    .reset = reset,
    .hit = hit,
    .insert = insert,
    .victim = victim,
};
static const struct wm_replacement_ops *const replacements[] = {&frequency};
WARPMEM_PLUGIN(.replacements = replacements, .replacement_count = 1);
