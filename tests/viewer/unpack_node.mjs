// Puts modules together again as pages do: {bundle, packed} in base64 comes in on stdin, the modules go out.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { bundle, packed } = JSON.parse(readFileSync(0, "utf8"));
const { unpackModule } = await import(pathToFileURL(bundle).href);
const modules = packed.map((text) => unpackModule(new Uint8Array(Buffer.from(text, "base64"))));
process.stdout.write(JSON.stringify(modules.map((x) => [WebAssembly.validate(x), Buffer.from(x).toString("base64")])));
