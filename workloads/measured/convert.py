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
"""
import csv
import gzip
import json
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


GEMM = "m,n,k,time_us"
GROUPED = "groups,rows,n,k,time_us"
ATTENTION = "causal,backward,batch,length,heads,key_value_heads,key_width,value_width,time_us"
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
}


def main():
    header, rows = TABLES[sys.argv[1]]
    print(header)
    for *sizes, time_us in sorted(rows(*sys.argv[2:])):
        print(*sizes, f"{time_us:.5g}", sep=",")


if __name__ == "__main__":
    main()
