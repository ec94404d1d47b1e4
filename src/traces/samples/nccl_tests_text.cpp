// Reads the text that the programs of NVIDIA/nccl-tests and ROCm/rccl-tests print (doc/PERFORMANCE.md and the
// programs' own output). It reads versions from NCCL 1 (bytes, res, milliseconds) to today (size, #wrong,
// microseconds), and takes the out-of-place times. The banner or comment lines (MessageHeader) state
// operation and devices. Without them, bus over algorithm bandwidth gives the devices. Sizes are the
// program's own: the gathered or not yet scattered vector, or what a device holds before an all-to-all.
#include <algorithm>
#include <cmath>
#include <set>

#include "base/number.h"
#include "traces/files/line_source.h"
#include "traces/samples/message_rows.h"
#include "traces/samples/sample_formats.h"

namespace spillway {
namespace {

using enum CollectiveOperation;
using Words = std::vector<std::string_view>;

constexpr std::string_view kMpiPrefix = "<stdout>:";

// Removes the prefix of a line. mpirun writes "[1,0]<stdout>:", MPICH "[0] ", and srun " 0: " if asked to
// label lines (-l).
std::string_view without_prefix(std::string_view line) {
  const std::size_t at = line.find(kMpiPrefix);
  if (line.starts_with('[') && at != std::string_view::npos) return line.substr(at + kMpiPrefix.size());
  const std::size_t bracket = line.starts_with('[') ? line.find_first_not_of("0123456789", 1) : line.npos;
  if (bracket < line.size() && bracket > 1 && line[bracket] == ']') return line.substr(bracket + 1);
  const std::size_t digit = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t past = std::min(line.find_first_not_of("0123456789", digit), line.size());
  return past > digit && line.substr(past).starts_with(": ") ? line.substr(past + 2) : line;
}

void split_words(std::string_view line, Words& words) {
  words.clear();
  for (std::size_t begin; (begin = line.find_first_not_of(" \t")) != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(" \t", begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    line.remove_prefix(end);
  }
}

// The positions of the columns. Of two times, the first is used, which is out of place.
struct Columns {
  std::size_t size, time, algbw, busbw, wrong, fields;
};

std::optional<Columns> columns_of(Words words) {
  if (!words.empty() && words.front() == "#") words.erase(words.begin());
  const auto at = [&](std::string_view name) {
    return static_cast<std::size_t>(std::find(words.begin(), words.end(), name) - words.begin());
  };
  const std::size_t wrong = std::min({at("#wrong"), at("error"), at("res")});
  const std::size_t size = std::min(at("size"), at("bytes"));
  const Columns columns{size, at("time"), at("algbw"), at("busbw"), wrong, words.size()};
  for (const std::size_t column : {columns.size, columns.time, columns.algbw, columns.busbw})
    if (column == words.size()) return std::nullopt;
  return columns;
}

struct Row {
  std::size_t line;
  double bytes, time, algbw, busbw;  // time: in the unit of time_unit
};

class Output {
 public:
  Output(const std::string& path, Findings& refused) : refused_(&refused) {
    LineSource lines(path);
    Words words;
    while (const auto line = lines.next()) read(without_prefix(*line), lines.number(), words);
    if (!columns_) refused.add("/", "a heading with size, time, algbw and busbw", "none");
  }

  MessageHeader header = {};
  std::vector<Row> table = {};
  std::set<std::string> hosts = {};
  std::uint32_t ranks = 0;
  std::size_t wrong = 0;  // rows with wrong results

 private:
  void read(std::string_view line, std::size_t number, Words& words) {
    split_words(line, words);
    if (words.empty()) return;
    if (words[0].starts_with('#')) {
      if (!columns_) columns_ = columns_of(words);
      if (words.size() > 8 && words[1] == "Rank") read_rank(words);
      if (words.size() > 4 && words[1] == "Device" && words[3] == "->") ++ranks;
      if (words.size() > 1 && words[1] == "nThread" && !table.empty() && !another_++)
        refused_->add("line " + std::to_string(number),
                      "the output of one test: cut the file before this line", "another test's");
      return header.read_comment(line.substr(line.find('#') + 1));
    }
    // Lines that the library logs begin with the host's name.
    if (columns_ && number_from<double>(words[0])) read_row(words, number);
  }

  // Reads "# Rank 0 Group 0 Pid 2989375 on host device 0 [...]". Older programs print no group.
  void read_rank(const Words& words) {
    const auto on = std::find(words.begin(), words.end(), "on");
    const auto rank = number_from<double>(words[2]);
    if (!rank || *rank < 0 || *rank > 1e6 || on == words.end() || on + 1 == words.end()) return;
    ranks = std::max(ranks, static_cast<std::uint32_t>(*rank) + 1);
    hosts.emplace(*(on + 1));
  }

  void read_row(const Words& words, std::size_t number) {
    const std::string place = "line " + std::to_string(number);
    if (words.size() != columns_->fields)
      return refused_->add(place, std::to_string(columns_->fields) + " columns",
                           std::to_string(words.size()));
    if (columns_->wrong < words.size() && number_from<double>(words[columns_->wrong]).value_or(0) >= 1) {
      ++wrong;
      return;
    }
    const auto field = [&](std::size_t column) { return number_from<double>(words[column]); };
    const auto size = field(columns_->size), time = field(columns_->time), algbw = field(columns_->algbw),
               busbw = field(columns_->busbw);
    if (!size || !time || !algbw || !busbw)
      return refused_->add(place, "numbers for size, time, algbw and busbw", "other text");
    table.push_back({number, *size, *time, *algbw, *busbw});
  }

  Findings* refused_;
  std::optional<Columns> columns_ = {};
  std::size_t another_ = 0;  // banners after rows
};

// Older programs print milliseconds without saying so. Bytes over algorithm bandwidth shows the unit; the row
// in which the bandwidth has the most digits is used.
Seconds time_unit(const std::vector<Row>& table) {
  const auto fastest = std::max_element(table.begin(), table.end(),
                                        [](const Row& a, const Row& b) { return a.algbw < b.algbw; });
  if (fastest == table.end() || fastest->algbw <= 0 || fastest->time <= 0) return microseconds(1);
  const double seconds = fastest->bytes / (fastest->algbw * 1e9);
  return seconds / fastest->time > 3e-5 ? milliseconds(1) : microseconds(1);
}

// Bus over algorithm bandwidth is 2 (N-1)/N for an all-reduce and (N-1)/N for the others
// (doc/PERFORMANCE.md). The row in which both have the most digits is used.
std::optional<std::uint32_t> devices_by_bandwidth(const std::vector<Row>& table,
                                                  CollectiveOperation operation) {
  if (operation == SendRecv) return 2;
  const auto fastest = std::max_element(table.begin(), table.end(),
                                        [](const Row& a, const Row& b) { return a.algbw < b.algbw; });
  if (fastest == table.end() || fastest->algbw <= 0) return std::nullopt;
  const double share = fastest->busbw / fastest->algbw / (operation == AllReduce ? 2 : 1);
  const double devices = 1 / (1 - share);
  if (!(share > 0.4 && share < 1 && std::abs(devices - std::round(devices)) < 0.1)) return std::nullopt;
  return static_cast<std::uint32_t>(std::lround(devices));
}

void complete_by_output(MessageHeader& header, const Output& output, std::vector<Note>& notes) {
  // Every rank of sendrecv_perf sends to the next rank and receives from the previous one, so each message is
  // between two.
  if (header.operation == SendRecv && !header.devices) header.devices = 2;
  const bool listed = output.ranks > 1;
  if (!header.devices && listed) header.devices = output.ranks;
  if (!header.devices && header.operation) {
    header.devices = devices_by_bandwidth(output.table, *header.operation);
    if (header.devices)
      notes.push_back({NoteKind::Guessed, 0,
                       "devices from bus over algorithm bandwidth: " + std::to_string(*header.devices)});
  }
  if (header.neighbours || !header.devices) return;
  const auto nodes = static_cast<std::uint32_t>(output.hosts.size());
  if (listed && nodes > 0 && *header.devices % nodes == 0) {
    header.neighbours = *header.devices / nodes;
  } else {
    header.neighbours = header.devices;
    notes.push_back(
        {NoteKind::Guessed, 0, "the file does not state the placement of the devices: all in one node"});
  }
}

Samples read_nccl_tests_text(const std::string& path, const TimedGroup& given) {
  Findings refused(path, kMostRefused);
  const Output output(path, refused);
  MessageHeader header = output.header;
  header.complete(given);
  if (!header.operation) header.operation = operation_in(short_name(path));
  std::vector<Note> notes = {
      {NoteKind::Read, output.table.size(), "out-of-place times; in-place ones are left out"}};
  const Seconds unit = time_unit(output.table);
  if (unit > microseconds(1))
    notes.push_back(
        {NoteKind::Read, 0, "times in milliseconds, since they equal bytes / algorithm bandwidth"});
  if (output.wrong > 0) notes.push_back({NoteKind::Dropped, output.wrong, "rows with wrong results"});
  complete_by_output(header, output, notes);
  if (!header.operation)
    refused.add("/", "a supported collective: a line \"# operation: all-reduce\"", "none named");
  if (!header.devices) refused.add("/", "the number of devices: a line \"# devices: 8\"", "no such line");
  MessageRows rows(refused);
  for (const Row& row : output.table)
    if (header.operation && header.devices)
      rows.add(row.line, {*header.operation, *header.devices, *header.neighbours, header.transport,
                          Bytes(row.bytes), row.time * unit});
  const std::string source = header.source.empty() ? short_name(path) : header.source;
  return {"nccl-tests", {path}, "nccl-tests " + source, std::move(rows).take(), {}, std::move(notes)};
}

}  // namespace

const SampleFormat kNcclTestsText = {"nccl-tests", {"algbw", "busbw"}, true, read_nccl_tests_text};

}  // namespace spillway
