"""llama.cpp as the other side of scripts/compare-llama: how it is built, and a worker that runs it.

The worker holds one model and answers JSON Lines on standard input, as `hearth bench --serve` does:

    in:  {"measure":"decode1024","setting":"flash"}
    out: {"value":…, "cpu":…}

A setting is a way of attention ("flash" or "plain"), with "+window" for a key-value cache that
keeps only the window of layers that have one. Everything else is the library's default: a batch of
2,048 tokens, computed in parts of 512, keys and values in float16, weights mapped and repacked.
"""

import json
import os
import re
import subprocess
import sys
import time

PACKAGE = "llama-cpp-python==0.3.36"
DECODED = 64

# Instruction sets by the name that CK_FORCE gives them, as options of the peer's build.
_AVX2 = ["SSE42", "AVX", "AVX2", "BMI2", "FMA", "F16C"]
_AVX512 = _AVX2 + ["AVX512", "AVX512_VBMI", "AVX512_VNNI", "AVX512_BF16"]
BUILDS = {
    "native": ["-DGGML_NATIVE=ON"],
    "avx512": ["-DGGML_NATIVE=OFF"] + [f"-DGGML_{name}=ON" for name in _AVX512],
    "avx2": ["-DGGML_NATIVE=OFF"] + [f"-DGGML_{name}=ON" for name in _AVX2],
}


def install(folder, isa, clang):
    """Builds the peer into a virtual environment, which takes minutes; does nothing if it is there."""
    python = os.path.join(folder, "bin", "python3")
    check = [python, "-c", "import llama_cpp"]
    if os.path.exists(python) and subprocess.run(check, capture_output=True).returncode == 0:
        return python
    options = BUILDS[isa] + ["-DCMAKE_BUILD_TYPE=Release", "-DLLAVA_BUILD=OFF"]
    print(f"-- building llama.cpp ({isa}) in {folder}, minutes", file=sys.stderr)
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    environment = dict(os.environ, CMAKE_ARGS=" ".join(options), CC=clang, CXX=clang + "++")
    subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "--no-cache-dir",
         "--no-binary", "llama-cpp-python", PACKAGE],
        env=environment, check=True, stdout=sys.stderr)
    return python


class Peer:
    """One loaded model with a context for each setting that was asked for."""

    def __init__(self, path, threads, context_size):
        import llama_cpp
        import numpy
        self.library, self.numpy = llama_cpp, numpy
        self.path, self.threads, self.context_size = path.encode(), threads, context_size
        self.model = None
        self.contexts = {}
        self.known = {}  # tokens of the common prompt that a context holds
        self.silence = llama_cpp.llama_log_callback(lambda *_: None)
        llama_cpp.llama_log_set(self.silence, None)
        llama_cpp.llama_backend_init()

    def context(self, setting):
        if self.model is None:
            self.model = self.library.llama_model_load_from_file(
                self.path, self.library.llama_model_default_params())
            if not self.model:
                raise RuntimeError("llama.cpp cannot load the model")
            self.vocabulary = self.library.llama_vocab_n_tokens(
                self.library.llama_model_get_vocab(self.model))
        if setting not in self.contexts:
            attention, _, window = setting.partition("+")
            options = self.library.llama_context_default_params()
            options.n_ctx = self.context_size
            options.n_threads = options.n_threads_batch = self.threads
            options.flash_attn_type = 1 if attention == "flash" else 0
            options.swa_full = not window
            self.contexts[setting] = self.library.llama_init_from_model(self.model, options)
            if not self.contexts[setting]:
                raise RuntimeError("llama.cpp cannot make a context")
            self.known[setting] = 0
        return self.contexts[setting]

    def run(self, context, tokens):
        """Appends tokens and returns the most likely next one."""
        step = self.library.llama_n_batch(context)
        for start in range(0, len(tokens), step):
            part = tokens[start:start + step]
            array = (self.library.llama_token * len(part))(*part)
            # A batch without a list of wanted logits computes those of its last token.
            batch = self.library.llama_batch_get_one(array, len(part))
            if self.library.llama_decode(context, batch) != 0:
                raise RuntimeError("llama_decode failed")
        logits = self.library.llama_get_logits_ith(context, -1)
        return int(self.numpy.ctypeslib.as_array(logits, shape=(self.vocabulary,)).argmax())

    def prefill(self, setting, count, reuse=False):
        """Makes the first `count` tokens of the common prompt all that the context holds."""
        context = self.context(setting)
        memory = self.library.llama_get_memory(context)
        # The last token is always computed: its logits are what the response starts from.
        kept = min(self.known[setting], count - 1) if reuse else 0
        if not kept or not self.library.llama_memory_seq_rm(memory, 0, kept, -1):
            self.library.llama_memory_clear(memory, False)
            kept = 0
        # Ids that are text in every vocabulary of some size; the same as hearth's.
        tokens = [(300 + index * 7 % 900) % self.vocabulary for index in range(kept, count)]
        token = self.run(context, tokens)
        self.known[setting] = count
        return token

    def decode(self, setting, count, token):
        for _ in range(count):
            token = self.run(self.context(setting), [token])

    def measure(self, name, setting):
        kind, number = re.fullmatch(r"([a-z_]+?)(\d*)", name).groups()
        if kind in ("prefill", "decode"):
            self.context(setting)
        elif self.contexts:
            raise RuntimeError(f"{name} needs a fresh process")
        token = None
        if kind == "decode":
            token = self.prefill(setting, max(int(number), 1), reuse=True)
        own = status("VmRSS")
        start, cpu = time.perf_counter(), time.process_time()
        if kind == "prefill":
            self.prefill(setting, int(number))
        elif kind == "decode":
            self.decode(setting, DECODED, token)
        elif kind == "load":
            self.context(setting)
        elif kind == "ttft":
            self.prefill(setting, int(number))
        elif kind == "peak_memory":
            self.decode(setting, 15, self.prefill(setting, 512))
        else:
            raise RuntimeError(f"unknown measure {name}")
        value, cpu = time.perf_counter() - start, time.process_time() - cpu
        if kind in ("prefill", "decode"):
            value = (int(number) if kind == "prefill" else DECODED) / value
        if kind == "peak_memory":
            # Without what the interpreter and the libraries took before.
            value = (status("VmHWM") - own) / 1e6
        return {"value": value, "cpu": cpu}


def status(key):
    """Bytes of memory of this process, as Linux counts them."""
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(key + ":"))


def serve(path, threads, context_size):
    peer = Peer(path, threads, context_size)
    system = peer.library.llama_print_system_info().decode()
    print(json.dumps({"system": system}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = peer.measure(request["measure"], request["setting"])
        except RuntimeError as error:
            answer = {"error": str(error)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
