// Settings of the page -> an experiment as `run` reads it. Nothing is simulated here.

// The model: an encoder of 4 layers before a language model of 4 P - 4, so that a rank has 4 in order of depth.
const LAYERS = 4;
// Of a microbatch with encoder work 1, all layers together.
const FORWARD_MS = 160;

export const SCHEDULES = [
  { name: "1f1b", schedule: "1f1b", words: "1F1B, the encoder in a stage of its own" },
  { name: "interleaved", schedule: "1f1b,1f1b", cut: true, words: "interleaved 1F1B, two chunks a rank" },
  { name: "zb-v", schedule: "zb-v", words: "ZB-V, zero bubble" },
  { name: "balanced", system: "megatron-balanced", words: "1F1B, layers shared out by what they take" },
  { name: "mpipe", schedule: "transpose,1f1b", words: "Mpipe: the encoder transposed" },
];

// The value at `share` (0 to 1) of percentiles [[share, value], ...]; straight lines between them.
function quantile(percentiles, share) {
  const after = percentiles.findIndex(([at]) => at >= share);
  if (after === 0) return percentiles[0][1];
  if (after < 0) return percentiles.at(-1)[1];
  const [[from, low], [to, high]] = [percentiles[after - 1], percentiles[after]];
  return low + (high - low) * (share - from) / (to - from);
}

// The n-th number of a sequence that fills [0, 1) evenly however much of it is taken (Weyl, golden ratio): the same
// microbatch has the same images whatever else is set.
const spreadEvenly = (n) => ((n + 0.5) * 0.6180339887498949) % 1;

// By microbatch: its encoder work in parts of the mean, to a thousandth.
function workOf({ microbatches, images, spread }) {
  const patches = Array.from({ length: microbatches }, (_, m) => {
    let sum = 0;
    for (let image = 0; image < images; ++image) sum += quantile(spread.percentiles, spreadEvenly(m * images + image));
    return sum;
  });
  const mean = patches.reduce((sum, each) => sum + each, 0) / microbatches;
  return patches.map((each) => Math.max(0.001, Math.round(each / mean * 1000) / 1000));
}

function profile(milliseconds) {
  const each = Number(milliseconds.toPrecision(6));
  return { forward_ms: each, input_gradient_ms: each, weight_gradient_ms: each };
}

function scheduleOf({ name, schedule, system, cut }, { ranks }) {
  if (system) return { name, system };
  return { name, schedule, ...(cut && { cut: [LAYERS * ranks / 2] }) };
}

// settings: { ranks, microbatches, share (of the forward, 0 to 1), trained, images (of a microbatch), spread, transfer_ms,
// schedules (names) }
export function experimentOf(settings) {
  const chosen = SCHEDULES.filter(({ name }) => settings.schedules.includes(name));
  const language = LAYERS * settings.ranks - LAYERS;
  return {
    schema: "spillway/experiment/1",
    name: "in the browser",
    pipeline: { ranks: settings.ranks, microbatches: settings.microbatches },
    model: { blocks: [
      { name: "encoder", role: "encoder", layers: LAYERS, trainable: settings.trained,
        profile: profile(settings.share * FORWARD_MS / LAYERS), work_per_microbatch: workOf(settings) },
      { name: "llm", layers: language, profile: profile((1 - settings.share) * FORWARD_MS / language) },
    ] },
    network: { p2p_ms: settings.transfer_ms },
    schedules: chosen.map((each) => scheduleOf(each, settings)),
    baseline: chosen[0].name,
  };
}
