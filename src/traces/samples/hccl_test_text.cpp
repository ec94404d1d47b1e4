// Reads the text that Huawei's HCCL Performance Tester prints: data_size(Bytes), aveg_time(us), between bars
// (CANN, "HCCL Performance Tester", result description, and the tester's own source). The text names neither
// operation nor devices: the echoed command, comment lines (MessageHeader) or the command line do, or the
// file's name the operation. Labels of launchers may stand before a row.
#include <algorithm>
#include <optional>

#include "base/number.h"
#include "traces/files/line_source.h"
#include "traces/samples/message_rows.h"
#include "traces/samples/sample_formats.h"

namespace spillway {
namespace {

// Returns the fields between bars or blanks. A label before the first bar is left out.
std::vector<std::string_view> cells_of(std::string_view line) {
  constexpr std::string_view kBetween = "| \t";
  if (const std::size_t bar = line.find('|'); bar != std::string_view::npos) {
    const std::string_view first = line.substr(0, line.find_last_not_of(kBetween, bar) + 1);
    const std::size_t label = first.find_last_of(" \t>:]");
    if (label != std::string_view::npos) line.remove_prefix(label + 1);
  }
  std::vector<std::string_view> cells;
  for (std::size_t begin; (begin = line.find_first_not_of(kBetween)) != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(kBetween, begin), line.size());
    cells.push_back(line.substr(begin, end - begin));
    line.remove_prefix(end);
  }
  return cells;
}

// Reads an echoed "mpirun -f hosts -n 16 ./bin/all_reduce_test -b 8K -e 64M -p 8": -n is the number of all
// devices, -p that of a node.
void read_command(const std::vector<std::string_view>& words, MessageHeader& header) {
  const auto program =
      std::ranges::find_if(words, [](std::string_view word) { return word.ends_with("_test"); });
  const auto launcher =
      std::ranges::find_if(words, [](std::string_view word) { return word.ends_with("mpirun"); });
  const auto operation =
      program == words.end() ? std::nullopt : operation_in(program->substr(program->rfind('/') + 1));
  if (launcher == words.end() || !operation) return;
  header.operation = operation;
  for (auto word = launcher; word + 1 < words.end(); ++word) {
    const auto number = number_from<std::uint32_t>(word[1]);
    if (word < program && (*word == "-n" || *word == "-np") && number) header.devices = number;
    if (word > program && *word == "-p" && number) header.neighbours = number;
  }
}

void require_group(const MessageHeader& header, Findings& refused) {
  if (!header.operation)
    refused.add("/",
                "the collective that was timed: a line \"# operation: all-reduce\", or a file with its name",
                "neither");
  if (!header.devices) refused.add("/", "the number of devices: a line \"# devices: 16\"", "none");
}

struct Timing {
  std::size_t line;
  Bytes size;
  Seconds time;
};

// A row is data_size, aveg_time, alg_bandwidth, check_result.
std::optional<Timing> timing_of(const std::vector<std::string_view>& cells, std::size_t line,
                                Findings& refused) {
  const auto size = number_from<double>(cells[0]);
  if (!size) return std::nullopt;
  const auto time = cells.size() > 1 ? number_from<double>(cells[1]) : std::nullopt;
  if (time) return Timing{line, Bytes(*size), microseconds(*time)};
  refused.add("line " + std::to_string(line), "data_size and aveg_time", "no time");
  return std::nullopt;
}

Samples read_hccl_test_text(const std::string& path, const TimedGroup& given) {
  Findings refused(path, kMostRefused);
  MessageHeader header;
  std::vector<Timing> timings;
  std::size_t failed = 0;
  LineSource lines(path);
  while (const auto line = lines.next()) {
    if (line->starts_with('#')) header.read_comment(line->substr(1));
    const std::vector<std::string_view> cells = cells_of(*line);
    if (cells.empty() || line->starts_with('#')) continue;
    if (timings.empty()) read_command(cells, header);
    const auto timing = timing_of(cells, lines.number(), refused);
    const bool wrong = cells.back() == "failed";
    if (timing && wrong) ++failed;
    if (timing && !wrong) timings.push_back(*timing);
  }
  header.complete(given);
  if (!header.operation) header.operation = operation_in(short_name(path));
  require_group(header, refused);
  std::vector<Note> notes;
  if (failed > 0) notes.push_back({NoteKind::Dropped, failed, "rows whose results were wrong"});
  if (!header.neighbours)
    notes.push_back(
        {NoteKind::Guessed, 0, "the file does not state the placement of the devices: all in one node"});
  MessageRows rows(refused);
  for (const Timing& timing : timings)
    if (header.operation && header.devices)
      rows.add(timing.line, {*header.operation, *header.devices, header.neighbours.value_or(*header.devices),
                             header.transport, timing.size, timing.time});
  const std::string source = header.source.empty() ? short_name(path) : header.source;
  Samples samples{"hccl_test", {path}, "hccl_test " + source, std::move(rows).take(), {}, std::move(notes)};
  if (!header.neighbours) samples.placement = DevicePlacement::Assumed;
  return samples;
}

}  // namespace

const SampleFormat kHcclTestText = {"hccl_test", {"data_size", "time(us)"}, false, read_hccl_test_text};

}  // namespace spillway
