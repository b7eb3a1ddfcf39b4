#!/usr/bin/env python3
"""Our declarations of the interface's structs have the offsets of NVIDIA's header.
usage: struct_layouts.py ROOT COMPILER CUDA_HEADER_FOLDER

Compiles two programs, one with each set of declarations, and compares what they print. Exits 77
(skipped) when there is no toolkit.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

# ours: (struct, field) → theirs
STRUCTS = {
    ("wm_cuda_function_attributes", "cudaFuncAttributes"): {
        "shared_bytes": "sharedSizeBytes", "constant_bytes": "constSizeBytes",
        "local_bytes": "localSizeBytes", "max_threads_per_block": "maxThreadsPerBlock",
        "registers": "numRegs", "ptx_version": "ptxVersion", "binary_version": "binaryVersion",
        "cache_mode_ca": "cacheModeCA", "max_dynamic_shared_bytes": "maxDynamicSharedSizeBytes",
        "preferred_carveout": "preferredShmemCarveout",
        "cluster_must_be_set": "clusterDimMustBeSet", "cluster_width": "requiredClusterWidth",
        "non_portable_cluster": "nonPortableClusterSizeAllowed", "reserved": "reserved"},
    ("wm_cuda_pointer_attributes", "cudaPointerAttributes"): {
        "type": "type", "device": "device", "device_pointer": "devicePointer",
        "host_pointer": "hostPointer", "reserved": "reserved"},
    ("wm_cuda_pitched_pointer", "cudaPitchedPtr"): {
        "pointer": "ptr", "pitch": "pitch", "width": "xsize", "height": "ysize"},
    ("wm_cuda_copy3d", "cudaMemcpy3DParms"): {
        "source_array": "srcArray", "source_position": "srcPos", "source": "srcPtr",
        "destination_array": "dstArray", "destination_position": "dstPos",
        "destination": "dstPtr", "extent": "extent", "kind": "kind"},
    ("wm_cuda_launch_configuration", "cudaLaunchConfig_t"): {
        "grid": "gridDim", "block": "blockDim", "dynamic_shared_bytes": "dynamicSmemBytes",
        "stream": "stream", "attributes": "attrs", "attribute_count": "numAttrs"},
    ("wm_cuda_launch_attribute", "cudaLaunchAttribute"): {"id": "id", "value": "val"},
    ("wm_cuda_kernel_parameters", "cudaKernelNodeParamsV2"): {
        "function": "func", "grid": "gridDim", "block": "blockDim",
        "dynamic_shared_bytes": "sharedMemBytes", "arguments": "kernelParams", "extra": "extra"},
    ("wm_cuda_fill_parameters", "cudaMemsetParamsV2"): {
        "to": "dst", "pitch": "pitch", "value": "value", "element_bytes": "elementSize",
        "width": "width", "height": "height"},
    ("wm_cuda_host_parameters", "cudaHostNodeParamsV2"): {"function": "fn", "argument": "userData"},
    ("wm_cuda_location", "cudaMemLocation"): {"type": "type", "id": "id"},
    ("wm_cuda_access", "cudaMemAccessDesc"): {"location": "location", "flags": "flags"},
    ("wm_cuda_pool_properties", "cudaMemPoolProps"): {
        "allocation_type": "allocType", "handle_types": "handleTypes", "location": "location",
        "max_bytes": "maxSize", "usage": "usage", "reserved": "reserved"},
    ("wm_cuda_allocation_parameters", "cudaMemAllocNodeParamsV2"): {
        "pool": "poolProps", "accesses": "accessDescs", "access_count": "accessDescCount",
        "size_bytes": "bytesize", "pointer": "dptr"},
    ("wm_cuda_condition_parameters", "cudaConditionalNodeParams"): {
        "handle": "handle", "type": "type", "size": "size", "graphs": "phGraph_out"},
    ("wm_cuda_copy_node_parameters", "cudaMemcpyNodeParams"): {
        "flags": "flags", "copy": "copyParams"},
    ("wm_cuda_child_parameters", "cudaChildGraphNodeParams"): {
        "graph": "graph", "ownership": "ownership"},
    ("wm_cuda_node_parameters", "cudaGraphNodeParams"): {
        "type": "type", "kernel": "kernel", "condition": "conditional",
        "reserved_end": "reserved2"},
    ("wm_cuda_edge_data", "cudaGraphEdgeData"): {
        "from_port": "from_port", "to_port": "to_port", "type": "type", "reserved": "reserved"},
    ("wm_cuda_instantiate_parameters", "cudaGraphInstantiateParams"): {
        "flags": "flags", "upload_stream": "uploadStream", "error_node": "errNode_out",
        "result": "result_out"},
    ("wm_cuda_update_result", "cudaGraphExecUpdateResultInfo"): {
        "result": "result", "error_node": "errorNode", "error_from_node": "errorFromNode"},
    ("wm_cuda_resource", "cudaResourceDesc"): {
        "kind": "resType", "array": "res.array.array", "linear.pointer": "res.linear.devPtr",
        "linear.format": "res.linear.desc", "linear.bytes": "res.linear.sizeInBytes",
        "pitch.width": "res.pitch2D.width", "pitch.height": "res.pitch2D.height",
        "pitch.pitch": "res.pitch2D.pitchInBytes", "flags": "flags"},
    ("wm_cuda_sampler", "cudaTextureDesc"): {
        "address": "addressMode", "filter": "filterMode", "read": "readMode", "srgb": "sRGB",
        "border": "borderColor", "normalized": "normalizedCoords", "anisotropy": "maxAnisotropy",
        "mipmap_filter": "mipmapFilterMode", "mipmap_bias": "mipmapLevelBias",
        "mipmap_least": "minMipmapLevelClamp", "mipmap_most": "maxMipmapLevelClamp",
        "exact_trilinear": "disableTrilinearOptimization", "seamless_cubemap": "seamlessCubemap"},
    ("wm_cuda_resource_view", "cudaResourceViewDesc"): {
        "format": "format", "width": "width", "depth": "depth", "first_level": "firstMipmapLevel",
        "last_level": "lastMipmapLevel", "first_layer": "firstLayer", "last_layer": "lastLayer",
        "reserved": "reserved"},
    ("wm_cuda_channel_format", "cudaChannelFormatDesc"): {"x": "x", "w": "w", "kind": "f"},
}


def property_names(root):
    text = (Path(root) / "src/cuda/device/device_properties.def").read_text()
    fields = re.findall(r"^X\((\w+), ([\w ]+), (\w+), ([^)]*)\)$", text, re.M)
    return {name: name for versions, _, name, _ in fields if versions != "UP_TO_12"}


def program(includes, names, side):
    lines = [f'#include "{include}"' for include in includes]
    lines += ["#include <stddef.h>", "#include <stdio.h>", "int main(void) {"]
    for structs, fields in names.items():
        kind = "struct " if side == 0 else ""
        for pair in fields.items():
            lines.append(f'printf("%s.%s %zu\\n", "{structs[0]}", "{pair[0]}", '
                         f'offsetof({kind}{structs[side]}, {pair[side]}));')
        lines.append(f'printf("%s %zu\\n", "{structs[0]}", sizeof({kind}{structs[side]}));')
    return "\n".join(lines + ["return 0; }"])


def output(folder, name, text, command):
    source = Path(folder) / name
    source.write_text(text)
    binary = source.with_suffix("")
    subprocess.run([*command, str(source), "-o", str(binary)], check=True)
    return subprocess.run([str(binary)], check=True, capture_output=True, text=True).stdout


def main(root, compiler, headers):
    if not (Path(headers) / "driver_types.h").is_file():
        print("skipped: no CUDA headers are installed")
        return 77
    names = dict(STRUCTS)
    names[("wm_cuda_properties_13", "cudaDeviceProp")] = property_names(root)
    with tempfile.TemporaryDirectory() as folder:
        ours = output(folder, "ours.c", program(["cuda/device/device_properties.h", "cuda/graph/graph_types.h"], names, 0),
                      [compiler, "-D_GNU_SOURCE", "-std=gnu17", f"-I{root}/src",
                       f"-I{root}/include"])
        theirs = output(folder, "theirs.cc", program(["cuda_runtime_api.h"], names, 1),
                        [re.sub(r"(g?cc|clang)(-\d+)?$", lambda m: {
                            "gcc": "g++", "cc": "c++", "clang": "clang++"}[m[1]] + (m[2] or ""),
                            compiler), f"-I{headers}"])
    different = [f"{a} | {b}" for a, b in zip(ours.splitlines(), theirs.splitlines()) if a != b]
    print("\n".join(different) or f"{len(ours.splitlines())} offsets and sizes agree")
    return 1 if different or len(ours) != len(theirs) else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
