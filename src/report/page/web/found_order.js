// What `synthesize` adds to the page of a run: the found schedule, which is the last of the report, beside the named one that
// it began with.

import { el } from "./dom.js";
import { figure } from "./figure.js";
import { lines, section } from "./parts.js";
import { counted, duration, percent, whole } from "./words.js";

// Stages that no named schedule has hold other passes than those of any named one.
const differsFromNamed = ({ is_named, made }) => !is_named && !made;

function originWords({ is_named, made, nearest }) {
  if (is_named) return `No order that was tried is faster than ${nearest} on the planning draws, so that is the result.`;
  return made ? `No named schedule has its stages: ${made}.` : `The search began with the order of ${nearest}, and kept its stages and passes.`;
}

// The order in which timelines are shown: the found one, the one that it differs from, the rest.
export function shownFirst(data, report) {
  const found = report.schedules.length - 1, named = report.schedules.findIndex(({ name }) => name === data.synthesis.nearest);
  const order = [found, ...(named >= 0 ? [named] : []), ...report.schedules.keys()].filter((i, at, all) => all.indexOf(i) === at);
  const sorted = (all) => order.map((i) => all[i]);
  return [{ ...data, schedules: sorted(data.schedules), differs: named >= 0 && differsFromNamed(data.synthesis) }, { ...report, schedules: sorted(report.schedules) }];
}

function differenceRows(data, { owners, passes }) {
  const at = (key) => figure(data, `/synthesis/difference/${key}`, whole), inside = (key) => [at(key), ", and ", at("named_" + key), " in ", data.synthesis.nearest];
  const { difference } = data.synthesis;
  return [
    [passes > 0, "passes of the pipeline that changed place", [at("changed_place"), " of ", at("passes")]],
    [difference.moved_weights > 0, "weight gradients that follow another pass", at("moved_weights")],
    [owners > 0, "encodes on other ranks", at("owners")],
    [difference.encodes_inside + difference.named_encodes_inside > 0, "encodes inside the pipeline", inside("encodes_inside")],
    [difference.backwards_inside + difference.named_backwards_inside > 0, "encoder backwards inside the pipeline", inside("backwards_inside")],
  ].filter(([has]) => has);
}

export function foundSection(data) {
  const { synthesis } = data;
  if (!synthesis) return null;
  const facts = [
    ["step", [figure(data, "/synthesis/makespan_s", duration), ", ", figure(data, "/synthesis/gap", percent), " above the bound of its passes, ",
              figure(data, "/synthesis/lower_bound_s", duration), synthesis.optimal && "; no order of these passes on these ranks is more than 0.01 % faster"]],
    ["named", [synthesis.best_named.name, ", the best named schedule, takes ", figure(data, "/synthesis/best_named/makespan_s", duration),
               synthesis.best_named.fits === false && ", and does not fit the memory"]],
    ["searched", `${counted(synthesis.starts, "named schedule")} planned, ${counted(synthesis.effort, "order")} tried; --effort ${synthesis.effort} ` +
                 `--seed ${synthesis.seed} gives this result again`],
  ];
  return section("found", "The found order", originWords(synthesis),
    el("dl", { class: "decision" }, facts.map(([about, text]) => [el("dt", {}, about), el("dd", {}, text)])),
    differsFromNamed(synthesis) && el("dl", { class: "decision wide-terms" },
      differenceRows(data, synthesis.difference).map(([, about, value]) => [el("dt", {}, about), el("dd", {}, value)])),
    lines("Not searched", synthesis.left_out.map(({ schedule, reason }) => `${schedule}, since ${reason}`)));
}

// Words above the timelines.
export function differenceWords(data) {
  if (!data.synthesis || !differsFromNamed(data.synthesis)) return "";
  return ` A bar along the top of a pass of the found order marks that it changed place against ${data.synthesis.nearest}: these are the fewest passes ` +
    "that have to move to turn one order into the other. A box marks an encode that another rank ran there. Search for “moved” to step through them.";
}
