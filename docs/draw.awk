# Draws traces that `spillway run --out` wrote, as SVG: rows are ranks, one trace under the other on one time axis.
#   awk -f docs/draw.awk -v colours=src/words/colours.css [-v mark=...] [-v free=TRACE] [-v dense=1] TRACE... > picture.svg
# Numbers are microbatches; what a rank does for its later stages is drawn paler. The reader's browser takes the light
# colours or the dark ones. `dense` leaves out the borders, which would cover boxes of two pixels. `mark` hatches
#   bubble   whatever a rank computes nothing in
#   slack    a rank's idle time before its first pipelined event
#   spill    what a rank encodes beyond its slack in the trace `free`, the same job with encoding free
#   exposed  the time from the end of the last trace to the end of this one
# One event a line is what is read; coordinates are whole, so that the same traces give the same bytes.

function value(key,    found) {  # of "key":value in this line
  if (!match($0, "\"" key "\":(\"[^\"]*\"|[-+0-9.e]+)")) return ""
  found = substr($0, RSTART + length(key) + 3, RLENGTH - length(key) - 3)
  gsub(/"/, "", found)
  return found
}

BEGIN {
  kWidth = 800; kLeft = 54; kRow = 20; kTitle = 18; kGap = 8
  kHatched = "fill=\"url(#h)\" class=\"mark\""
  y = 0; labels = ""
  split("encoder forward,encoder backward,forward,backward,weight gradient", kinds, ",")
  for (k in kinds) kind_of[kinds[k]] = k
  read_colours(colours)
  while (free != "" && (getline < free) > 0) note_first(free)
}

# The colours of both schemes, by name.
function read_colours(css,    line, scheme, parts) {
  scheme = "light"
  while ((getline line < css) > 0) {
    if (line ~ /@media/) scheme = "dark"
    while (match(line, /--[a-z0-9-]+: #[0-9a-f]+/)) {
      split(substr(line, RSTART + 2, RLENGTH - 2), parts, ": ")
      colour[scheme, parts[1]] = parts[2]
      line = substr(line, RSTART + RLENGTH)
    }
  }
}

FNR == 1 { traces[++count] = FILENAME }
/"process_name"/ && value("pid") == 1 { match($0, /"name":"[^"]*, replica/); title[FILENAME] = substr($0, RSTART + 8, RLENGTH - 17) }
/"ph":"X"/ && value("replica") == 0 && value("tid") == 1 { note_first(FILENAME); keep(FILENAME) }

function note_first(trace,    rank) {  # a rank's first event that is no encoding
  if (!/"ph":"X"/ || value("replica") != 0 || value("tid") != 1 || value("cat") ~ /^encoder/) return
  rank = value("rank")
  if (!((trace, rank) in first)) first[trace, rank] = value("ts")
}

function keep(trace,    n) {
  n = ++events[trace]
  rank[trace, n] = value("rank") + 0; at[trace, n] = value("ts") + 0; lasts[trace, n] = value("dur") + 0
  kind[trace, n] = value("cat"); microbatch[trace, n] = value("microbatch"); stage[trace, n] = value("stage") + 0
  back[trace, n] = value("backward_microbatch"); back_stage[trace, n] = value("backward_stage") + 0
  if (rank[trace, n] >= ranks[trace]) ranks[trace] = rank[trace, n] + 1
  if (at[trace, n] + lasts[trace, n] > ends[trace]) ends[trace] = at[trace, n] + lasts[trace, n]
  if (ends[trace] > longest) longest = ends[trace]
}

function x(time) { return sprintf("%.0f", time * kWidth / longest) + 0 }

# A box of a kind, in its shade, with the microbatch in its middle where there is room.
function box(trace, n, kind, number, stage, top, height,    k, shade, left, width, ink) {
  k = kind_of[kind]; shade = k (k > 2 && stage >= ranks[trace] ? "l" : "")
  left = x(at[trace, n]); width = x(at[trace, n] + lasts[trace, n]) - left
  shapes[shade] = shapes[shade] "M" left " " top "h" width "v" height "h-" width "z"
  used[k] = 1
  if (length(number) > 1 || width < 7) return
  ink = kind == "forward" && shade == k "" ? "light" : shade == k "" ? "dark" : "later"
  digits[ink, height, top] = digits[ink, height, top] number
  places[ink, height, top] = places[ink, height, top] " " left + int(width / 2)
}

function hatch(from, to, top, height) {
  if (x(to) <= x(from)) return
  shapes["m"] = shapes["m"] "M" x(from) " " top "h" x(to) - x(from) "v" height "h" x(from) - x(to) "z"
}

function draw_event(trace, n, top) {
  if (kind[trace, n] == "forward and backward together") {
    box(trace, n, "forward", microbatch[trace, n], stage[trace, n], top, (kRow - 2) / 2)
    box(trace, n, "backward", back[trace, n], back_stage[trace, n], top + (kRow - 2) / 2, (kRow - 2) / 2)
  } else if (kind[trace, n] in kind_of) {
    box(trace, n, kind[trace, n], microbatch[trace, n], stage[trace, n], top, kRow - 2)
  }
}

# Of a rank whose events come by start.
function mark_rank(trace, r, top,    n, from, room) {
  from = 0; room = first[free, r]
  for (n = 1; n <= events[trace]; n++) {
    if (rank[trace, n] != r) continue
    if (mark == "bubble") hatch(from, at[trace, n], top, kRow - 2)
    if (mark == "spill" && kind[trace, n] == "encoder forward") {
      if (lasts[trace, n] > room) hatch(at[trace, n] + room, at[trace, n] + lasts[trace, n], top, kRow - 2)
      room = room > lasts[trace, n] ? room - lasts[trace, n] : 0
    }
    from = at[trace, n] + lasts[trace, n]
  }
  if (mark == "bubble") hatch(from, ends[trace], top, kRow - 2)
  if (mark == "slack") hatch(0, first[trace, r], top, kRow - 2)
  if (mark == "exposed") hatch(ends[traces[count]], ends[trace], top, kRow - 2)
}

function write_digits(ink, top, height, where) {
  if (!((ink, height, top) in digits)) return
  print "<text x=\"" substr(places[ink, height, top], 2) "\" " where ">" digits[ink, height, top] "</text>"
}

function text(left, top, words) {
  gsub(/&/, "\\&amp;", words); gsub(/</, "\\&lt;", words)
  return "<text x=\"" left "\" y=\"" top "\">" words "</text>"
}

# One trace under what is drawn already.
function draw_trace(trace,    r, n) {
  labels = labels text(-kLeft, y + 13, title[trace] ": " sprintf("%.0f", ends[trace] / 1000) " ms") "\n"
  y += kTitle
  for (r = 0; r < ranks[trace]; r++) {
    labels = labels text(-kLeft, y + 14, "rank " r) "\n"
    shapes["i"] = shapes["i"] "M0 " y "h" x(ends[trace]) "v" kRow - 2 "h-" x(ends[trace]) "z"
    for (n = 1; n <= events[trace]; n++) if (rank[trace, n] == r) draw_event(trace, n, y)
    mark_rank(trace, r, y)
    y += kRow
  }
  y += kGap
}

function path(shape, look) { if (shape != "") print "<path d=\"" shape "\" " look "/>" }

function write_frame(width, height) {
  printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"%d -4 %d %d\" ", -kLeft - 6, width, height
  print "font-family=\"sans-serif\" font-size=\"12\">"
  print "<style>"
  write_scheme("light")
  print "@media (prefers-color-scheme:dark){"
  write_scheme("dark")
  print "}</style>"
  printf "<defs><pattern id=\"h\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
  print "patternTransform=\"rotate(45)\"><path d=\"M0 0v6\" class=\"mark\" stroke-width=\"1.6\"/></pattern></defs>"
  path(sprintf("M%d -4h%dv%dh-%dz", -kLeft - 6, width, height, width), "class=\"ground\"")
}

# The rules of the classes that the picture uses, in the colours of a scheme.
function write_scheme(scheme,    k, name) {
  printf ".ground{fill:%s}text{fill:%s}", colour[scheme, "ground"], colour[scheme, "ink"]
  printf ".idle{fill:%s}.mark{stroke:%s}", colour[scheme, "idle"], colour[scheme, "ink"]
  printf ".dark text{fill:%s}.light text{fill:%s}", colour[scheme, "on-event"], colour[scheme, "on-forward"]
  printf ".later text{fill:%s}", colour[scheme, "on-later"]
  for (k = 1; k <= 5; k++) if (used[k]) {
    name = kinds[k]
    gsub(/ /, "-", name)
    printf ".k%d{fill:%s;stroke:%s}", k, colour[scheme, name], dense ? "none" : colour[scheme, "ground"]
    if (k > 2) printf ".k%dl{fill:%s;stroke:%s}", k, colour[scheme, "later-" name], dense ? "none" : colour[scheme, "ground"]
  }
  print ""
}

function write_boxes(    k) {
  path(shapes["i"], "class=\"idle\"")
  for (k = 1; k <= 5; k++) {
    path(shapes[k], "class=\"k" k "\"")
    path(shapes[k "l"], "class=\"k" k "l\"")
  }
  path(shapes["m"], kHatched)
}

function write_numbers(ink,    top) {
  print "<g class=\"" ink "\" text-anchor=\"middle\" font-size=\"10\">"
  for (top = 0; top < y; top++) {
    write_digits(ink, top, kRow - 2, "y=\"" top + kRow - 7 "\"")
    write_digits(ink, top, (kRow - 2) / 2, "y=\"" top + 8 "\" font-size=\"9\"")
  }
  print "</g>"
}

function write_key(left, words, look) {
  path("M" left " " y + 3 "h12v12h-12z", look)
  print text(left + 16, y + 13, words)
  return left + 34 + 7 * length(words)
}

function write_legend(    k, left) {
  left = 0
  for (k = 1; k <= 5; k++) if (used[k]) left = write_key(left, kinds[k], "class=\"k" k "\"")
  left = write_key(left, "idle", "class=\"idle\"")
  if (mark != "") write_key(left, mark, kHatched)
}

END {
  for (t = 1; t <= count; t++) draw_trace(traces[t])
  write_frame(kWidth + kLeft + 12, y + kTitle + 8)
  write_boxes()
  printf "%s", labels
  write_numbers("dark")
  write_numbers("light")
  write_numbers("later")
  write_legend()
  print "</svg>"
}
