// Calls of functions that the device's runtime has and no module defines: see runtime_calls.h.
#include "exec/decode/decoder.h"
#include "exec/device_runtime/runtime_calls.h"
#include "exec/operations/control_ops.h"

#include <string.h>

struct runtime_function {
    const char *name;
    wm_op_handler *run;
    uint8_t argument_count, arguments[WM_RUNTIME_ARGUMENTS], result; // bytes; no result: 0
    enum wm_device_service service;                                  // of wm_run_service
};

// As the headers of CUDA 13 declare them.
static const struct runtime_function functions[] = {
    // message, file, line, function, bytes of a character
    {"__assertfail", wm_run_assert, 5, {8, 8, 4, 8, 8}, 0},
    {"vprintf", wm_run_print, 2, {8, 8}, 4},
    {"malloc", wm_run_malloc, 1, {8}, 8},
    {"free", wm_run_free, 1, {8}, 0},
    // handle, value
    {"cudaGraphSetConditional", wm_run_set_condition, 2, {8, 4}, 0},
};

static bool find(const char *name, struct runtime_function *function)
{
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        if (strcmp(functions[i].name, name) == 0) {
            *function = functions[i];
            return true;
        }
    }
    enum wm_device_service service;
    if (!wm_device_service_find(name, &service))
        return false;
    const struct wm_device_service_shape *shape = wm_device_service_shape(service);
    *function = (struct runtime_function){.name = name,
                                          .run = service == WM_SERVICE_DEVICE_SYNCHRONIZE
                                                     ? wm_run_device_synchronize
                                                     : wm_run_service,
                                          .argument_count = shape->argument_count,
                                          .result = shape->result,
                                          .service = service};
    memcpy(function->arguments, shape->arguments, sizeof(shape->arguments));
    return true;
}

static bool place(struct wm_decoder *decoder, const struct runtime_function *function,
                  const struct wm_ptx_operand *operand, uint32_t bytes, uint32_t *at)
{
    if (!wm_decode_param_place(decoder, operand, at))
        return false;
    if (operand->symbol->size_bytes == bytes)
        return true;
    wm_decode_refuse(decoder, WM_INVALID, "'%s' has the wrong size for %s", operand->symbol->name,
                     function->name);
    return false;
}

static bool fill(struct wm_decoder *decoder, const struct runtime_function *function,
                 const struct wm_ptx_operand *results, const struct wm_ptx_operand *arguments,
                 struct wm_runtime_form *form)
{
    uint32_t given = arguments ? arguments->list_count : 0,
             taken = results ? results->list_count : 0;
    if (given != function->argument_count || taken != (function->result != 0)) {
        wm_decode_refuse(decoder, WM_INVALID, "%s takes %u arguments and returns %u",
                         function->name, function->argument_count, function->result != 0);
        return false;
    }
    form->caller = decoder->function_index;
    form->service = function->service;
    for (uint32_t i = 0; i < given; i++)
        if (!place(decoder, function, &arguments->list[i], function->arguments[i],
                   &form->arguments[i]))
            return false;
    return taken == 0 ||
           place(decoder, function, &results->list[0], function->result, &form->result);
}

// Functions of the host's runtime that the device's has not (CUDA C++ Programming Guide, "CUDA
// Dynamic Parallelism", streams and events): PTX that was not made by nvcc may name them. The
// kernel runs up to the call.
static bool refuse_host_wait(struct wm_decoder *decoder, const char *name)
{
    static const char *const waits[] = {"cudaStreamSynchronize", "cudaStreamQuery",
                                        "cudaEventSynchronize", "cudaEventQuery",
                                        "cudaEventElapsedTime"};
    static const char refusal[] =
        "a kernel queries, or waits for, a single stream or event, which CUDA's device runtime "
        "does not allow; order launches with cudaStreamWaitEvent or a tail launch, or, below "
        "compute "
        "capability 9.0, wait for all that the block launched with cudaDeviceSynchronize";
    bool found = false;
    for (size_t i = 0; i < sizeof(waits) / sizeof(waits[0]); i++)
        found |= strcmp(name, waits[i]) == 0;
    if (found)
        wm_decode_emit(decoder, wm_run_refused)->refusal = refusal;
    return found;
}

bool wm_decode_runtime_call(struct wm_decoder *decoder, const char *name,
                            const struct wm_ptx_operand *results,
                            const struct wm_ptx_operand *arguments)
{
    struct runtime_function function;
    if (refuse_host_wait(decoder, name))
        return true;
    if (!find(name, &function))
        return false;
    struct wm_runtime_form *form = wm_decode_allocate(decoder, sizeof(*form));
    if (!form || !fill(decoder, &function, results, arguments, form))
        return true;
    wm_decode_emit(decoder, function.run)->runtime = form;
    struct wm_kernel *kernel = &decoder->out->kernel;
    bool waits = function.run == wm_run_device_synchronize;
    bool service = waits || function.run == wm_run_service;
    kernel->prints |= function.run == wm_run_print;
    kernel->allocates |=
        function.run == wm_run_malloc || function.run == wm_run_free ||
        (service && (function.service == WM_SERVICE_MALLOC || function.service == WM_SERVICE_FREE));
    kernel->launches |= service;
    kernel->launches_kernels |= service && (function.service == WM_SERVICE_LAUNCH_DEVICE ||
                                            function.service == WM_SERVICE_LAUNCH_DEVICE_V2);
    kernel->launches_graphs |= service && function.service == WM_SERVICE_GRAPH_LAUNCH;
    kernel->synchronises |= waits;
    return true;
}
