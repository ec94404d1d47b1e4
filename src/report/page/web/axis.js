// The time axis above timelines.

import { axisTop } from "d3-axis";
import { select } from "d3-selection";

// `scale` turns seconds into pixels. The ends of what is in view are in the holder's data, for tests.
export function drawAxis(holder, scale, width) {
  const [from, to] = scale.domain();
  const unit = to >= 1 ? [1, "s"] : to >= 1e-3 ? [1e3, "ms"] : [1e6, "us"];
  const ticks = Math.max(2, Math.floor(width / 110));
  const step = scale.ticks(ticks);
  const digits = step.length > 1 ? Math.max(0, -Math.floor(Math.log10((step[1] - step[0]) * unit[0]) + 1e-9)) : 3;
  const shape = select(holder).selectAll("svg").data([0]);
  const drawing = shape.enter().append("svg").attr("aria-hidden", "true").merge(shape);
  drawing.attr("width", width).attr("height", 22).attr("viewBox", `0 0 ${width} 22`);
  const group = drawing.selectAll("g.scale").data([0]);
  group.enter().append("g").attr("class", "scale").merge(group).attr("transform", "translate(0,21)")
    .call(axisTop(scale).ticks(ticks).tickSizeOuter(0).tickFormat((t) => (t * unit[0]).toFixed(digits) + " " + unit[1]));
  holder.dataset.from = from;
  holder.dataset.to = to;
}
