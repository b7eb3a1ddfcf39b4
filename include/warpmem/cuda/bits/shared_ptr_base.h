// libstdc++'s file of this name writes `__attribute__((__noinline__))`, which CUDA's macro
// __noinline__ would turn into nonsense. This one stands before it on the include path, hides the
// macro, and includes the real one. (The real file has the header guards.)
#pragma GCC system_header
#pragma push_macro("__noinline__")
#undef __noinline__
#include_next <bits/shared_ptr_base.h>
#pragma pop_macro("__noinline__")
