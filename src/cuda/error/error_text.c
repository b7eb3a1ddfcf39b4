#include "cuda/error/error_text.h"

const char *wm_cuda_error_name(int code)
{
    switch (code) {
#define X(name, number, sentence) \
    case number:                  \
        return #name;
#include "cuda/error/error_codes.def"
#undef X
    default: return "unrecognized error code";
    }
}

const char *wm_cuda_error_sentence(int code)
{
    switch (code) {
#define X(name, number, sentence) \
    case number:                  \
        return sentence;
#include "cuda/error/error_codes.def"
#undef X
    default: return "unrecognized error code";
    }
}
