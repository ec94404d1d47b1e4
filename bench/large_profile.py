#!/usr/bin/env python3
"""How fast validate reads a large profile of PyTorch: writes one of 1 GB, reads it, and prints what that took.

bench/large_profile.py [BYTES] [SPILLWAY]

The profile has steps of 1,000 kernels, each with its launch, two operators with shapes and four Python calls, in the
form and the proportions of Kineto's output with stacks. Processor time and memory are those of the program alone.
"""

import os
import resource
import subprocess
import sys
import tempfile

SHAPES = (
    '"Input Dims": [[4096, 2048], [2048, 2048], []], "Input type": ["c10::BFloat16", "c10::BFloat16", ""], '
    '"Concrete Inputs": ["", "", "1"]'
)
GEMM = "void cutlass::Kernel2<cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_128x128_64x3_nn_align8>(Params)_"
ALL_REDUCE = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)"
HOST, ENGINE, STREAM = 12345, 12399, 7
KERNELS, STEP_US = 1000, 100_000


def event(category, name, thread, start, duration, arguments):
    return (
        f'  {{\n    "ph": "X", "cat": "{category}", "name": "{name}", "pid": 12345, "tid": {thread},\n'
        f'    "ts": {1_700_000_000_000_000 + start:.3f}, "dur": {duration:.3f},\n'
        f'    "args": {{\n      {arguments}\n    }}\n  }}'
    )


def kernel(number, index, start):
    backward = index >= 400
    thread, launch = (ENGINE if backward else HOST), start + 5 + 90 * index
    for depth in range(4):
        yield event("python_function", f"module.py(1501): _call_impl_{depth}", thread, launch - 3, 80, '"Python id": 1')
    for operator in ("aten::addmm", "aten::mm"):
        yield event("cpu_op", operator, thread, launch - 2, 60, f'"External id": {index}, {SHAPES}, "Ev Idx": {index}')
    yield event("cuda_runtime", "cudaLaunchKernel", thread, launch, 5, f'"cbid": 211, "correlation": {number}')
    name = ALL_REDUCE if index % 100 == 99 else f"{GEMM}{index % 40}"
    details = f'"device": 0, "stream": 7, "correlation": {number}, "grid": [16, 32, 1], "block": [128, 1, 1]'
    yield event("kernel", name, STREAM, start + 20 + 95 * index, 85, details)


def step(number):
    start = number * STEP_US
    yield event("user_annotation", f"ProfilerStep#{number}", HOST, start, STEP_US, '"External id": 1')
    backward = "autograd::engine::evaluate_function: AddmmBackward0"
    yield event("cpu_op", backward, ENGINE, start + 36_000, 54_000, '"Sequence number": 9, "Fwd thread id": 1')
    for index in range(KERNELS):
        yield from kernel(number * KERNELS + index + 1, index, start)
    yield event("user_annotation", "Optimizer.step#AdamW.step", HOST, start + 95_000, 3_000, '"External id": 1')


def write(out, size):
    written = out.write('{"schemaVersion":1,"distributedInfo":{"rank":0,"world_size":8},"traceEvents":[\n')
    steps = 0
    while written < size:
        written += out.write((",\n" if steps else "") + ",\n".join(step(steps)))
        steps += 1
    return written + out.write("\n]}\n")


def main():
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000_000
    program = sys.argv[2] if len(sys.argv) > 2 else "build/spillway"
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "profile.json")
        with open(path, "w", encoding="ascii") as out:
            size = write(out, size)
        subprocess.run([program, "validate", path, "--json"], check=True, stdout=subprocess.DEVNULL)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = used.ru_utime + used.ru_stime
    print(f"{size / 1e6:.0f} MB in {seconds:.2f} s of processor time: {size / 1e6 / seconds:.0f} MB/s")
    print(f"peak memory {used.ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    main()
