#!/usr/bin/env python3
"""Makes Benchmarks/RESULTS.md of the records that scripts/compare-llama --json has written.

usage: results_page.py RECORDS.json >RESULTS.md
"""

import json
import statistics
import sys

INTRODUCTION = """\
# Results

Made by `scripts/compare-llama --json Benchmarks/results.json --update --markdown Benchmarks/RESULTS.md`
on one machine after the other; not edited by hand.

Hearth and llama.cpp (`llama-cpp-python` 0.3.36, built with the same clang) on the same file, with the
same threads, in the same run, turn by turn; medians. Rates are tokens per second: more is better.
Times and memory: less is better. *Ratio* is Hearth ÷ llama.cpp of the medians, with the lowest and
highest of single rounds. *Others* is the most of the machine's CPU time that other processes had
during a sample. *CPU* is the CPU time of all threads, Hearth ÷ llama.cpp: what a shared
machine disturbs least; less is better. llama.cpp runs with flash attention and without, and the better
counts.

*Share* is how near the machine's limit Hearth comes, the limit measured in the same run by `hearth bench
machine`: for decode the bytes of weights, keys and values that each token needs ÷ the read bandwidth of
memory, which a file that fits into the caches can exceed; for prefill the multiplications and additions
of matrix products and attention ÷ those of the faster of vector and matrix units, from registers and
the first cache.

With AVX2 the limit of bytes is that of products widened to 32 bits one by one; codes of 4 bits need that once
in eight, so that prefill could exceed it.

A turn of a short measure repeats it for 0.3 s and counts as the median of all but the first. The figures of
the EPYC of model 17 and of the Xeon are of earlier versions, before prompts with AVX2 became 9 to 34 %
faster (model 1). There decode, load, first token and peak memory with two threads are of a later day, prefill
and one thread of the days before. All machines are virtual; loading without `--cached`, which needs new
memory, varies there more than all else (memory that was let go is given back to the host, and costs several
times as much to get again), and on the EPYC of model 1 the bandwidth of memory fell by half for minutes.
Of two processes the one that is started first decodes 2 to 5 % faster there: in what was measured on that
later day llama.cpp was, before that Hearth.

Decode is 64 tokens after the number in its name; load, first token (`ttft200`, after 200 tokens, process
start included for Hearth) and peak memory (512 tokens read, 16 written, context 4,096) each take a fresh
process with a warm page cache. *_cached* is Hearth with `--cached`: its weights lie in the order that
products want in a second file beside the model's, written before the rounds that count.
"""

TITLES = {
    "native": "All its instruction sets",
    "avx512": "Without AMX",
    "avx2": "AVX2 only",
}

KINDS = ["load", "ttft", "peak_memory", "prefill", "decode"]


def number(value, unit):
    return f"{value:,.3f}" if unit == "s" else f"{value:,.1f}" if value < 100 else f"{value:,.0f}"


def share(cell):
    """Share of the machine's limit; None where there is none."""
    machine = cell["machine"]
    if cell["measure"].startswith("decode"):
        limit, need = machine["read"], cell["token_bytes"]
    elif cell["measure"].startswith("prefill"):
        units = [machine[name] for name in ("tiles", "int8") if name in machine]
        limit = max(units, key=lambda unit: unit["value"], default=None)
        need = cell["token_operations"]
    else:
        return None
    if not limit:
        return None
    return cell["hearth"] * need / 1e9 / limit["value"]


def row(cell):
    part = share(cell)
    return (f"| {cell['measure']}, {cell['unit']} | {cell['threads']} "
            f"| {number(cell['hearth'], cell['unit'])} | {number(cell['peer'], cell['unit'])} | **{cell['ratio']:.2f}** "
            f"({cell['ratio_low']:.2f} … {cell['ratio_high']:.2f}) "
            f"| {cell['hearth_cpu'] / cell['peer_cpu']:.2f} "
            f"| {'' if part is None else f'{100 * part:.0f} %'} | {100 * cell['others']:.0f} % | {cell['rounds']} |")


def place(cell):
    """The order of rows: by threads, kind of measure and number of tokens."""
    name = cell["measure"].removesuffix("_cached")
    kind = name.rstrip("0123456789")
    return cell["threads"], KINDS.index(kind), int(name[len(kind):] or 0), cell["measure"]


def limits(cells):
    """A table of the limits measured beside these cells: medians of all runs."""
    lines = ["| Limit | Means | Threads | Median | Lowest … highest |", "|---|---|---|---|---|"]
    found = {}
    for cell in cells:
        machine = cell["machine"]
        for name, figure in machine.items():
            if isinstance(figure, dict):
                name, _, threads = name.partition("_")
                key = (name, figure["means"], int(threads or machine["threads"]), figure["unit"])
                found.setdefault(key, set()).add(figure["value"])
    for (name, means, threads, unit), values in sorted(found.items()):
        lines.append(f"| {name} | {means} | {threads} | {statistics.median(values):,.1f} {unit} "
                     f"| {min(values):,.1f} … {max(values):,.1f} |")
    return lines


def page(cells):
    lines = [INTRODUCTION]
    machines = {}
    for cell in cells:
        machines.setdefault((cell["cpu"], cell["isa"]), []).append(cell)
    for (cpu, isa), here in sorted(
            machines.items(), key=lambda item: (item[0][0], list(TITLES).index(item[0][1]))):
        lines += [f"## {cpu}: {TITLES[isa].lower()}", "", f"{', '.join(here[0]['features'])}. "
                  f"Hearth uses {here[0]['machine']['instruction_set']}, llama.cpp is built with "
                  f"{', '.join(here[0]['peer_features'])}.", ""]
        lines += limits(here)
        for file in dict.fromkeys(cell["file"] for cell in here):
            own = [cell for cell in here if cell["file"] == file]
            lines += ["", f"### {file} ({own[0]['file_bytes'] / 1e6:,.0f} MB)", "",
                      "| | Threads | Hearth | llama.cpp | Ratio | CPU | Share | Others | Rounds |",
                      "|---|---|---|---|---|---|---|---|---|"]
            lines += map(row, sorted(own, key=place))
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1]) as records:
        sys.stdout.write(page(json.load(records)))
