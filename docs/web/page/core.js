// The program's core, compiled to WebAssembly, and the files that come with the program, which experiments may name.

import { unpacked } from "../../../src/report/page/web/packed.js";

const FOLDER = "/spillway/workloads/experiments/";  // of experiments that a reader loads; their paths are relative to it

export class Core {
  constructor(module) {
    this.module = module;
  }

  static async started() {
    const wasmBinary = await (await unpacked("core")).arrayBuffer();
    return new Core(await spillwayCore({ wasmBinary }));
  }

  // Returns what report.html shows of the experiment's run, or { refused: [violation] }.
  simulated(text, name = "page.json") {
    return JSON.parse(this.module.ccall("simulate", "string", ["string", "string"], [FOLDER + name, text]));
  }

  // The same of what `synthesize` finds with so many tries. More tries go on from fewer: the search is the same.
  improved(text, name, effort) {
    return JSON.parse(this.module.ccall("improve", "string", ["string", "string", "number"], [FOLDER + name, text, effort]));
  }

  // Gives the core the shipped files, and those that were loaded beside an experiment: [{ name, text }].
  async give(others, documents) {
    this.shipped ??= await (await unpacked("shipped")).json();
    const put = (path, text) => this.module.ccall("give", null, ["string", "string"], [path, text]);
    this.module.ccall("forget", null, [], []);
    for (const { name, text } of others) for (const path of pathsTo(name, documents)) put(path, text);
    for (const [path, text] of Object.entries(this.shipped)) put(`/spillway/${path}`, text);
  }
}

// Where documents look for a file of that name: each path that they state for it, and beside them.
function pathsTo(name, documents) {
  const stated = documents.flatMap((text) => [...text.matchAll(/"((?:[^"\\\n]*\/)?([^"\\\/\n]+))"/g)]).filter(([, , last]) => last === name).map(([, path]) => path);
  return new Set([name, ...stated].map((path) => decodeURI(new URL(path, `file://${FOLDER}`).pathname)));
}
