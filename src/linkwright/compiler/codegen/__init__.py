"""Programs as LLVM IR text."""
