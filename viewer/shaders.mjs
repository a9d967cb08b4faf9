// Leaves out of three.js the shaders that no page uses, and the spaces of those that are used: an eighth of a page's script.
// A name that three.js no longer has stops the build; a shader that a page does need would not compile, and say so.

const MATERIALS = ["background", "backgroundCube", "cube", "depth", "distance", "equirect", "linedashed", "meshlambert", "meshmatcap", "meshnormal", "meshphong", "meshtoon", "points", "shadow"];
const PARTS = [
  "alphahash_fragment", "alphahash_pars_fragment", "batching_pars_vertex", "batching_vertex", "clearcoat_normal_fragment_begin", "clearcoat_normal_fragment_maps",
  "clipping_planes_fragment", "clipping_planes_pars_fragment", "clipping_planes_pars_vertex", "clipping_planes_vertex", "displacementmap_pars_vertex", "displacementmap_vertex",
  "envmap_physical_pars_fragment", "iridescence_fragment", "iridescence_pars_fragment", "lightprobes_pars_fragment", "lights_lambert_fragment", "lights_lambert_pars_fragment",
  "lights_phong_fragment", "lights_phong_pars_fragment", "lights_toon_fragment", "lights_toon_pars_fragment", "map_particle_fragment", "map_particle_pars_fragment",
  "morphcolor_vertex", "morphinstance_vertex", "morphnormal_vertex", "morphtarget_pars_vertex", "morphtarget_vertex", "shadowmap_pars_fragment", "shadowmap_pars_vertex",
  "shadowmap_vertex", "shadowmask_pars_fragment", "skinbase_vertex", "skinning_pars_vertex", "skinning_vertex", "skinnormal_vertex", "transmission_fragment", "transmission_pars_fragment",
];
const CONSTANT = /^((?:const|var) ([\w$]+) ?= ?)"((?:[^"\\]|\\.)*)";$/gm;

/** A shader, as it stands in a string of JavaScript, without comments, indents and needless spaces; lines with # stay lines. */
function shortened(text) {
  let out = "", open = false; // open: the last line is no directive, and more may follow it
  for (const raw of text.split("\\n")) {
    const directive = /^(\\t|\s)*#/.test(raw);
    let line = raw.replaceAll("\\t", " ").replace(/\/\/.*/, "").trim();
    if (!directive) line = line.replace(/\s+/g, " ").replace(/ ?([*/=<>(){},;:?&|![\]]) ?/g, "$1");
    if (!line) continue;
    out += (out && (directive || !open) ? "\\n" : out && /\w$/.test(out) && /^\w/.test(line) ? " " : "") + line;
    open = !directive;
  }
  return out;
}

export function usedShaders() {
  return {
    name: "used-shaders",
    transform(code, id) {
      if (!id.endsWith("three.module.js")) return null;
      const names = Object.fromEntries([...code.matchAll(/^\t(\w+): ([\w$]+),?$/gm)].map(([, key, name]) => [key, name]));
      const unused = [...PARTS, ...MATERIALS.flatMap((name) => [`${name}_vert`, `${name}_frag`])].map((key) => {
        if (!names[key]) throw new Error(`three.js has no shader ${key}`);
        return names[key];
      });
      const kept = code.replace(CONSTANT, (all, head, name, text) => (unused.includes(name) ? `${head}"";` : text.includes("\\n") ? `${head}"${shortened(text)}";` : all));
      return { code: kept, map: null };
    },
  };
}
