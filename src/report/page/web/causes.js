// The causes of idle time, by the names that the program gives them. Stripes have the colour of what a rank waits for.

export const CAUSES = [
  ["fill", "waiting/dots", "fill: before its first forward"],
  ["input", "forward/stripes", "waiting for a forward's input"],
  ["gradient", "backward/stripes", "waiting for a gradient"],
  ["replicas", "reduce/stripes", "waiting for other replicas"],
  ["sending", "transfer", "busy sending"],
  ["drain", "waiting", "drain: after its last backward"],
  ["plan", "bookkeeping/stripes", "plan: waiting for the step's plan"],
];
