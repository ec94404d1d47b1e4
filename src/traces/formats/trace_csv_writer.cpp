#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>

#include "base/printable.h"
#include "traces/events/trace.h"
#include "traces/formats/trace_csv.h"

namespace spillway {
namespace {

constexpr double kTicksPerSecond = 1e7;  // of 0.1 us

template <class Number>
void append_number(std::string& text, Number number) {
  char digits[32];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}

// Appends microseconds with one decimal, which is omitted if it is 0.
void append_ticks(std::string& text, std::int64_t ticks) {
  append_number(text, ticks / 10);
  if (ticks % 10 != 0) (text += '.') += static_cast<char>('0' + ticks % 10);
}

// Quotes the text if necessary, so that it is read as one field.
std::string field(std::string_view text) {
  std::string shown(text);
  std::replace_if(
      shown.begin(), shown.end(), [](unsigned char c) { return c < 0x20 || c == 0x7F; }, ' ');
  shown = printable(shown);
  std::replace(shown.begin(), shown.end(), '"', '\'');
  const bool bare = shown.find_first_of(", #") == std::string::npos;
  return bare ? shown : '"' + shown + '"';
}

std::vector<std::string> fields(const std::vector<std::string>& texts) {
  std::vector<std::string> all;
  for (const std::string& text : texts) all.push_back(field(text));
  return all;
}

// Contract: the trace was read from a file.
std::string source(const Trace& trace) {
  const std::string first = std::filesystem::path(trace.files.front()).filename().string();
  const std::size_t others = trace.files.size() - 1;
  return "compact copy of " + printable(first) +
         (others == 0 ? "" : " and " + std::to_string(others) + " more");
}

// Returns [step]; infinite if nothing of a step is written.
std::vector<Seconds> step_origins(const Trace& trace) {
  std::vector<Seconds> origins(trace.steps.size(), Seconds(std::numeric_limits<double>::infinity()));
  for (const TraceEvent& event : trace.events)
    if (has_action(event.kind)) origins[event.step] = std::min(origins[event.step], event.start);
  return origins;
}

std::string comments_and_header(const Trace& trace, const std::vector<std::string>& steps,
                                const std::vector<Seconds>& origins) {
  std::string text(kTraceCsvMark);
  append_number(text += " origin_s=", trace.origin_s);
  text += " format=" + printable(trace.format) + '\n';
  if (!trace.schedule.empty()) text += "# schedule " + printable(trace.schedule) + '\n';
  if (!trace.files.empty()) text += "# " + to_string(Note{NoteKind::Read, 0, source(trace)}) + '\n';
  for (const Note& note : trace.notes) text += "# " + printable(to_string(note)) + '\n';
  const auto left_out = static_cast<std::size_t>(
      std::count_if(trace.events.begin(), trace.events.end(),
                    [](const TraceEvent& event) { return !has_action(event.kind); }));
  if (left_out > 0)
    text +=
        "# " + to_string(Note{NoteKind::Dropped, left_out, "events without computing or transfers"}) + '\n';
  for (std::size_t step = 0; step < origins.size(); ++step) {
    if (origins[step] == Seconds(0) || !std::isfinite(origins[step].value())) continue;
    append_number(text += "# step " + steps[step] + " at ", origins[step].value());
    text += '\n';
  }
  return text + "step,replica,rank,action,start_us,duration_us,name\n";
}

void append_row(std::string& text, const TraceEvent& event, const std::string& step, Seconds origin,
                const std::string& name) {
  const std::int64_t start = std::llround((event.start - origin).value() * kTicksPerSecond);
  const std::int64_t end = std::llround((event.end() - origin).value() * kTicksPerSecond);
  append_number((text += step) += ',', event.replica);
  append_number(text += ',', event.rank);
  append_number(text += ',', event.stage);
  text += kTraceActions[static_cast<std::size_t>(event.kind)];
  if (event.microbatch != kUnknown) append_number(text, event.microbatch);
  append_ticks(text += ',', start);
  append_ticks(text += ',', end - start);
  text += ',';
  if (event.kind == TraceKind::Collective) text += name;
  text += '\n';
}

}  // namespace

void write_trace_csv(std::ostream& out, const Trace& trace) {
  constexpr std::size_t kFull = std::size_t{1} << 16;
  const std::vector<std::string> steps = fields(trace.steps), names = fields(trace.names);
  const std::vector<Seconds> origins = step_origins(trace);
  std::string text = comments_and_header(trace, steps, origins);
  for (const TraceEvent& event : trace.events) {
    if (!has_action(event.kind)) continue;
    append_row(text, event, steps[event.step], origins[event.step], names[event.name]);
    if (text.size() < kFull) continue;
    out << text;
    text.clear();
  }
  out << text;
}

}  // namespace spillway
