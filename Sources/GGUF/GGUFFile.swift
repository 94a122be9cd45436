// The GGUF file format.
