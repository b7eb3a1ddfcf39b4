// Vector types and aligned structs in the ways programs use them: one kernel for each type and use,
// one warp each. check_vector_accesses.py compares what they load and store. Checks itself.
#include <cstdio>
#include <cstring>
#include <type_traits>

struct __align__(8) Pair
{
    int x;
    float y;
};
struct __align__(16) Quad
{
    float x[4];
};
struct __align__(16) Mixed
{
    float x;
    int i;
    double w;
};
struct Two {
    float4 x, y;
};
struct __align__(16) Three
{
    float x, y, z;
};
struct __align__(16) Particle
{
    float3 x;
    uchar4 color;
};
struct __align__(16) Shorts
{
    short x;
    short rest[7];
};
struct __align__(16) Bytes
{
    signed char x;
    signed char rest[15];
};
struct __align__(16) Pointers
{
    char *x;
    int *y;
};
struct Loose {
    float x, y, z, w;
};
union Either {
    float4 v;
    float x;
};
struct Rows {
    float4 x[3];
};

// Changes the first number of a member.
template <typename T> __device__ __host__ void bump(T &x)
{
    x += 1;
}
template <> __device__ __host__ void bump(float4 &v)
{
    v.x += 1;
}
template <> __device__ __host__ void bump(float3 &v)
{
    v.x += 1;
}
template <typename T, int N> __device__ __host__ void bump(T (&v)[N])
{
    bump(v[0]);
}

template <typename T> __global__ void copy(T *to, const T *from)
{
    to[threadIdx.x] = from[threadIdx.x];
}

template <typename T> __global__ void change(T *to, const T *from)
{
    T v = from[threadIdx.x];
    bump(v.x);
    to[threadIdx.x] = v;
}

template <typename T> __global__ void by_shared(T *to, const T *from)
{
    __shared__ T tile[32];
    tile[threadIdx.x] = from[threadIdx.x];
    __syncthreads();
    to[threadIdx.x] = tile[threadIdx.x ^ 1];
}

extern __shared__ float dynamic[];
template <typename T> __global__ void by_dynamic(T *to, const T *from)
{
    T *tile = (T *)dynamic;
    tile[threadIdx.x] = from[threadIdx.x];
    __syncthreads();
    to[threadIdx.x] = tile[threadIdx.x ^ 1];
}

template <typename T> __global__ void by_read_only(T *__restrict__ to, const T *__restrict__ from)
{
    to[threadIdx.x] = from[threadIdx.x];
}

template <typename T> __global__ void by_ldg(T *to, const T *from)
{
    to[threadIdx.x] = __ldg(from + threadIdx.x);
}

template <typename T> __global__ void by_parameter(T *to, T v)
{
    to[threadIdx.x] = v;
}

__constant__ float4 table_float4[32];
__global__ void by_constant(float4 *to, int first)
{
    to[threadIdx.x] = table_float4[first];
}

template <typename T> __global__ void by_index(T *to, const T *from, int k)
{
    T four[4];
    for (int j = 0; j < 4; j++)
        four[j] = from[threadIdx.x ^ j];
    to[threadIdx.x] = four[k];
}

template <typename T> __device__ void exchange(T &a, T &b)
{
    T c = a;
    a = b;
    b = c;
}

template <typename T> __global__ void by_reference(T *to, T *from)
{
    T a = from[threadIdx.x], b = from[threadIdx.x ^ 1];
    exchange(a, b);
    to[threadIdx.x] = a;
    from[threadIdx.x] = b;
}

// Rows of floats, taken four at a time.
__global__ void by_cast(float *to, const float *from)
{
    __shared__ float tile[128];
    *reinterpret_cast<float4 *>(&tile[threadIdx.x * 4]) =
        *reinterpret_cast<const float4 *>(from + threadIdx.x * 4);
    __syncthreads();
    *reinterpret_cast<float4 *>(to + threadIdx.x * 4) = *(float4 *)&tile[(threadIdx.x ^ 1) * 4];
}

__global__ void by_dynamic_cast(float4 *to, const float4 *from)
{
    ((float4 *)dynamic)[threadIdx.x] = from[threadIdx.x];
    __syncthreads();
    to[threadIdx.x] = ((float4 *)dynamic)[threadIdx.x ^ 1];
}

// Registers, loaded four at a time.
__global__ void by_registers(float *to, const float *from)
{
    float r[8];
    *(float4 *)&r[0] = *(const float4 *)&from[threadIdx.x * 8];
    *(float4 *)&r[4] = *(const float4 *)&from[threadIdx.x * 8 + 4];
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 8; i++)
        sum += r[i];
    to[threadIdx.x] = sum;
}

__global__ void make(float4 *to)
{
    to[threadIdx.x] = make_float4(0, 0, 0, 0);
}

__global__ void zero_members(float4 *to)
{
    to[threadIdx.x].x = to[threadIdx.x].y = to[threadIdx.x].z = to[threadIdx.x].w = 0;
}

__global__ void one_of_copy(float *to, const float4 *from)
{
    float4 v = from[threadIdx.x];
    to[threadIdx.x] = v.z;
}

__global__ void three_of_copy(float *to, const float4 *from)
{
    float4 v = from[threadIdx.x];
    to[threadIdx.x] = v.x + v.y * v.z;
}

__global__ void two_of_copy(float *to, const float4 *from)
{
    float4 v = from[threadIdx.x];
    to[threadIdx.x] = v.y + v.w;
}

__global__ void one_member(float *to, const float4 *from)
{
    to[threadIdx.x] = from[threadIdx.x].z;
}

__global__ void two_members(float *to, const float4 *from)
{
    to[threadIdx.x] = from[threadIdx.x].x + from[threadIdx.x].z;
}

__global__ void each_member(float4 *to, const float4 *from)
{
    to[threadIdx.x].x = from[threadIdx.x].x;
    to[threadIdx.x].y = from[threadIdx.x].y;
    to[threadIdx.x].z = from[threadIdx.x].z;
    to[threadIdx.x].w = from[threadIdx.x].w;
}

__global__ void volatile_members(float4 *to, const volatile float4 *from)
{
    to[threadIdx.x] =
        float4{from[threadIdx.x].x, from[threadIdx.x].y, from[threadIdx.x].z, from[threadIdx.x].w};
}

static void *input, *output;
static unsigned char host_input[8192], host_output[8192];
static int failures;

static void fill(void)
{
    for (size_t i = 0; i < sizeof host_input; i++)
        host_input[i] = (unsigned char)(i % 4 == 3 ? 64 : i * 7 % 61);
    cudaMemcpy(input, host_input, sizeof host_input, cudaMemcpyHostToDevice);
    cudaMemset(output, 0, sizeof host_output);
}

static void expect(const char *name, const void *expected, size_t bytes)
{
    if (cudaGetLastError() != cudaSuccess || memcmp(host_output, expected, bytes) != 0) {
        printf("%s: wrong\n", name);
        failures++;
    }
}

static void expect_zeros(const char *name)
{
    static const unsigned char zeros[512] = {0};
    cudaMemcpy(host_output, output, sizeof zeros, cudaMemcpyDeviceToHost);
    expect(name, zeros, sizeof zeros);
}

// An assignment need not copy what no member holds.
template <typename T> static void clear_padding(T *)
{
}
template <> void clear_padding(Three *v)
{
    memset((char *)v + 12, 0, 4);
}

template <typename T> static void check(const char *name, bool is_changed, int exchanged)
{
    T expected[32];
    cudaMemcpy(host_output, output, sizeof host_output, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; i++) {
        memcpy((void *)&expected[i], host_input + sizeof(T) * (size_t)(i ^ exchanged), sizeof(T));
        if (is_changed)
            bump(expected[i].x);
        clear_padding(&expected[i]);
        clear_padding((T *)host_output + i);
    }
    expect(name, expected, sizeof expected);
}

template <typename T> static void copy_and_change(const char *name)
{
    static_assert(std::is_trivially_copyable<T>::value && std::is_aggregate<T>::value,
                  "a plain struct");
    T *to = (T *)output, *from = (T *)input;
    fill();
    copy<<<1, 32>>>(to, from);
    check<T>(name, false, 0);
    fill();
    change<<<1, 32>>>(to, from);
    check<T>(name, true, 0);
}

template <typename T> static void other_uses(const char *name)
{
    T *to = (T *)output, *from = (T *)input, v;
    fill();
    by_shared<<<1, 32>>>(to, from);
    check<T>(name, false, 1);
    by_dynamic<<<1, 32, 32 * sizeof(T)>>>(to, from);
    check<T>(name, false, 1);
    by_read_only<<<1, 32>>>(to, from);
    check<T>(name, false, 0);
    by_index<<<1, 32>>>(to, from, 2);
    check<T>(name, false, 2);
    by_reference<<<1, 32>>>(to, from);
    check<T>(name, false, 1);
    memcpy((void *)&v, host_input, sizeof v);
    by_parameter<<<1, 32>>>(to, v);
}

template <typename T> static void ldg(const char *name)
{
    fill();
    by_ldg<<<1, 32>>>((T *)output, (T *)input);
    check<T>(name, false, 0);
}

#define VECTORS(type)                    \
    copy_and_change<type##1>(#type "1"); \
    copy_and_change<type##2>(#type "2"); \
    copy_and_change<type##3>(#type "3"); \
    copy_and_change<type##4>(#type "4")

int main(void)
{
    cudaMalloc(&input, sizeof host_input);
    cudaMalloc(&output, sizeof host_output);
    VECTORS(char);
    VECTORS(uchar);
    VECTORS(short);
    VECTORS(ushort);
    VECTORS(int);
    VECTORS(uint);
    VECTORS(long);
    VECTORS(ulong);
    VECTORS(longlong);
    VECTORS(ulonglong);
    VECTORS(float);
    VECTORS(double);
    copy_and_change<Mixed>("Mixed");
    copy_and_change<Two>("Two");
    copy_and_change<Three>("Three");
    copy_and_change<Particle>("Particle");
    copy_and_change<Shorts>("Shorts");
    copy_and_change<Bytes>("Bytes");
    copy_and_change<Pointers>("Pointers");
    copy_and_change<Loose>("Loose");
    copy_and_change<Either>("Either");
    copy_and_change<Pair>("Pair");
    copy_and_change<Quad>("Quad");
    copy_and_change<Rows>("Rows");
    other_uses<char4>("char4");
    other_uses<short4>("short4");
    other_uses<int2>("int2");
    other_uses<float2>("float2");
    other_uses<float3>("float3");
    other_uses<float4>("float4");
    other_uses<uint4>("uint4");
    other_uses<double2>("double2");
    other_uses<double4>("double4");
    other_uses<Pair>("Pair");
    other_uses<Quad>("Quad");
    ldg<float2>("float2");
    ldg<float4>("float4");
    ldg<int4>("int4");
    ldg<double2>("double2");

    float4 *to = (float4 *)output, *from = (float4 *)input;
    fill();
    cudaMemcpyToSymbol(table_float4, host_input, sizeof table_float4);
    by_constant<<<1, 32>>>(to, 3);
    by_cast<<<1, 32>>>((float *)to, (float *)from);
    check<float4>("by_cast", false, 1);
    by_dynamic_cast<<<1, 32, 512>>>(to, from);
    check<float4>("by_dynamic_cast", false, 1);
    by_registers<<<1, 32>>>((float *)to, (float *)from);
    one_of_copy<<<1, 32>>>((float *)to, from);
    two_of_copy<<<1, 32>>>((float *)to, from);
    three_of_copy<<<1, 32>>>((float *)to, from);
    one_member<<<1, 32>>>((float *)to, from);
    two_members<<<1, 32>>>((float *)to, from);
    each_member<<<1, 32>>>(to, from);
    check<float4>("each_member", false, 0);
    volatile_members<<<1, 32>>>(to, from);
    check<float4>("volatile_members", false, 0);
    make<<<1, 32>>>(to);
    expect_zeros("make");
    fill();
    zero_members<<<1, 32>>>(to);
    expect_zeros("zero_members");
    printf("vector_accesses: %s\n", failures ? "FAIL" : "PASS");
    return failures != 0;
}
