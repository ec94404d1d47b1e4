// Formats numbers for people, with four significant digits and a unit, as on the terminal.

export function duration(seconds) {
  if (seconds === 0) return "0 s";
  const size = Number(Math.abs(seconds).toPrecision(4));
  const [factor, unit] = size >= 1 ? [1, "s"] : size >= 1e-3 ? [1e3, "ms"] : [1e6, "us"];
  if (size * factor >= 1e9) return (seconds * factor).toExponential(3) + " " + unit;
  const digits = 3 - Math.max(0, Math.floor(Math.log10(size * factor)));
  return (seconds * factor).toFixed(Math.max(0, digits)) + " " + unit;
}

// Long times: "3.52 h", "12.4 days".
export function span(seconds) {
  if (seconds < 600) return duration(seconds);
  const [factor, unit] = seconds < 36e2 ? [60, "min"] : seconds < 1728e2 ? [3600, "h"] : [86400, "days"];
  return `${Number((seconds / factor).toPrecision(4))} ${unit}`;
}

export function bytes(value) {
  const [least, unit] = [[1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "kB"], [0, "B"]].find(([l]) => value >= l);
  return String(Number((value / (least || 1)).toPrecision(4))) + " " + unit;
}

export const percent = (share) => (100 * share).toFixed(1).replace(/^-(?=[0.]*$)/, "") + " %";

// No sign stands before what rounds to 0.
export const withSign = (format) => (value) => {
  const size = format(Math.abs(value));
  return (size === format(0) ? "" : value < 0 ? "−" : "+") + size;
};

export const signed = withSign(percent);

export const times = (ratio) => ratio.toFixed(3) + "x";

export const whole = (value) => Math.round(value).toLocaleString("en-US");

// Four significant digits: "7.346".
export const rounded = (value) => String(Number(value.toPrecision(4)));

export const plain = (value) => (Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(6))));

export const counted = (count, thing) => `${whole(count)} ${thing}${count === 1 ? "" : "s"}`;

// Begins with a capital letter, unless the first word is a name.
export const sentence = (text) => text.replace(/^(the|in|max|mean)\b/, (word) => word[0].toUpperCase() + word.slice(1));

// Drops trailing zeros, as on the ticks of an axis: "10.00 s" becomes "10 s".
export const short = (format) => (value) =>
  format(value).replace(/(\.\d*?)0+(?=\D|$)/, "$1").replace(/\.(?=\D|$)/, "");
