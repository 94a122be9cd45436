#!/usr/bin/env python3
"""Writes errors.json: the squared errors that ggml's own quantisation leaves on reproducible values.

Usage: errors.py LIBGGML_BASE > errors.json
Needs the packages numpy and gguf (which dequantises independently of ggml's C code), and the shared
library libggml-base of llama.cpp.
"""
import ctypes
import json
import sys

import numpy as np
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType, dequantize

TYPES = ["Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q4_K", "Q5_K", "Q6_K"]
COUNT = 8192


def noise(seed, deviation):
    """What ck_noise_fill gives: sums of the four 16-bit parts of SplitMix64's words."""
    k = np.arange(COUNT, dtype=np.uint64)
    with np.errstate(over="ignore"):
        w = np.uint64(seed) + (k + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        w = (w ^ (w >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        w = (w ^ (w >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    w ^= w >> np.uint64(31)
    parts = sum((w >> np.uint64(16 * i)) & np.uint64(0xFFFF) for i in range(4))
    unit = np.float32(deviation) * np.float32(float.fromhex("0x1.bb67aep-16"))
    return unit * (parts.astype(np.int64) - 131070).astype(np.float32)


def values(kind):
    """Values of a bell, with rare large ones, and with a mean that is not 0."""
    x = noise(1, 1)
    return {"bell": x, "tails": x * x * x, "shifted": x + np.float32(1.5)}[kind]


def error(ggml, name, x):
    kind = GGMLQuantizationType[name]
    block, size = GGML_QUANT_SIZES[kind]
    out = np.zeros(COUNT // block * size, np.uint8)
    ggml.ggml_quantize_chunk(
        int(kind), x.ctypes.data, out.ctypes.data, 0, 1, COUNT, None)
    return float(((dequantize(out, kind).astype(np.float64) - x) ** 2).sum())


def main():
    ggml = ctypes.CDLL(sys.argv[1])
    ggml.ggml_quantize_chunk.restype = ctypes.c_size_t
    ggml.ggml_quantize_chunk.argtypes = (
        [ctypes.c_int] + [ctypes.c_void_p] * 2 + [ctypes.c_int64] * 3 + [ctypes.c_void_p])
    result = []
    for kind in ["bell", "tails", "shifted"]:
        x = values(kind)
        for name in TYPES:
            result.append({
                "values": kind, "type": name, "type_id": int(GGMLQuantizationType[name]),
                "squares": float((x.astype(np.float64) ** 2).sum()),
                "first": [float(v) for v in x[:4]], "error": error(ggml, name, x)})
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main()
