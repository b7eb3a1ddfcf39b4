#!/usr/bin/env python3
"""Programs of several files, made by `warpmem cc` in each way there is, and run.

usage: check_compiler.py WARPMEM EXAMPLES

What the command says about a wrong line is in tests/cli/cc-errors.t; here programs are linked and must
print the right thing. The examples check themselves.
"""
import subprocess
import sys
import tempfile
from pathlib import Path

from check_program import environment

FILES = {
    # Two files with a kernel of one name each: internal linkage keeps them apart.
    "add.cu": """
static __global__ void work(int *x) { *x += AMOUNT; }
extern "C" int run_add(int start);
extern "C" int run_add(int start)
{
    int *x;
    cudaMalloc(&x, sizeof *x);
    cudaMemcpy(x, &start, sizeof start, cudaMemcpyHostToDevice);
    work<<<1, 1>>>(x);
    cudaMemcpy(&start, x, sizeof start, cudaMemcpyDeviceToHost);
    cudaFree(x);
    return start;
}
""",
    "multiply.cu": """
#include <cuda_runtime.h>
#include "factor.h"
static __global__ void work(int *x) { *x *= FACTOR; }
extern "C" int run_multiply(int start)
{
    int *x;
    cudaMalloc((void **)&x, sizeof *x);
    cudaMemcpy(x, &start, sizeof start, cudaMemcpyHostToDevice);
    work<<<1, 1>>>(x);
    cudaMemcpy(&start, x, sizeof start, cudaMemcpyDeviceToHost);
    cudaFree(x);
    return start;
}
""",
    "include/factor.h": "#define FACTOR 7\n",
    # C, with the API's header and libm.
    "main.c": """
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdio.h>
int run_add(int start);
int run_multiply(int start);
int main(int argc, char **argv)
{
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices < 1)
        return 1;
    struct dim3 shape = {1, 2, 3};
    printf("%d %g %u\\n", run_multiply(run_add(argc)), floor(sqrt(2.0 * argc) + 0.5), shape.z);
    (void)argv;
    return 0;
}
""",
    "main.cpp": """
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>
extern "C" int run_add(int start);
extern "C" int run_multiply(int start);
int main()
{
    std::vector<int> two = {run_add(1), run_multiply(2)};
    cudaEvent_t event;
    if (cudaEventCreate(&event) != cudaSuccess)
        return 1;
    std::printf("%d %d\\n", two[0], two[1]);
}
""",
    # Headers that programs include by habit, and an assertion that holds for one launch of two.
    "habits.cu": """
#include <assert.h>
#include <builtin_types.h>
#include <cuda.h>
#include <cuda_profiler_api.h>
#include <device_launch_parameters.h>
#include <math_constants.h>
#include <math_functions.h>
#include <stdio.h>
#include <vector_functions.h>
__global__ void below(float *x, float limit)
{
    x[threadIdx.x] = CUDART_PI_F;
    assert(x[threadIdx.x] < limit);
}
int main(void)
{
    CUdeviceptr address = 0;
    float *x;
    cudaProfilerStart();
    cudaMalloc(&x, 128);
    address = (CUdeviceptr)x;
    below<<<1, 32>>>(x, 4);
    printf("%d\\n", (int)cudaDeviceSynchronize());
    below<<<1, 32>>>(x, 3);
    printf("%d\\n", cudaDeviceSynchronize() != cudaSuccess);
    return address == 0;
}
""",
    # The whole standard library in front of a kernel, and a lambda, a template, a class.
    "modern.cu": """
#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>
template <class F> __global__ void apply(F f, int *x) { x[threadIdx.x] = f(x[threadIdx.x]); }
struct Plus {
    int amount;
    __host__ __device__ int operator()(int x) const { return std::max(x, 2) + amount; }
};
__device__ __noinline__ int square(int x) { return x * x; }
__global__ void squares(int *x) { x[threadIdx.x] = square(x[threadIdx.x]); }
int main()
{
    std::vector<int> x(8);
    std::iota(x.begin(), x.end(), 0);
    auto release = [](int *p) { cudaFree(p); };
    int *raw;
    cudaMalloc(&raw, 32);
    std::unique_ptr<int, decltype(release)> device(raw, release);
    cudaMemcpy(raw, x.data(), 32, cudaMemcpyHostToDevice);
    apply<<<1, 8>>>(Plus{3}, raw);
    squares<<<dim3(1), dim3(8)>>>(raw);
    cudaMemcpy(x.data(), raw, 32, cudaMemcpyDeviceToHost);
    printf("%d\\n", std::accumulate(x.begin(), x.end(), 0));
    return 0;
}
""",
}


class Compiler:
    def __init__(self, warpmem, folder):
        self.warpmem, self.folder = warpmem, folder
        self.failures = 0

    def call(self, *command, program=False):
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True,
                              env=environment(self.warpmem) if program else None)
        if done.returncode != 0:
            self.failures += 1
            print(f"{' '.join(map(str, command))}\nended with {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def make(self, line):
        self.call(self.warpmem, "cc", *line.split())

    def check(self, line, prints):
        self.make(line + " -o app")
        printed = self.call(self.warpmem, "run", "-q", "./app", program=True)
        if printed != prints:
            self.failures += 1
            print(f"{line}: printed {printed!r}, not {prints!r}")


def main(warpmem, examples):
    warpmem = str(Path(warpmem).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "include").mkdir()
        for path, text in FILES.items():
            (folder / path).write_text(text)
        compiler = Compiler(warpmem, folder)
        check, make = compiler.check, compiler.make
        line = "-DAMOUNT=4 -I include add.cu multiply.cu"
        check(f"{line} main.c -lm", "35 1 3\n")
        check(f"{line} main.cpp -Wall -Werror", "5 14\n")
        check(f"-O0 -g {line} main.cpp -lcudart", "5 14\n")
        # Objects, an archive, and a library with kernels in it.
        make(f"-c {line}")
        check("add.o multiply.o main.cpp", "5 14\n")
        compiler.call("ar", "rcs", "libwork.a", "add.o", "multiply.o")
        check("main.c -L. -lwork -lm", "35 1 3\n")
        make(f"-shared -fPIC {line} -o libwork.so")
        check("main.cpp libwork.so -Wl,-rpath,.", "5 14\n")
        check("habits.cu -Wall", "0\n1\n")
        # Sums of max(x, 2) + 3, squared, for 0 to 7.
        expected = sum((max(x, 2) + 3) ** 2 for x in range(8))
        for options in ("", "-O0 ", "-O3 -std=c++20 ", "-std=c++14 ", "-arch=sm_75 "):
            check(options + "modern.cu", f"{expected}\n")
        sources = sorted(Path(examples).resolve().glob("*.cu"))
        for source in sources:
            make(f"-Wall -Wextra -Werror {source} -o example")
            compiler.call(warpmem, "run", "-q", "./example", program=True)
    print(f"{compiler.failures} wrong, {len(sources)} examples")
    return 1 if compiler.failures or not sources else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
