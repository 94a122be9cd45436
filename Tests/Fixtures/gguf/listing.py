#!/usr/bin/env python3
"""Lists what the `gguf` Python package reads in the model fixtures, as expected results.

usage: listing.py  (needs `pip install gguf`; writes listing.json beside itself)
"""
import json
import pathlib
import zlib

from gguf import GGUFReader, GGUFValueType

here = pathlib.Path(__file__).parent


def value(field):
    """Scalars as they are; strings and arrays as [count, CRC-32 of the elements' bytes]."""
    kind = field.types[0]
    parts = [bytes(field.parts[index]) for index in field.data]
    if kind in (GGUFValueType.STRING, GGUFValueType.ARRAY):
        data = b"".join(parts)
        return [len(data) if kind == GGUFValueType.STRING else len(parts), zlib.crc32(data)]
    return float(field.parts[field.data[0]][0])


def listing(path):
    reader = GGUFReader(path)
    fields = [f for f in reader.fields.values() if not f.name.startswith("GGUF.")]
    return {
        "metadata": [[f.name, [t.name.lower() for t in f.types], value(f)] for f in fields],
        "tensors": [
            [t.name, int(t.tensor_type), [int(d) for d in t.shape], int(t.data_offset),
             int(t.n_bytes), zlib.crc32(t.data.tobytes())]
            for t in reader.tensors
        ],
    }


models = {p.stem: listing(p) for p in sorted(here.parent.glob("arch/*.gguf"))}
lines = [f"{json.dumps(name)}: {json.dumps(models[name])}" for name in models]
(here / "listing.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
