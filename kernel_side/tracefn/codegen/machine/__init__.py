"""The toolchain and the platform: LLVM, the processor, object files, NumPy's C structures."""
