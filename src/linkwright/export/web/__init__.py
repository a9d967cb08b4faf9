"""A kit of functions for JavaScript, as WebAssembly."""
