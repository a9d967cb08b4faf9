import { defineConfig } from "vite";

// The engine of pages alone, as a module: for tests and for modules written by `linkwright export wasm`.
export default defineConfig({
  build: {
    outDir: "../src/linkwright/viewer/bundle",
    emptyOutDir: false,
    target: "es2022",
    reportCompressedSize: false,
    lib: { entry: "src/engine/engine.ts", formats: ["es"], fileName: () => "engine.js" },
  },
});
