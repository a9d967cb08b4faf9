// Draws scenes at other parameters: {bundle, jobs: [{shape, scene, values}]} comes in, a list of lists of scenes goes out.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { bundle, jobs } = JSON.parse(readFileSync(0, "utf8"));
const { openSceneShape } = await import(pathToFileURL(bundle).href);
const answers = [];
for (const { shape, scene, values } of jobs) {
  const drawn = await openSceneShape(shape, scene);
  answers.push(values.map((p) => structuredClone(drawn.at(p))));
}
process.stdout.write(JSON.stringify(answers));
