// Refusals, and the array of ops that decoding fills: see decoder.h.
#include "base/containers/array.h"
#include "exec/decode/decoder.h"

#include "exec/operations/control_ops.h"

// --- errors ---

static void set_excerpt(const struct wm_decoder *decoder)
{
    const char *at = decoder->module->source;
    for (uint32_t line = 1; at && line < decoder->line; line++) {
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    if (at)
        wm_error_excerpt(decoder->error, at, strcspn(at, "\r\n"), decoder->column);
}

enum wm_status wm_decode_refuse(struct wm_decoder *decoder, enum wm_status status,
                                const char *format, ...)
{
    if (decoder->status != WM_OK)
        return decoder->status;
    decoder->status = status;
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    struct wm_text printed;
    wm_text_init(&printed);
    if (decoder->instruction)
        wm_ptx_print_instruction(decoder->function, decoder->instruction, &printed);
    wm_fail(decoder->error, status, "%s%s%s%s", printed.data ? "'" : "",
            printed.data ? printed.data : "", printed.data ? "': " : "", text);
    wm_text_release(&printed);
    if (decoder->error) {
        wm_error_place(decoder->error, "%s:%u:%u", decoder->module->name, decoder->line,
                       decoder->column);
        set_excerpt(decoder);
    }
    return status;
}

enum wm_status wm_decode_no_memory(struct wm_decoder *decoder)
{
    if (decoder->status == WM_OK)
        decoder->status = wm_fail_no_memory(decoder->error, "a kernel");
    return decoder->status;
}

void *wm_decode_allocate(struct wm_decoder *decoder, size_t size)
{
    void *memory = wm_arena_alloc(&decoder->out->arena, size, 16);
    if (!memory)
        wm_decode_no_memory(decoder);
    return memory;
}

// --- ops ---

struct wm_op *wm_decode_append(struct wm_decoder *decoder)
{
    struct wm_decoded_kernel *out = decoder->out;
    // With room for one behind it.
    if (!WM_ARRAY_RESERVE(out->ops, out->op_count, decoder->op_capacity, 2)) {
        wm_decode_no_memory(decoder);
        return &decoder->nowhere;
    }
    struct wm_op *op = &out->ops[out->op_count++];
    *op = (struct wm_op){.pc = decoder->pc};
    return op;
}

struct wm_op *wm_decode_emit(struct wm_decoder *decoder, wm_op_handler *handler)
{
    struct wm_op *op = wm_decode_append(decoder);
    const struct wm_ptx_instruction *instruction = decoder->instruction;
    op->run = op->body = handler;
    if (instruction->guard != WM_PTX_NO_REGISTER && !decoder->around) {
        op->run = wm_run_guarded;
        op->guard = decoder->registers.offsets[(uint32_t)instruction->guard] | WM_BASE_FRAME;
        op->guard_negated = instruction->guard_negated;
    }
    return op;
}

struct wm_op *wm_decode_emit_extra(struct wm_decoder *decoder, wm_op_handler *handler)
{
    struct wm_op *op = wm_decode_append(decoder);
    op->run = wm_run_extra;
    op->body = handler;
    return op;
}
