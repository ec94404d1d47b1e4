// Reads the text that the programs of NVIDIA/nccl-tests and ROCm/rccl-tests print (doc/PERFORMANCE.md and the
// programs' own output). It reads versions from NCCL 1 (bytes, res, milliseconds) to today (size, #wrong,
// microseconds), and takes the out-of-place times. The banner, comment lines (MessageHeader) or the echoed
// command state the operation. The list of ranks states devices and hosts; without it, sizes over counts or
// bus over algorithm bandwidth give the devices. Sizes are the program's own: the gathered or not yet
// scattered vector, or what a device holds before an all-to-all.
#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "traces/files/line_source.h"
#include "traces/samples/message_rows.h"
#include "traces/samples/nccl_log.h"
#include "traces/samples/sample_formats.h"

namespace spillway {
namespace {

using enum CollectiveOperation;
using Rows = std::vector<NcclRow>;

// The row whose bandwidths have the most digits.
const NcclRow* fastest_of(const Rows& rows) {
  const auto fastest = std::ranges::max_element(rows, {}, &NcclRow::algbw);
  return fastest == rows.end() || fastest->algbw <= 0 ? nullptr : &*fastest;
}

// Older programs print milliseconds without saying so. Bytes over algorithm bandwidth shows the unit.
Seconds time_unit(const Rows& rows) {
  const NcclRow* fastest = fastest_of(rows);
  if (!fastest || fastest->time <= 0) return microseconds(1);
  const double seconds = fastest->bytes / (fastest->algbw * 1e9);
  return seconds / fastest->time > 3e-5 ? milliseconds(1) : microseconds(1);
}

// In all-gathers, reduce-scatters and all-to-alls a row counts the elements of one device's share.
std::optional<std::uint32_t> devices_by_counts(const Rows& rows, CollectiveOperation operation) {
  if (operation == AllReduce || operation == SendRecv || rows.empty()) return std::nullopt;
  const double first = rows.front().bytes / rows.front().counted;
  const bool all =
      std::ranges::all_of(rows, [&](const NcclRow& row) { return row.bytes == first * row.counted; });
  if (!all || first < 2 || first > 1e6 || first != std::floor(first)) return std::nullopt;
  return static_cast<std::uint32_t>(first);
}

// Bus over algorithm bandwidth is 2 (N-1)/N for an all-reduce and (N-1)/N for the others
// (doc/PERFORMANCE.md).
std::optional<std::uint32_t> devices_by_bandwidth(const Rows& rows, CollectiveOperation operation) {
  const NcclRow* fastest = fastest_of(rows);
  if (!fastest) return std::nullopt;
  const double share = fastest->busbw / fastest->algbw / (operation == AllReduce ? 2 : 1);
  const double devices = 1 / (1 - share);
  if (!(share > 0.4 && share < 1 && std::abs(devices - std::round(devices)) < 0.1)) return std::nullopt;
  return static_cast<std::uint32_t>(std::lround(devices));
}

void complete_devices(MessageHeader& header, const NcclTest& test, std::vector<Note>& notes) {
  if (header.devices || !header.operation) return;
  // Every rank of sendrecv_perf sends to the next rank and receives from the previous one, so each message is
  // between two.
  if (header.operation == SendRecv) header.devices = 2;
  if (!header.devices && test.rank_count() > 1) header.devices = test.rank_count();
  if (!header.devices) header.devices = devices_by_counts(test.rows, *header.operation);
  if (header.devices) return;
  header.devices = devices_by_bandwidth(test.rows, *header.operation);
  if (header.devices)
    notes.push_back({NoteKind::Guessed, 0,
                     "devices from bus over algorithm bandwidth: " + std::to_string(*header.devices)});
}

constexpr std::string_view kAskForNodes =
    "the number of devices in a node (--per-node, or a line \"# neighbours: 8\")";

// Returns false after a refusal.
bool equal_hosts(const NcclTest& test, Findings& refused) {
  if (!test.lists_all_ranks()) {
    refused.add("/", std::string(kAskForNodes) + ", since not all ranks are listed",
                std::to_string(test.ranks.size()) + " of " + std::to_string(test.rank_count()) +
                    " ranks on " + std::to_string(test.hosts.size()) + " hosts");
    return false;
  }
  const auto [least, most] =
      std::ranges::minmax_element(test.hosts, {}, &std::pair<const std::string, std::uint32_t>::second);
  if (least->second == most->second) return true;
  refused.add("/", "as many ranks on every host",
              std::to_string(least->second) + " on " + least->first + ", " + std::to_string(most->second) +
                  " on " + most->first);
  return false;
}

// Finds which devices share a node. Returns false after a refusal.
bool complete_neighbours(MessageHeader& header, const NcclTest& test, Findings& refused, Samples& samples) {
  if (!header.devices) return true;
  if (header.neighbours) {
    header.neighbours = std::min(*header.neighbours, *header.devices);
    return true;
  }
  const auto hosts = static_cast<std::uint32_t>(test.hosts.size());
  if (test.rank_count() < 2) {
    header.neighbours = header.devices;
    samples.placement = std::max(samples.placement, DevicePlacement::Assumed);
    samples.notes.push_back(
        {NoteKind::Guessed, 0, "the file does not state the placement of the devices: all in one node"});
    return true;
  }
  // The slowest message of sendrecv_perf decides, and one of them leaves each host.
  if (header.operation == SendRecv) {
    header.neighbours = hosts > 1 ? 1 : 2;
    if (hosts == 1 && !test.lists_all_ranks()) return equal_hosts(test, refused);
  } else {
    if (!equal_hosts(test, refused)) return false;
    header.neighbours = *header.devices == test.rank_count() ? *header.devices / hosts : *header.devices;
  }
  samples.placement = std::max(samples.placement, DevicePlacement::Hosts);
  return true;
}

// The programs of collectives that are not priced: broadcast, reduce, gather, scatter, hypercube.
std::string program_of(const NcclTest& test) {
  return test.program.empty() ? "none named" : test.program;
}

// Adds the rows of a test whose operation is known.
void add_test(const NcclTest& test, MessageHeader header, Findings& refused, MessageRows& rows,
              Samples& samples) {
  const Seconds unit = time_unit(test.rows);
  if (unit > microseconds(1))
    samples.notes.push_back(
        {NoteKind::Read, 0, "times in milliseconds, since they equal bytes / algorithm bandwidth"});
  complete_devices(header, test, samples.notes);
  if (!header.devices) refused.add("/", "the number of devices: a line \"# devices: 8\"", "no such line");
  if (!complete_neighbours(header, test, refused, samples) || !header.devices) return;
  for (const NcclRow& row : test.rows)
    rows.add(row.line, {*header.operation, *header.devices, *header.neighbours, header.transport,
                        Bytes(row.bytes), row.time * unit});
}

// The sums over all tests of the log.
void note_rows(const std::vector<NcclTest>& tests, std::vector<Note>& notes) {
  std::size_t rows = 0, wrong = 0, empty = 0, broken = 0;
  for (const NcclTest& test : tests) {
    rows += test.rows.size();
    wrong += test.wrong;
    empty += test.empty;
    broken += test.broken;
  }
  notes.push_back({NoteKind::Read, rows, "out-of-place times; in-place ones are left out"});
  if (wrong > 0) notes.push_back({NoteKind::Dropped, wrong, "rows with wrong results"});
  if (empty > 0) notes.push_back({NoteKind::Dropped, empty, "rows of no bytes, too few for so many devices"});
  if (broken > 0)
    notes.push_back({NoteKind::Dropped, broken, "rows that other lines of the log break, or that are cut"});
}

// Programs that were built without MPI know of their own device only.
void refuse_lone_programs(const NcclTest& test, Findings& refused) {
  const bool alone = test.rank_count() == 1 && !test.rows.empty() &&
                     std::ranges::all_of(test.rows, [](const NcclRow& row) { return row.busbw == 0; });
  if (test.repeats_ranks || alone)
    refused.add(
        "/", "one program of all devices (nccl-tests built with MPI=1)",
        test.repeats_ranks ? "the output of several, each of its own devices" : "one of a single device");
}

void refuse_no_operation(const NcclTest& test, Findings& refused) {
  const bool reduces =
      std::ranges::any_of(test.rows, [](const NcclRow& row) { return row.counted == row.bytes; });
  refused.add("/",
              std::string("a supported collective (--operation, or a line \"# operation: ") +
                  (reduces ? "all-reduce" : "all-gather") + "\")",
              program_of(test));
}

// The file's own words come first, then the command line's, then the file's name.
MessageHeader header_of(const NcclTest& test, const TimedGroup& given, const std::string& path) {
  MessageHeader header = test.header;
  if (!header.operation) header.operation = operation_in(test.program);
  if (!header.operation && test.program.empty()) header.operation = given.operation;
  if (!header.operation && test.program.empty()) header.operation = operation_in(short_name(path));
  header.complete({{}, given.devices, given.neighbours});
  return header;
}

Samples read_nccl_tests_text(const std::string& path, const TimedGroup& given) {
  Findings refused(path, kMostRefused);
  const std::vector<NcclTest> tests = read_nccl_log(path, refused);
  return samples_of_tests(path, tests, given, refused);
}

}  // namespace

Samples samples_of_tests(const std::string& path, const std::vector<NcclTest>& tests, const TimedGroup& given,
                         Findings& refused) {
  Samples samples{"nccl-tests", {path}, {}, {}, {}, {}};
  note_rows(tests, samples.notes);
  if (!tests.front().heading) refused.add("/", "a heading with size, type, time, algbw and busbw", "none");
  MessageRows rows(refused);
  std::set<CollectiveOperation> seen;
  for (const NcclTest& test : tests) {
    refuse_lone_programs(test, refused);
    if (test.times_of_host)
      refused.add("/", "times of the device (run the program without -C 1)", "the host's (cputime)");
    const MessageHeader header = header_of(test, given, path);
    if (samples.source.empty()) samples.source = header.source;
    if (!header.operation && (tests.size() == 1 || test.program.empty()))
      refuse_no_operation(test, refused);
    else if (!header.operation)
      samples.notes.push_back({NoteKind::Dropped, test.rows.size(), "rows of " + program_of(test)});
    else if (seen.insert(*header.operation).second)
      add_test(test, header, refused, rows, samples);
    else
      refused.add("line " + std::to_string(test.line),
                  "the output of one test: cut the file before this line", "another test's");
  }
  samples.source = "nccl-tests " + (samples.source.empty() ? short_name(path) : samples.source);
  samples.messages = std::move(rows).take();
  return samples;
}

const SampleFormat kNcclTestsText = {"nccl-tests", {"algbw", "busbw"}, true, read_nccl_tests_text};

}  // namespace spillway
