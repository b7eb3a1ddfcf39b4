// What devices say of set-aside L2, access policies and compression, and what they take of it. The
// argument says whether the machine has them.
#include "check.h"

#include <cstring>
#include <dlfcn.h>

static void check(int has)
{
    cudaDeviceProp properties;
    GOOD(cudaGetDeviceProperties(&properties, 0));
    int persisting = properties.persistingL2CacheMaxSize;
    int window = properties.accessPolicyMaxWindowSize, value;
    CHECK((persisting > 0) == has && (window > 0) == has && persisting <= properties.l2CacheSize);
    GOOD(cudaDeviceGetAttribute(&value, cudaDevAttrMaxPersistingL2CacheSize, 0));
    CHECK(value == persisting);
    GOOD(cudaDeviceGetAttribute(&value, cudaDevAttrMaxAccessPolicyWindowSize, 0));
    CHECK(value == window);
    int (*attribute)(int *, int, int) =
        (int (*)(int *, int, int))dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuDeviceGetAttribute");
    CHECK(attribute != NULL && attribute(&value, 107, 0) == 0 && value == has);
    std::printf("%d %d %d\n", persisting, window, value);
}

static void limit(int has)
{
    size_t bytes = 1;
    int wanted = has ? (int)cudaSuccess : (int)cudaErrorUnsupportedLimit;
    EXPECT(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 1 << 20), wanted);
    EXPECT(cudaDeviceGetLimit(&bytes, cudaLimitPersistingL2CacheSize), wanted);
    CHECK(bytes == (has ? 1u << 20 : 1u));
    if (has) {
        cudaDeviceProp properties;
        GOOD(cudaGetDeviceProperties(&properties, 0));
        GOOD(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, (size_t)1 << 40));
        GOOD(cudaDeviceGetLimit(&bytes, cudaLimitPersistingL2CacheSize));
        CHECK(bytes == (size_t)properties.persistingL2CacheMaxSize);
    }
    EXPECT(cudaDeviceSetLimit((cudaLimit)7, 1), cudaErrorInvalidValue);
}

static void window(int has)
{
    cudaStream_t stream;
    cudaStreamAttrValue value, got;
    GOOD(cudaStreamCreate(&stream));
    std::memset(&value, 0, sizeof value);
    value.accessPolicyWindow.num_bytes = 1 << 20;
    value.accessPolicyWindow.hitRatio = 0.5f;
    value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
    value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
    GOOD(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value));
    GOOD(cudaStreamGetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &got));
    CHECK(got.accessPolicyWindow.num_bytes == 1 << 20 && got.accessPolicyWindow.hitRatio == 0.5f);
    if (has) {
        value.accessPolicyWindow.num_bytes = (size_t)1 << 30;
        EXPECT(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value),
               cudaErrorInvalidValue);
        value.accessPolicyWindow.num_bytes = 1;
        value.accessPolicyWindow.missProp = cudaAccessPropertyPersisting;
        EXPECT(cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value),
               cudaErrorInvalidValue);
    }
    GOOD(cudaCtxResetPersistingL2Cache());
    GOOD(cudaStreamDestroy(stream));
}

int main(int count, char **arguments)
{
    int has = count > 1 && arguments[1][0] == '1';
    check(has);
    limit(has);
    window(has);
    return verdict();
}
