#!/usr/bin/env python3
"""Makes the tables of this folder from the files they come from (README.md says which).

  convert.py gemm FILE.csv[.gz]               > h100-gemm-bf16.csv            (columns m,n,k,latency_ms)
  convert.py fp8-gemm FILE.csv SCALES.csv CASTS.csv    > h100-gemm-fp8.csv   (columns gemm_dtype,m,n,k,latency and
  convert.py nvfp4-gemm FILE.csv SCALES.csv CASTS.csv  > b200-gemm-nvfp4.csv  m,k,latency; see narrow_gemms)
  convert.py encoder-attention FILE.csv[.gz]  > h200-encoder-attention.csv    (batch_size,isl,num_heads,head_dim,latency_ms)
  convert.py context-attention FILE.csv[.gz]  > h100-causal-attention.csv     (and num_key_value_heads)
  convert.py simumax-gemm FILE.json           > b200-training-gemm.csv
  convert.py simumax-grouped-gemm FILE.json   > b200-training-grouped-gemm.csv
  convert.py simumax-attention FILE.json      > b200-training-attention.csv
  convert.py kernel-details-gemm FILE.csv     > ascend-910b-gemm.csv          (m,n,k,dur_us_median)
  convert.py aiter-gemm DTYPE FILE.csv...     > mi355x-gemm-bf16.csv          (gfx,cu_num,M,N,K,dtype,us)
  convert.py hipkittens-attention FOLDER      > mi355x-causal-attention.csv   (analysis/attn)
  convert.py tflops-gemm FILE.md              > mi300x-gemm-fp8.csv           (| m | n | k | TFLOP/s |)
  convert.py flashqla-scan FILE.txt           > h200-scan.csv                 (its columns of FLA)
  convert.py scaled FACTOR FILE.csv           > gb300-training-gemm.csv       (a table of this folder)
"""
import csv
import gzip
import json
import re
import sys


def csv_rows(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as file:
        yield from csv.DictReader(file)


def power_of_two(n):
    return n & (n - 1) == 0


def gemms(path):
    """Products as training has them: m a power of two from 64, n and k from 128."""
    for row in csv_rows(path):
        m, n, k = (int(row[size]) for size in "mnk")
        if power_of_two(m) and m >= 64 and n >= 128 and k >= 128:
            yield m, n, k, 1e3 * float(row["latency_ms"])


def quantized(path):
    return {(int(row["m"]), int(row["k"])): 1e3 * float(row["latency"]) for row in csv_rows(path)}


def narrow_gemms(path, scales, casts, format, cast_share, finds_scale):
    """The product alone. The collector times a linear layer (collector/trtllm/collect_gemm.py): the input's
    scale (SCALES, not for NVFP4, whose scale is given), its cast (CASTS) and the product. A cast to NVFP4 is
    not timed alone: it moves `cast_share` of the bytes of a cast to FP8. Rows whose product would be less
    than a quarter of the whole are left out, because the difference says little."""
    scale, cast = quantized(scales), quantized(casts)
    for row in csv_rows(path):
        m, n, k = (int(row[size]) for size in "mnk")
        if row["gemm_dtype"] != format or not power_of_two(m) or m < 64 or n < 128 or k < 128:
            continue
        if (m, k) not in cast:
            continue
        whole = 1e3 * float(row["latency"])
        alone = whole - cast_share * cast[m, k] - (scale[m, k] if finds_scale else 0)
        if alone > whole / 4:
            yield m, n, k, alone


def fp8_gemms(path, scales, casts):
    yield from narrow_gemms(path, scales, casts, "fp8", 1, True)


def nvfp4_gemms(path, scales, casts):
    yield from narrow_gemms(path, scales, casts, "nvfp4", (2 + 0.5 + 1 / 16) / (2 + 1), False)


def encoder_attention(path):
    """Batches of 1, 8 and 64: together with all numbers of heads enough products batch x heads."""
    for row in csv_rows(path):
        batch, heads, width = (int(row[c]) for c in ("batch_size", "num_heads", "head_dim"))
        if batch in (1, 8, 64):
            yield 0, 0, batch, int(row["isl"]), heads, heads, width, width, 1e3 * float(row["latency_ms"])


def context_attention(path):
    """Causal, without a prefix: batches as above, from 128 tokens, heads of at most 256."""
    for row in csv_rows(path):
        batch, length, heads, key_value_heads, width = (
            int(row[c]) for c in ("batch_size", "isl", "num_heads", "num_key_value_heads", "head_dim"))
        if batch in (1, 8, 64) and length >= 128 and width <= 256:
            yield 1, 0, batch, length, heads, key_value_heads, width, width, 1e3 * float(row["latency_ms"])


def simumax(path, operator):
    """The shapes of an operator with the time in us that their efficiency stands for, and FLOPs per product."""
    table = json.load(open(path))["accelerator"]["op"][operator]
    for key, efficiency in table["accurate_efficient_factor"].items():
        yield dict(pair.split("=") for pair in key.split(", ")), 1e6 / (efficiency * table["tflops"] * 1e12)


def simumax_gemms(path):
    """Layouts TN, NN and NT are forward, input gradient and weight gradient, all as [m x k] times [k x n]."""
    for shape, us_per_flop in simumax(path, "matmul"):
        if shape["accumulate"] == "True" and shape["out_dtype"] != "fp32":
            continue
        m, n, k = (int(shape[size]) for size in "mnk")
        yield m, n, k, 2 * m * n * k * us_per_flop


def simumax_grouped_gemms(path):
    """Forward: groups of M x N x K. The input gradient is M x K x N, the weight gradient N x K x M."""
    for shape, us_per_flop in simumax(path, "group_matmul"):
        if shape["main_grad_dtype"] != "fp32":
            continue
        groups, m, n, k = (int(shape[size]) for size in ("ng", "M", "N", "K"))
        one = {"fwd": (m, n, k), "bwd_grad_act": (m, k, n), "bwd_grad_w": (n, k, m)}[shape["stage"]]
        yield groups, groups * one[0], one[1], one[2], 2 * groups * m * n * k * us_per_flop


def simumax_attention(path):
    """Causal, but their FLOPs are those of the whole square (test_fa_efficiency.py): 2 in the forward, 5 in
    the backward, x batch x length^2 x heads x (both widths)."""
    for backward, operator in enumerate(("sdp_fwd", "sdp_bwd")):
        for shape, us_per_flop in simumax(path, operator):
            batch, length, heads, key_value_heads, key, value = (
                int(shape[size])
                for size in ("batch", "seq_len", "head_num", "kv_head_num", "qk_head_dim", "v_head_dim"))
            flops = (5 if backward else 2) * batch * length**2 * heads * (key + value)
            yield 1, backward, batch, length, heads, key_value_heads, key, value, flops * us_per_flop


def kernel_details(path):
    for row in csv_rows(path):
        yield int(row["m"]), int(row["n"]), int(row["k"]), float(row["dur_us_median"])


def aiter_gemms(dtype, *paths):
    """Products tuned on gfx950 with 256 compute units: for each shape the fastest kernel of all libraries."""
    best = {}
    for row in (row for path in paths for row in csv_rows(path)):
        m, n, k = (int(row[size]) for size in "MNK")
        types = {row.get("dtype"), row.get("q_dtype_w")}
        if (row["gfx"], row["cu_num"]) != ("gfx950", "256") or dtype not in types or "float32" in row.get("outdtype", ""):
            continue
        if power_of_two(m) and m >= 1024 and n >= 128 and k >= 128:
            best[m, n, k] = min(float(row["us"]), best.get((m, n, k), 1e9))
    for sizes, time_us in best.items():
        yield *sizes, time_us


def hipkittens_attention(folder):
    """The baseline of its benchmark (AITER), heads of 128. FLOPs of a forward are 2 x batch x heads x length^2 x
    width where it is causal, those of a backward 2.5 times as many; times and FLOP/s give the batch."""
    for heads, key_value_heads, kind in ((16, 16, "mha"), (64, 8, "gqa")):
        for backward, name in enumerate((f"fwd/benchmark/mi355x_{kind}_causal_fwd", f"bkwd/benchmark/mi355x_{kind}_bkwd_causal")):
            for row in json.load(open(f"{folder}/{name}.json")).values():
                length, time_us = row["N"], 1e3 * row["avg_time_ref"]
                flops = 2 * heads * length**2 * 128 * (2.5 if backward else 1)
                batch = round(1e6 * row["tflops_ref"] * time_us / flops)
                yield 1, backward, batch, length, heads, key_value_heads, 128, 128, time_us


def flashqla_scans(path):
    """The columns of FLA: forwards of equal sequences (1x4096, 2048x4) and backwards of one."""
    forward = re.compile(r" (\d+)x(\d+) +\d+ +(\d+) +[\d.]+ms +[\d.]+ms +([\d.]+)ms")
    backward = re.compile(r" (8|32)k_1seq +\d+ +(\d+) +1 +[\d.]+ms +([\d.]+)ms")
    with open(path) as file:
        for line in file:
            if found := forward.search(line):
                one, other, heads = (int(size) for size in found.groups()[:3])
                count, length = min(one, other), max(one, other)
                yield 0, count, length, heads, 128, 128, 1e3 * float(found[4])
            elif found := backward.search(line):
                yield 1, 1, 1024 * int(found[1]), int(found[2]), 128, 128, 1e3 * float(found[3])


def tflops_gemms(path):
    """The rows of a Markdown table whose four columns are m, n, k and TFLOP/s."""
    for line in open(path):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        try:
            m, n, k, tflops = (float(cell) for cell in cells)
        except ValueError:
            continue
        yield int(m), int(n), int(k), 2 * m * n * k / tflops / 1e6


def scaled(factor, path):
    for row in csv_rows(path):
        *sizes, time_us = row.values()
        yield *map(int, sizes), float(time_us) * float(factor)


GEMM = "m,n,k,time_us"
GROUPED = "groups,rows,n,k,time_us"
ATTENTION = "causal,backward,batch,length,heads,key_value_heads,key_width,value_width,time_us"
SCAN = "backward,batch,length,heads,key_width,value_width,time_us"
TABLES = {
    "gemm": (GEMM, gemms),
    "fp8-gemm": (GEMM, fp8_gemms),
    "nvfp4-gemm": (GEMM, nvfp4_gemms),
    "encoder-attention": (ATTENTION, encoder_attention),
    "context-attention": (ATTENTION, context_attention),
    "simumax-gemm": (GEMM, simumax_gemms),
    "simumax-grouped-gemm": (GROUPED, simumax_grouped_gemms),
    "simumax-attention": (ATTENTION, simumax_attention),
    "kernel-details-gemm": (GEMM, kernel_details),
    "aiter-gemm": (GEMM, aiter_gemms),
    "hipkittens-attention": (ATTENTION, hipkittens_attention),
    "tflops-gemm": (GEMM, tflops_gemms),
    "flashqla-scan": (SCAN, flashqla_scans),
    "scaled": (None, scaled),
}


def main():
    header, rows = TABLES[sys.argv[1]]
    print(header or open(sys.argv[-1]).readline().strip())
    for *sizes, time_us in sorted(rows(*sys.argv[2:])):
        print(*sizes, f"{time_us:.5g}", sep=",")


if __name__ == "__main__":
    main()
