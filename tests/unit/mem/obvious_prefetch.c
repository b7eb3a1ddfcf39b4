#include "obvious_prefetch.h"
#include "obvious_interleave.h"

#include <string.h>

void obvious_prefetch_init(struct obvious_prefetcher *prefetcher, const struct wm_level_spec *spec,
                           uint32_t slice)
{
    const struct wm_entry_values *values = &spec->prefetch_values;
    memset(prefetcher, 0, sizeof *prefetcher);
    prefetcher->stream_count = values->given & 1 ? (uint32_t)values->values[0] : 4;
    prefetcher->lines_each = values->given & 2 ? (uint32_t)values->values[1] : 4;
    prefetcher->level = spec;
    prefetcher->slice = slice;
}

// The line so many lines of the slice behind one.
static uint64_t behind(const struct obvious_prefetcher *prefetcher, uint64_t line, uint64_t count)
{
    for (; count > 0; count--)
        do
            line++;
        while (obvious_slice(prefetcher->level, line * prefetcher->level->cache.line_bytes) !=
               prefetcher->slice);
    return line;
}

// It becomes the first.
static struct obvious_stream *use(struct obvious_prefetcher *prefetcher, uint32_t index)
{
    struct obvious_stream used = prefetcher->streams[index];
    for (uint32_t i = index; i > 0; i--)
        prefetcher->streams[i] = prefetcher->streams[i - 1];
    prefetcher->streams[0] = used;
    return &prefetcher->streams[0];
}

static void request(struct obvious_stream *stream, uint64_t line, struct obvious_stream *requested)
{
    stream->lines[stream->count] = line;
    stream->stale[stream->count++] = false;
    requested->lines[requested->count++] = line;
}

static void take_head(struct obvious_stream *stream)
{
    stream->count--;
    for (uint32_t i = 0; i < stream->count; i++) {
        stream->lines[i] = stream->lines[i + 1];
        stream->stale[i] = stream->stale[i + 1];
    }
}

static bool look_up(struct obvious_prefetcher *prefetcher, uint64_t line,
                    struct obvious_stream *requested)
{
    for (uint32_t i = 0; i < prefetcher->stream_count; i++) {
        if (prefetcher->streams[i].count == 0 || prefetcher->streams[i].lines[0] != line)
            continue;
        struct obvious_stream *stream = use(prefetcher, i);
        bool supplied = !stream->stale[0];
        take_head(stream);
        request(stream, behind(prefetcher, line, prefetcher->lines_each), requested);
        return supplied;
    }
    struct obvious_stream *oldest = use(prefetcher, prefetcher->stream_count - 1);
    oldest->count = 0;
    for (uint32_t i = 1; i <= prefetcher->lines_each; i++)
        request(oldest, behind(prefetcher, line, i), requested);
    return false;
}

bool obvious_prefetch_missed(struct obvious_prefetcher *prefetcher, uint64_t line,
                             uint64_t line_bytes, struct obvious_stream *requested)
{
    requested->count = 0;
    bool supplied = look_up(prefetcher, line, requested);
    prefetcher->counters.misses++;
    prefetcher->counters.supplied += supplied;
    prefetcher->counters.prefetches += requested->count;
    prefetcher->counters.bytes_prefetched += requested->count * line_bytes;
    return supplied;
}

void obvious_prefetch_dropped(struct obvious_prefetcher *prefetcher, uint64_t line)
{
    bool held = false;
    for (uint32_t s = 0; s < prefetcher->stream_count; s++) {
        struct obvious_stream *stream = &prefetcher->streams[s];
        for (uint32_t i = 0; i < stream->count; i++)
            if (stream->lines[i] == line && !stream->stale[i])
                held = stream->stale[i] = true;
    }
    prefetcher->counters.dropped += held;
}

void obvious_prefetch_flush(struct obvious_prefetcher *prefetcher)
{
    memset(prefetcher->streams, 0, sizeof prefetcher->streams);
}
