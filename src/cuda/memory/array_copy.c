#include "cuda/memory/array_copy.h"
#include "base/containers/array.h"
#include "cuda/error/log.h"

#include "cuda/graph/capture.h"
#include "cuda/memory/copy_request.h"
#include "cuda/stream/stream_order.h"

#include <stdlib.h>
#include <string.h>

// ---- Checks ------------------------------------------------------------------------------------

enum side { SIDE_PAGEABLE, SIDE_PINNED, SIDE_MANAGED, SIDE_DEVICE };

static wm_cuda_status check_array(const struct wm_cuda_process *process,
                                  const struct wm_cuda_array_side *side,
                                  const struct wm_cuda_box *box)
{
    const struct wm_cuda_array *array = wm_cuda_array_known(process, side->array, false);
    if (!array)
        return cudaErrorInvalidResourceHandle;
    const struct wm_texel_layout *layout = &array->levels[0];
    uint64_t texel = wm_texel_bytes(&array->format), row = layout->width * texel;
    bool inside = side->x <= row && box->width <= row - side->x && side->y <= layout->height &&
                  box->height <= layout->height - side->y && side->z <= layout->slices &&
                  box->depth <= layout->slices - side->z;
    return inside && side->x % texel == 0 && box->width % texel == 0 ? cudaSuccess
                                                                     : cudaErrorInvalidValue;
}

static wm_cuda_status check_memory(const struct wm_cuda_process *process,
                                   const struct wm_cuda_pitched_address *place,
                                   const struct wm_cuda_box *box, bool write, enum side *side)
{
    uint64_t span;
    if (place->address == 0 || !wm_cuda_span_of(place, box, &span))
        return cudaErrorInvalidValue;
    if ((box->height > 1 || box->depth > 1) && place->pitch < box->width)
        return cudaErrorInvalidPitchValue;
    const struct wm_allocation *found = wm_device_memory_find(process->memory, place->address);
    *side = SIDE_PAGEABLE;
    if (!found)
        return wm_device_memory_owns(process->memory, place->address) ? cudaErrorInvalidValue
                                                                      : cudaSuccess;
    bool host = found->kind == WM_ALLOCATION_HOST || found->kind == WM_ALLOCATION_REGISTERED;
    *side = host ? SIDE_PINNED : found->kind == WM_ALLOCATION_MANAGED ? SIDE_MANAGED : SIDE_DEVICE;
    return wm_device_memory_find_range(process->memory, place->address, span, write)
               ? cudaSuccess
               : cudaErrorInvalidValue;
}

static wm_cuda_status check_side(const struct wm_cuda_process *process,
                                 const struct wm_cuda_array_side *given,
                                 const struct wm_cuda_box *box, bool write, enum side *side)
{
    *side = SIDE_DEVICE;
    return given->array ? check_array(process, given, box)
                        : check_memory(process, &given->place, box, write, side);
}

static bool fits(enum side side, bool device_wanted)
{
    return device_wanted ? side != SIDE_PAGEABLE : side != SIDE_DEVICE;
}

static bool direction_fits(int kind, enum side to, enum side from)
{
    bool to_device = kind == WM_CUDA_HOST_TO_DEVICE || kind == WM_CUDA_DEVICE_TO_DEVICE;
    bool from_device = kind == WM_CUDA_DEVICE_TO_HOST || kind == WM_CUDA_DEVICE_TO_DEVICE;
    return kind == WM_CUDA_COPY_DEFAULT || (fits(to, to_device) && fits(from, from_device));
}

// ---- Accesses of the memory system -------------------------------------------------------------

// The ranges of device memory that a side of a copy covers, in their order. Arrays have ranges of
// whole tiles: the bytes of one row of a box lie in many places.
struct ranges {
    struct range {
        uint64_t address, bytes;
    } * items; // owned
    uint64_t count, capacity;
    bool failed;
};

static void add_range(struct ranges *ranges, uint64_t address, uint64_t bytes)
{
    struct range *last = ranges->count > 0 ? &ranges->items[ranges->count - 1] : NULL;
    if (last && last->address + last->bytes == address) {
        last->bytes += bytes;
        return;
    }
    ranges->failed |= !WM_ARRAY_ADD(ranges->items, ranges->count, ranges->capacity,
                                    (struct range){address, bytes});
}

// The tiles of a slice that the box touches, as they lie: columns of tiles one after the other.
static void add_tiles(struct ranges *ranges, const struct wm_texel_layout *layout,
                      const struct wm_cuda_array_side *side, const struct wm_cuda_box *box,
                      uint32_t slice)
{
    uint64_t first = side->y / WM_TILE_ROWS, end = (side->y + box->height - 1) / WM_TILE_ROWS + 1;
    uint64_t left = side->x / WM_TILE_WIDTH, right = (side->x + box->width - 1) / WM_TILE_WIDTH + 1;
    uint64_t high = UINT64_C(1) << layout->block_shift;
    for (uint64_t row = first; row < end; row += high - row % high)
        for (uint64_t column = left; column < right; column++)
            for (uint64_t tile = row; tile < end && tile < row + high - row % high; tile++)
                add_range(ranges,
                          wm_texel_layout_address(layout, column * WM_TILE_WIDTH,
                                                  (uint32_t)(tile * WM_TILE_ROWS), slice),
                          WM_TILE_BYTES);
}

static void fill_ranges(struct ranges *ranges, const struct wm_texel_layout *layout,
                        const struct wm_cuda_array_side *side, const struct wm_cuda_box *box)
{
    for (uint64_t z = 0; z < box->depth; z++) {
        uint32_t slice = (uint32_t)(side->z + z);
        if (side->array && layout->tiled) {
            add_tiles(ranges, layout, side, box, slice);
            continue;
        }
        for (uint64_t y = 0; y < box->height; y++)
            add_range(ranges,
                      side->array
                          ? wm_texel_layout_address(layout, side->x, (uint32_t)(side->y + y), slice)
                          : side->place.address + z * side->place.slice + y * side->place.pitch,
                      box->width);
    }
}

// Copies inside the device: as much of one side as of the other; what tiles hold besides is not
// reported.
static void report_device_copy(struct wm_session *session, const struct ranges *to,
                               const struct ranges *from)
{
    uint64_t at[2] = {0, 0}, done[2] = {0, 0};
    while (at[0] < to->count && at[1] < from->count) {
        const struct range *target = &to->items[at[0]], *source = &from->items[at[1]];
        uint64_t to_left = target->bytes - done[0], from_left = source->bytes - done[1];
        uint64_t bytes = to_left < from_left ? to_left : from_left;
        wm_session_device_copy(session, target->address + done[0], source->address + done[1],
                               bytes);
        done[0] += bytes;
        done[1] += bytes;
        for (int i = 0; i < 2; i++)
            if (done[i] == (i == 0 ? target : source)->bytes) {
                at[i]++;
                done[i] = 0;
            }
    }
}

// ---- The command -------------------------------------------------------------------------------

struct array_command {
    struct wm_cuda_command base;
    struct wm_cuda_array_copy copy;
    struct wm_texel_layout to, from; // of sides that are arrays
    uint64_t stream;
    bool to_device, from_device;
    enum wm_cuda_copy_way way;
};

static char *bytes_at(const struct wm_cuda_array_side *side, const struct wm_texel_layout *layout,
                      uint64_t x, uint64_t y, uint64_t z)
{
    const struct wm_cuda_pitched_address *place = &side->place;
    uint64_t address = side->array
                           ? wm_texel_layout_address(layout, side->x + x, (uint32_t)(side->y + y),
                                                     (uint32_t)(side->z + z))
                           : place->address + z * place->slice + y * place->pitch + x;
    return (char *)(uintptr_t)address;
}

// How many of `bytes` bytes follow each other from there on.
static uint64_t run_of(const struct wm_cuda_array_side *side, const struct wm_texel_layout *layout,
                       uint64_t x, uint64_t bytes)
{
    if (!side->array || !layout->tiled)
        return bytes;
    uint64_t run = WM_TILE_RUN - (side->x + x) % WM_TILE_RUN;
    return run < bytes ? run : bytes;
}

static void move_bytes(const struct array_command *command)
{
    const struct wm_cuda_array_copy *copy = &command->copy;
    const struct wm_cuda_box *box = &copy->box;
    for (uint64_t z = 0; z < box->depth; z++)
        for (uint64_t y = 0; y < box->height; y++)
            for (uint64_t x = 0, run; x < box->width; x += run) {
                run = run_of(&copy->to, &command->to, x, box->width - x);
                run = run_of(&copy->from, &command->from, x, run);
                memmove(bytes_at(&copy->to, &command->to, x, y, z),
                        bytes_at(&copy->from, &command->from, x, y, z), run);
            }
}

static void report_copy(struct wm_session *session, const struct array_command *command)
{
    const struct wm_cuda_array_copy *copy = &command->copy;
    struct ranges to = {0}, from = {0};
    if (command->to_device)
        fill_ranges(&to, &command->to, &copy->to, &copy->box);
    if (command->from_device)
        fill_ranges(&from, &command->from, &copy->from, &copy->box);
    if (to.failed || from.failed)
        wm_log_explain(WM_LOG_ERROR, WM_NO_MEMORY_FOR "counting a copy of an array\n");
    else if (command->to_device && command->from_device)
        report_device_copy(session, &to, &from);
    else
        for (uint64_t i = 0; i < to.count + from.count; i++) {
            if (command->to_device)
                wm_session_host_write(session, to.items[i].address, to.items[i].bytes);
            else
                wm_session_host_read(session, from.items[i].address, from.items[i].bytes);
        }
    free(to.items);
    free(from.items);
}

static void execute(struct wm_cuda_command *base, void *owner)
{
    struct wm_cuda_process *process = owner;
    const struct array_command *command = (const struct array_command *)base;
    const struct wm_cuda_box *box = &command->copy.box;
    if (wm_cuda_has_faulted(process))
        return;
    if (process->recorder)
        wm_recorder_stream(process->recorder, command->stream);
    move_bytes(command);
    report_copy(process->session, command);
    base->end_ps +=
        wm_cuda_copy_time_ps(process, box->width * box->height * box->depth, command->way);
}

static bool empty(const struct wm_cuda_box *box)
{
    return box->width == 0 || box->height == 0 || box->depth == 0;
}

static bool on_device(enum side side)
{
    return side == SIDE_DEVICE || side == SIDE_MANAGED;
}

static uint64_t address_of(const struct wm_cuda_array_side *side)
{
    return side->array ? side->array->address : side->place.address;
}

// The command's sequence number, or 0 without memory.
static uint64_t push(struct wm_cuda_process *process, const struct wm_cuda_array_copy *copy,
                     struct wm_cuda_stream *stream, enum side to, enum side from)
{
    struct array_command *command = malloc(sizeof *command);
    if (!command)
        return 0;
    *command = (struct array_command){
        .base = {.execute = execute, .uses_memory = true},
        .copy = *copy,
        .stream = stream->id,
        .to_device = on_device(to),
        .from_device = on_device(from),
    };
    if (copy->to.array)
        command->to = copy->to.array->levels[0];
    if (copy->from.array)
        command->from = copy->from.array->levels[0];
    uint64_t to_address = address_of(&copy->to), from_address = address_of(&copy->from);
    command->way = wm_cuda_copy_way(process, to_address, from_address, command->to_device,
                                    command->from_device);
    return wm_cuda_push_copying(process, stream, &command->base, to_address, from_address,
                                command->way);
}

static wm_cuda_status check(const struct wm_cuda_process *process,
                            const struct wm_cuda_array_copy *copy, enum side *to, enum side *from)
{
    if (copy->kind < WM_CUDA_HOST_TO_HOST || copy->kind > WM_CUDA_COPY_DEFAULT)
        return cudaErrorInvalidMemcpyDirection;
    *to = *from = SIDE_DEVICE;
    if (empty(&copy->box))
        return cudaSuccess;
    wm_cuda_status status = check_side(process, &copy->to, &copy->box, true, to);
    if (status == cudaSuccess)
        status = check_side(process, &copy->from, &copy->box, false, from);
    if (status == cudaSuccess && !direction_fits(copy->kind, *to, *from))
        status = cudaErrorInvalidValue;
    return status;
}

wm_cuda_status wm_cuda_check_array_copy(const struct wm_cuda_process *process,
                                        const struct wm_cuda_array_copy *copy, bool *to_device,
                                        bool *from_device)
{
    enum side to, from;
    wm_cuda_status status = check(process, copy, &to, &from);
    *to_device = status == cudaSuccess && on_device(to);
    *from_device = status == cudaSuccess && on_device(from);
    return status;
}

wm_cuda_status wm_cuda_issue_array_copy(struct wm_cuda_process *process,
                                        struct wm_cuda_stream *stream,
                                        const struct wm_cuda_array_copy *copy)
{
    enum side to, from;
    wm_cuda_status status = check(process, copy, &to, &from);
    if (status != cudaSuccess || empty(&copy->box))
        return status;
    return push(process, copy, stream, to, from) ? cudaSuccess : cudaErrorMemoryAllocation;
}

// ---- In a capture ------------------------------------------------------------------------------

static uint64_t texel_of(const struct wm_cuda_array_side *side)
{
    return side->array ? wm_texel_bytes(&side->array->format) : 1;
}

// The side as a node has it: an array's position in texels, memory as a pitched allocation.
static void node_side(const struct wm_cuda_array_side *side, const struct wm_cuda_box *box,
                      struct wm_cuda_array **array, struct wm_cuda_position *position,
                      struct wm_cuda_pitched_pointer *pointer)
{
    if (side->array) {
        *array = (struct wm_cuda_array *)(uintptr_t)side->array;
        *position = (struct wm_cuda_position){side->x / texel_of(side), side->y, side->z};
        return;
    }
    uint64_t pitch = side->place.pitch ? side->place.pitch : box->width;
    *pointer = (struct wm_cuda_pitched_pointer){
        (void *)(uintptr_t)side->place.address, pitch, pitch,
        side->place.slice ? side->place.slice / pitch : box->height};
}

static wm_cuda_status capture_copy(struct wm_cuda_process *process, struct wm_cuda_stream *stream,
                                   const struct wm_cuda_array_copy *copy)
{
    const struct wm_cuda_box *box = &copy->box;
    uint64_t texel = texel_of(copy->to.array ? &copy->to : &copy->from);
    struct wm_cuda_work work = {
        .kind = WM_CUDA_WORK_COPY,
        .copy = {.extent = {box->width / texel, box->height, box->depth}, .kind = copy->kind}};
    struct wm_cuda_copy3d *node = &work.copy;
    node_side(&copy->to, box, &node->destination_array, &node->destination_position,
              &node->destination);
    node_side(&copy->from, box, &node->source_array, &node->source_position, &node->source);
    return wm_cuda_capture_work(process, stream, &work);
}

// ---- Requests ----------------------------------------------------------------------------------

wm_cuda_status wm_cuda_copy_arrays(struct wm_cuda_process *process,
                                   const struct wm_cuda_array_copy *copy)
{
    struct wm_cuda_stream *stream;
    enum side to, from;
    wm_cuda_status status = wm_cuda_stream_for_work(process, copy->stream, &stream);
    if (status == cudaSuccess)
        status = check(process, copy, &to, &from);
    if (status != cudaSuccess)
        return status;
    if (empty(&copy->box))
        return copy->asynchronous ? cudaSuccess : wm_cuda_wait(process, stream->last);
    if (stream->capture)
        return capture_copy(process, stream, copy);
    uint64_t sequence = push(process, copy, stream, to, from);
    if (sequence == 0)
        return cudaErrorMemoryAllocation;
    // Inside the device the host need not wait; with pageable memory it does in any case.
    bool inside = to == SIDE_DEVICE && from == SIDE_DEVICE;
    bool pageable = to == SIDE_PAGEABLE || from == SIDE_PAGEABLE;
    return inside || (copy->asynchronous && !pageable) ? cudaSuccess
                                                       : wm_cuda_wait(process, sequence);
}

// ---- cudaMemcpy3D ------------------------------------------------------------------------------

// An array's positions count texels, those of memory bytes.
static bool side_of_3d(const struct wm_cuda_process *process, const struct wm_cuda_array *array,
                       const struct wm_cuda_position *position,
                       const struct wm_cuda_pitched_pointer *pointer,
                       struct wm_cuda_array_side *side)
{
    *side = (struct wm_cuda_array_side){.y = position->y, .z = position->z};
    if (array) {
        side->array = wm_cuda_array_known(process, array, false);
        return side->array &&
               !__builtin_mul_overflow(position->x, wm_texel_bytes(&side->array->format), &side->x);
    }
    return wm_cuda_place_of(pointer, position, &side->place);
}

wm_cuda_status wm_cuda_array_copy_of(const struct wm_cuda_process *process,
                                     const struct wm_cuda_copy3d *parameters,
                                     struct wm_cuda_array_copy *copy)
{
    *copy = (struct wm_cuda_array_copy){.kind = parameters->kind};
    const struct wm_cuda_extent *extent = &parameters->extent;
    bool has_pointer = parameters->source.pointer || parameters->destination.pointer;
    // Each side is named once.
    if ((parameters->source_array && parameters->source.pointer) ||
        (parameters->destination_array && parameters->destination.pointer) ||
        (parameters->source_array && parameters->destination_array && has_pointer) ||
        !side_of_3d(process, parameters->destination_array, &parameters->destination_position,
                    &parameters->destination, &copy->to) ||
        !side_of_3d(process, parameters->source_array, &parameters->source_position,
                    &parameters->source, &copy->from))
        return cudaErrorInvalidValue;
    const struct wm_cuda_array *array = copy->to.array ? copy->to.array : copy->from.array;
    copy->box = (struct wm_cuda_box){.height = extent->height, .depth = extent->depth};
    if (__builtin_mul_overflow(extent->width, wm_texel_bytes(&array->format), &copy->box.width))
        return cudaErrorInvalidValue;
    if (copy->to.array && copy->from.array &&
        wm_texel_bytes(&copy->to.array->format) != wm_texel_bytes(&copy->from.array->format))
        return cudaErrorInvalidValue;
    return cudaSuccess;
}

wm_cuda_status wm_cuda_copy_arrays_3d(struct wm_cuda_process *process,
                                      const struct wm_cuda_copy3d *parameters,
                                      wm_cuda_stream_handle stream, bool asynchronous)
{
    struct wm_cuda_array_copy copy;
    wm_cuda_status status = wm_cuda_array_copy_of(process, parameters, &copy);
    copy.stream = stream;
    copy.asynchronous = asynchronous;
    return status == cudaSuccess ? wm_cuda_copy_arrays(process, &copy) : status;
}
