// Measured passes of a job (`twin`, or the key `measured` of an experiment) beside what is predicted of them.

import { dots, legendOf } from "./charts.js";
import { el } from "./dom.js";
import { figure } from "./figure.js";
import { lines, section, table } from "./parts.js";
import { counted, duration, percent, plain, signed } from "./words.js";

const added = (counts) => Object.entries(counts.reduce((all, each) => ({ ...all, [each]: (all[each] ?? 0) + 1 }), {}))
  .map(([size, count]) => (count > 1 ? `${count}x${size}` : size)).join(" ");

function contentOf({ tokens, patches, microbatches }) {
  if (microbatches > 1) return counted(microbatches, "microbatch").replace(/hs$/, "hes");
  return [tokens.length > 0 && `${added(tokens)} tokens`, patches.length > 0 && `${added(patches)} patches`].filter(Boolean).join(", ") || "–";
}

function rowsOf(data, key, predicted) {
  return data.twin[key].map((one, i) => {
    const at = (name) => figure(data, `/twin/${key}/${i}/${name}`, duration);
    const range = one.repeats > 1 && el("small", { class: "under" }, at("least_s"), " to ", at("most_s"));
    return [`${one.stage} ${one.direction ?? "optimizer"}`, key === "measured" ? contentOf(one) : "–", plain(one.repeats), [at("mean_s"), range], at(predicted),
            signed(one[predicted] / one.mean_s - 1), one.roofline_s === undefined ? "–" : at("roofline_s")];
  });
}

const FORMS = { roofline: "not measured: the roofline's", factor: "a factor on the roofline", "offset-and-factor": "an offset and a factor on the roofline",
                curve: "a curve through the measured sizes" };

function layersTable({ layers }) {
  return el("details", {}, el("summary", {}, `How each pass of each kind of layer is known: ${layers.length}`),
    el("div", { class: "sources" }, table(["layers", "direction", "sizes measured", "its time is"],
      layers.map((one) => [`${one.layers} (${counted(one.count, "layer")})`, one.direction, one.range ? `${one.sizes}, ${one.range.map(plain).join(" to ")} ${one.unit}` : "–",
                           FORMS[one.form]]))));
}

export function passesSection(data) {
  const { twin } = data;
  if (!twin) return null;
  const error = (name, predicted, measured, look) => ({ name, value: predicted / measured - 1, look });
  const errors = [...twin.measured.flatMap((one) => [error(`${one.stage} ${one.direction}`, one.fitted_s, one.mean_s, "evidence-measured"),
                                                     error("roofline alone", one.roofline_s, one.mean_s, "evidence-extrapolated")]),
                  ...twin.optimizers.map((one) => error(`${one.stage} optimizer, modelled`, one.modelled_s, one.mean_s, "evidence-extrapolated"))];
  const rests = twin.evidence.map(({ schedule, measured, extrapolated }) => `${schedule} ${percent(measured)} measured, ${percent(extrapolated)} extrapolated`);
  return section("passes", "Measured passes", "Passes of single stages that were measured, and what the job's passes of that content are predicted to take. A stage is named by its layers: llm:0-14 are the layers of block llm from 0 up to, without, 14. " +
    "Right of the line the prediction is longer than the measured mean." + (rests.length > 0 ? ` Of the computing time of a step: ${rests.join("; ")}.` : ""),
    legendOf([["predicted from measured passes", "evidence-measured"], ["by the roofline alone", "evidence-extrapolated"]]),
    dots(errors, { format: signed, label: "Predicted against measured passes" }),
    table(["pass", "content", "repeats", "measured", "predicted", "error", "roofline alone"], [...rowsOf(data, "measured", "fitted_s"), ...rowsOf(data, "optimizers", "modelled_s")]),
    layersTable(twin), lines("Doubted", twin.doubts), lines("Notes", twin.notes));
}
