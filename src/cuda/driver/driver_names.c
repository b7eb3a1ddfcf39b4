// Each function is declared here without its parameters: only its address is used.
#include "cuda/driver/driver_names.h"

#define DONE(name, base, version) extern wm_driver_any_function name;
#define REFUSED(name, base, version) extern wm_driver_any_function name;
#include "cuda/driver/driver_exports.def"
#undef DONE
#undef REFUSED

static const struct wm_driver_name names[] = {
#define DONE(name, base, version) {#name, #base, version, name},
#define REFUSED(name, base, version) {#name, #base, version, name},
#include "cuda/driver/driver_exports.def"
};

const struct wm_driver_name *wm_driver_names(size_t *count)
{
    *count = sizeof names / sizeof names[0];
    return names;
}
