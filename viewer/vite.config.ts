import { defineConfig } from "vite";
import { usedShaders } from "./shaders.mjs";

// One script and one style sheet, to be put into a page by Python; nothing is loaded at run time.
export default defineConfig({
  plugins: [usedShaders()],
  build: {
    outDir: "../src/linkwright/viewer/bundle",
    emptyOutDir: true,
    target: "es2022",
    cssCodeSplit: false,
    reportCompressedSize: false,
    lib: { entry: "src/main.ts", formats: ["iife"], name: "linkwright", fileName: () => "viewer.js", cssFileName: "viewer" },
  },
});
