// What `execute` adds to the page of a trace: the played step beside the predicted one, and what each rank lost.

import { bars, dots, legendOf } from "./charts.js";
import { figure } from "./figure.js";
import { section, table } from "./parts.js";
import { counted, duration, signed } from "./words.js";

const LOST = [["computing_s", "computing", "computing"], ["messages_s", "transfer", "messages"], ["groups_s", "reduce", "groups"],
              ["between_s", "bookkeeping/stripes", "between actions"]];

export function playedSections(data) {
  const { execution } = data;
  if (!execution) return null;
  const rows = execution.lost.map((one, i) => [`${one.replica}:${one.rank}`, ...LOST.map(([key]) => figure(data, `/execution/lost/${i}/${key}`, duration))]);
  const losses = execution.lost.map((one) => ({ name: `replica ${one.replica}, rank ${one.rank}`, label: `${one.replica}:${one.rank}`,
    parts: LOST.map(([key, look, words]) => ({ value: Math.max(0, one[key]), look, words })) }));
  const most = Math.max(...losses.map(({ parts }) => parts.reduce((sum, { value }) => sum + value, 0))) * 1.02 || 1;
  return [
    section("played", "Predicted and played", "",
      table(["step", "predicted", "played", "difference"], [[`the median of ${counted(execution.steps_s.length, "step")}`, figure(data, "/execution/predicted_s", duration),
        figure(data, "/execution/measured_s", duration), figure(data, "/execution/difference", signed)]]),
      execution.steps_s.length > 1 && execution.predicted_s > 0 && dots(execution.steps_s.map((seconds, i) =>
        ({ name: `step ${i + 1}`, value: seconds / execution.predicted_s - 1, look: "ink" })), { format: signed, label: "Played steps against the predicted one" })),
    section("lost", "Longer than predicted, by rank", "Sums over the actions of a rank in the median step. They delay the step only where they lie on its longest path.",
      legendOf(LOST.map(([, look, words]) => [words, look])), bars(losses, { format: duration, most, label: "What each rank's actions took beyond their own" }),
      table(["replica:rank", ...LOST.map(([, , words]) => words)], rows)),
  ];
}
