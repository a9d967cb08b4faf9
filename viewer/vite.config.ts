import { defineConfig } from "vite";

// One script and one style sheet, to be put into a page by Python; nothing is loaded at run time.
export default defineConfig({
  build: {
    outDir: "../src/linkwright/viewer/bundle",
    emptyOutDir: true,
    target: "es2022",
    cssCodeSplit: false,
    reportCompressedSize: false,
    lib: { entry: "src/main.ts", formats: ["iife"], name: "linkwright", fileName: () => "viewer.js", cssFileName: "viewer" },
  },
});
