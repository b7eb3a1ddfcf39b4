// Mathematics in kernels against the C library's on the host, with the errors that warpmem-cc(1)
// states, and roundings against exact arithmetic. Compiles with any CUDA compiler.
//
// Says "device_math: PASS", or one line a function that is off; exit status 0 or 1.
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

static int failures, checks;

static void check(cudaError_t error)
{
    if (error != cudaSuccess) {
        printf("device_math: %s\n", cudaGetErrorString(error));
        exit(1);
    }
}

// One list gives the kernels, the host's side and the tolerances, in units in the last place.
#define DOUBLE_FUNCTIONS(X)                                                                     \
    X(exp, 6)                                                                                   \
    X(exp2, 6)                                                                                  \
    X(expm1, 6) X(log, 6) X(log2, 6) X(log10, 6) X(log1p, 6) X(sin, 6) X(cos, 6) X(tan, 6)      \
        X(asin, 6) X(acos, 6) X(atan, 6) X(sinh, 6) X(cosh, 6) X(tanh, 6) X(cbrt, 6) X(sqrt, 0) \
            X(fabs, 0) X(floor, 0) X(ceil, 0) X(trunc, 0) X(rint, 0) X(round, 0)
// 2^-22 of the value is 4 units in the last place at most; it comes on top for expf and exp2f.
#define FLOAT_FUNCTIONS(X)                                                                         \
    X(expf, 6)                                                                                     \
    X(exp2f, 6)                                                                                    \
    X(expm1f, 2) X(logf, 2) X(log2f, 2) X(log10f, 2) X(log1pf, 2) X(sinf, 2) X(cosf, 2) X(tanf, 4) \
        X(asinf, 2) X(acosf, 2) X(atanf, 2) X(sinhf, 3) X(coshf, 2) X(tanhf, 2) X(cbrtf, 2)        \
            X(sqrtf, 0) X(fabsf, 0) X(floorf, 0) X(ceilf, 0) X(truncf, 0) X(rintf, 0) X(roundf, 0)

#define NAME(name, limit) D_##name,
enum { DOUBLE_FUNCTIONS(NAME) DOUBLE_COUNT };
#undef NAME
#define NAME(name, limit) F_##name,
enum { FLOAT_FUNCTIONS(NAME) FLOAT_COUNT };
#undef NAME

__global__ void doubles(const double *in, double *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
#define CALL(name, limit) out[D_##name * n + i] = name(in[i]);
    DOUBLE_FUNCTIONS(CALL)
#undef CALL
}

__global__ void floats(const float *in, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
#define CALL(name, limit) out[F_##name * n + i] = name(in[i]);
    FLOAT_FUNCTIONS(CALL)
#undef CALL
}

__global__ void pairs(const double *x, const double *y, double *out, float *fout, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    out[i] = pow(x[i], y[i]);
    out[n + i] = atan2(x[i], y[i]);
    out[2 * n + i] = fmod(x[i], y[i]);
    out[3 * n + i] = hypot(x[i], y[i]);
    fout[i] = powf((float)x[i], (float)y[i]);
    fout[n + i] = atan2f((float)x[i], (float)y[i]);
    fout[2 * n + i] = fmodf((float)x[i], (float)y[i]);
}

// The distance of two results in units in the last place of the wider one.
static double distance(double got, double want, int digits)
{
    if (got != got || want != want)
        return got != got && want != want ? 0.0 : INFINITY;
    if (got == want)
        return 0.0;
    if (std::isinf(got) || std::isinf(want))
        return INFINITY;
    int exponent;
    int least = digits == 53 ? DBL_MIN_EXP : FLT_MIN_EXP;
    frexp(want, &exponent);
    return fabs(got - want) / ldexp(1.0, (exponent < least ? least : exponent) - digits);
}

static void judge(const char *name, double x, double y, double got, double want, double limit,
                  int digits)
{
    checks++;
    // The host's library is off by one itself, as its answers for the next wider type are rounded.
    if (distance(got, want, digits) > limit + (limit > 0 ? 1 : 0) && failures++ < 20)
        printf("%s(%.17g, %.17g) is %.17g, not %.17g\n", name, x, y, got, want);
}

template <class T> static T *upload(const std::vector<T> &values)
{
    T *device;
    check(cudaMalloc((void **)&device, values.size() * sizeof(T)));
    check(cudaMemcpy(device, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    return device;
}

template <class T> static std::vector<T> download(T *device, size_t count)
{
    std::vector<T> values(count);
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
    check(cudaMemcpy(values.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
    check(cudaFree(device));
    return values;
}

static std::vector<double> inputs(double largest, double smallest)
{
    std::vector<double> x = {
        0.0,      -0.0,     1.0,       -1.0,         0.5,      -0.5,      2.0,  3.0,
        10.0,     1000.0,   1e-3,      0.49999997,   2.5,      3.5,       -2.5, 88.7,
        -87.3,    -103.0,   709.7,     -745.0,       1e5,      1e6,       1e22, largest,
        -largest, smallest, -smallest, smallest / 8, INFINITY, -INFINITY, NAN};
    unsigned long long state = 1;
    while (x.size() < 400) {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        double unit = (double)(state >> 11) * 0x1p-53;
        double scale = x.size() % 3 == 0 ? 1.0 : x.size() % 3 == 1 ? 30.0 : 700.0;
        x.push_back((2.0 * unit - 1.0) * scale);
    }
    return x;
}

static void check_doubles(void)
{
    std::vector<double> x = inputs(DBL_MAX, DBL_MIN);
    int n = (int)x.size();
    double *in = upload(x), *out = upload(std::vector<double>(x.size() * DOUBLE_COUNT));
    doubles<<<(n + 63) / 64, 64>>>(in, out, n);
    std::vector<double> got = download(out, x.size() * DOUBLE_COUNT);
    check(cudaFree(in));
    for (size_t i = 0; i < x.size(); i++) {
#define JUDGE(name, limit)                              \
    judge(#name, x[i], 0, got[D_##name * x.size() + i], \
          limit ? (double)std::name((long double)x[i]) : name(x[i]), limit, 53);
        DOUBLE_FUNCTIONS(JUDGE)
#undef JUDGE
    }
}

static void check_floats(void)
{
    std::vector<double> wide = inputs(FLT_MAX, FLT_MIN);
    std::vector<float> x(wide.begin(), wide.end());
    int n = (int)x.size();
    float *in = upload(x), *out = upload(std::vector<float>(x.size() * FLOAT_COUNT));
    floats<<<(n + 63) / 64, 64>>>(in, out, n);
    std::vector<float> got = download(out, x.size() * FLOAT_COUNT);
    check(cudaFree(in));
    for (size_t i = 0; i < x.size(); i++) {
#define JUDGE(name, limit) \
    judge(#name, x[i], 0, got[F_##name * x.size() + i], name(x[i]), limit, 24);
        FLOAT_FUNCTIONS(JUDGE)
#undef JUDGE
    }
}

static void check_pairs(void)
{
    static const double special[] = {0.0, -0.0, 1.0,      -1.0,      2.0, -3.0,
                                     0.5, 1e10, INFINITY, -INFINITY, NAN};
    std::vector<double> x, y;
    for (double a : special)
        for (double b : special) {
            x.push_back(a);
            y.push_back(b);
        }
    std::vector<double> more = inputs(1e30, 1e-30);
    for (size_t i = 0; i + 7 < more.size(); i++) {
        x.push_back(fabs(more[i]));
        y.push_back(more[i + 7]);
    }
    int n = (int)x.size();
    double *dx = upload(x), *dy = upload(y), *out = upload(std::vector<double>(x.size() * 4));
    float *fout = upload(std::vector<float>(x.size() * 3));
    pairs<<<(n + 63) / 64, 64>>>(dx, dy, out, fout, n);
    std::vector<double> got = download(out, x.size() * 4);
    std::vector<float> fgot = download(fout, x.size() * 3);
    check(cudaFree(dx));
    check(cudaFree(dy));
    size_t m = x.size();
    for (size_t i = 0; i < m; i++) {
        float fx = (float)x[i], fy = (float)y[i];
        judge("pow", x[i], y[i], got[i], (double)std::pow((long double)x[i], (long double)y[i]),
              128, 53);
        judge("atan2", x[i], y[i], got[m + i], atan2(x[i], y[i]), 6, 53);
        judge("fmod", x[i], y[i], got[2 * m + i], fmod(x[i], y[i]), 0, 53);
        judge("hypot", x[i], y[i], got[3 * m + i], hypot(x[i], y[i]), 6, 53);
        judge("powf", fx, fy, fgot[i], powf(fx, fy), 8, 24);
        judge("atan2f", fx, fy, fgot[m + i], atan2f(fx, fy), 3, 24);
        judge("fmodf", fx, fy, fgot[2 * m + i], fmodf(fx, fy), 0, 24);
    }
}

// One rounding in each direction, of sums and products that fall between two floats.
__global__ void roundings(float x, float y, float *out, int *integers)
{
    out[0] = __fadd_rn(x, y);
    out[1] = __fadd_rz(x, y);
    out[2] = __fadd_ru(x, y);
    out[3] = __fadd_rd(x, y);
    out[4] = __fmul_rn(x, y);
    out[5] = __fmul_rz(x, y);
    out[6] = __fmul_ru(x, y);
    out[7] = __fmul_rd(x, y);
    out[8] = __fdiv_rn(x, y);
    out[9] = __frcp_rn(y);
    out[10] = __fsqrt_rn(y);
    out[11] = __fmaf_rn(x, y, -x);
    out[12] = __fsub_rd(x, y);
    out[13] = __double2float_rn(1.0 / 3.0);
    out[14] = __saturatef(x * 10.0f);
    out[15] = __fdividef(x, y);
    integers[0] = __float2int_rn(2.5f * x);
    integers[1] = __float2int_rz(-2.7f * x);
    integers[2] = __float2int_ru(2.2f * x);
    integers[3] = __float2int_rd(-2.2f * x);
    integers[4] = (int)__float2uint_rn(3.5f * x);
    integers[5] = __double2int_rn(2.5 * x);
    integers[6] = (int)lrintf(3.5f * x);
    integers[7] = (int)lroundf(2.5f * x);
}

static void check_roundings(void)
{
    const float x = 1.0f, y = 0x1.000002p-1f; // x + y lies between two floats
    float *out = upload(std::vector<float>(16));
    int *whole = upload(std::vector<int>(8));
    roundings<<<1, 1>>>(x, y, out, whole);
    std::vector<float> f = download(out, 16);
    std::vector<int> i = download(whole, 8);
    const double sum = (double)x + y, product = (double)x * y;
    const float below = nextafterf((float)sum, (double)(float)sum > sum ? 0.0f : 9.0f);
    const float low = fminf((float)sum, below), high = fmaxf((float)sum, below);
    const double want[] = {
        (float)sum, low,   high,     low,      product,        product,       product,
        product,    x / y, 1.0f / y, sqrtf(y), fmaf(x, y, -x), (double)x - y, (float)(1.0 / 3.0),
        1.0,        x / y};
    for (int k = 0; k < 16; k++)
        judge("rounding", k, 0, f[(size_t)k], want[k], k == 15 ? 2 : 0, 24);
    static const int whole_want[] = {2, -2, 3, -3, 4, 2, 4, 3};
    for (int k = 0; k < 8; k++)
        judge("conversion", k, 0, i[(size_t)k], whole_want[k], 0, 24);
}

int main()
{
    check_doubles();
    check_floats();
    check_pairs();
    check_roundings();
    printf("device_math: %s (%d checks)\n", failures ? "FAIL" : "PASS", checks);
    return failures ? 1 : 0;
}
