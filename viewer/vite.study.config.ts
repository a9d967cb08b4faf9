import { defineConfig } from "vite";

// The charts of studies, for pages without a scene.
export default defineConfig({
  build: {
    outDir: "../src/linkwright/viewer/bundle",
    emptyOutDir: false,
    target: "es2022",
    cssCodeSplit: false,
    reportCompressedSize: false,
    lib: { entry: "src/study.ts", formats: ["iife"], name: "linkwrightStudy", fileName: () => "study.js", cssFileName: "study" },
  },
});
