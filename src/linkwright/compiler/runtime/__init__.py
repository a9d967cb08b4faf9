"""Machine code at work: kernels, their arguments, the interpreter of programs, threads."""
