// Writes beside the bundle the hash of the sources it was built from, and the licenses of what is inside it.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const OUT = "../src/linkwright/viewer/bundle";
const INSIDE = ["three"];

function files(folder) {
  return readdirSync(folder).sort().flatMap((name) => {
    const path = join(folder, name);
    return statSync(path).isDirectory() ? files(path) : [path];
  });
}

function digest(paths) {
  const hash = createHash("sha256");
  for (const path of paths) {
    const content = readFileSync(path, "utf8").replaceAll("\r\n", "\n");
    hash.update(`${path.replaceAll("\\", "/")}\0${content}\0`);
  }
  return hash.digest("hex");
}

const sources = [...files("src"), "package.json", "package-lock.json", "tsconfig.json", "vite.config.ts", "vite.engine.config.ts", "vite.study.config.ts", "shaders.mjs", "seal.mjs"];
for (const name of ["viewer.js", "study.js"]) if (/<\/script|<!--/i.test(readFileSync(join(OUT, name), "utf8"))) throw new Error("the bundle holds text that would end its script element");
const notices = INSIDE.map((name) => {
  const about = JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8"));
  return `${name} ${about.version} (${about.license})\n\n${readFileSync(`node_modules/${name}/LICENSE`, "utf8").trim()}\n`;
}).join("\n\n");
writeFileSync(join(OUT, "NOTICES.txt"), notices);
const versions = Object.fromEntries(INSIDE.map((name) => [name, JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8")).version]));
const text = (path) => readFileSync(path, "utf8").replaceAll("\r\n", "\n");
const built = Object.fromEntries(["viewer.js", "viewer.css", "engine.js", "study.js", "study.css"].map((name) => [name, createHash("sha256").update(text(join(OUT, name))).digest("hex")]));
writeFileSync(join(OUT, "bundle.json"), JSON.stringify({ sources: digest(sources), versions, built }, null, 2) + "\n");
