#include "traces/samples/message_rows.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <utility>

#include "base/files.h"
#include "base/number.h"
#include "platform/platform.h"

namespace spillway {
namespace {

constexpr double kFastest = 1e13, kSlowest = 1e7;  // bytes per second
constexpr double kLong = 1 << 20;

std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", value);
  return text;
}

// Keeps letters and digits, in lower case, so that "all_gather_perf" and "AllGather" are equal.
std::string letters_of(std::string_view text) {
  std::string letters;
  for (const char c : text)
    if (std::isalnum(static_cast<unsigned char>(c)))
      letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return letters;
}

std::string_view content_of(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t#");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_of_a_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

std::string_view digits_before(std::string_view text, std::size_t end) {
  std::size_t begin = end;
  while (begin > 0 && is_digit(text[begin - 1])) --begin;
  return text.substr(begin, end - begin);
}

std::string_view leading(std::string_view text, bool (*is_one)(char)) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_one);
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

struct Nodes {
  std::string_view program, count, devices;  // devices: per node
};

// Finds the last "2 nodes x 8x" in "all_reduce_perf ... 2 nodes x 8x ...", after a first word.
std::optional<Nodes> nodes_in(std::string_view text) {
  constexpr std::string_view middle = " nodes x ";
  const std::string_view program = leading(text, is_of_a_word);
  for (std::size_t at = text.rfind(middle); at != std::string_view::npos && at > program.size();
       at = text.rfind(middle, at - 1)) {
    const std::string_view count = digits_before(text, at);
    const std::string_view rest = text.substr(at + middle.size());
    const std::string_view devices = leading(rest, is_digit);
    const std::size_t begin = at - count.size();
    const bool whole =
        !program.empty() && !count.empty() && begin > program.size() && !is_of_a_word(text[begin - 1]);
    if (whole && !devices.empty() && rest.substr(devices.size()).starts_with('x'))
      return Nodes{program, count, devices};
  }
  return std::nullopt;
}

}  // namespace

bool is_a_rate(Bytes size, Seconds time) {
  const double bytes = size.value(), rate = bytes / time.value();
  return bytes > 0 && rate > 0 && rate <= kFastest && (bytes < kLong || rate >= kSlowest);
}

void MessageRows::refuse(std::size_t line, std::string expected, std::string found) {
  refused_.add("line " + std::to_string(line), std::move(expected), std::move(found));
}

void MessageRows::add(std::size_t line, const MessageSample& sample) {
  const double bytes = sample.size.value(), seconds = sample.time.value();
  const auto positive = [](double value) { return value > 0 && std::isfinite(value); };
  if (!positive(bytes)) return refuse(line, "a size above 0", number_text(bytes) + " bytes");
  if (!positive(seconds)) return refuse(line, "a time above 0", number_text(seconds) + " s");
  if (sample.devices < 2 || (sample.operation == CollectiveOperation::SendRecv && sample.devices != 2))
    return refuse(line, "two devices of a message, two or more of a collective",
                  std::to_string(sample.devices));
  if (sample.neighbours == 0 || sample.devices % sample.neighbours != 0)
    return refuse(line,
                  "the same number of devices on every node: a divisor of " + std::to_string(sample.devices),
                  std::to_string(sample.neighbours));
  if (!is_a_rate(sample.size, sample.time))
    return refuse(line, "from 10 MB/s to 10 TB/s, in the units of its columns",
                  number_text(bytes) + " bytes in " + number_text(seconds) + " s");
  samples_.push_back(sample);
}

std::vector<MessageSample> MessageRows::take() && {
  if (samples_.empty() && refused_.empty()) refused_.add("/", "measurements", "none");
  refused_.throw_if_any();
  return std::move(samples_);
}

void MessageHeader::read_comment(std::string_view line) {
  const std::string_view text = content_of(line);
  const std::size_t colon = text.find(':');
  const std::string_view key = text.substr(0, colon);
  const std::string_view value = colon == std::string_view::npos ? "" : content_of(text.substr(colon + 1));
  if (key == "operation" || key == "Collective test starting")
    operation = operation_in(value);
  else if (key == "devices")
    devices = number_from<std::uint32_t>(value);
  else if (key == "neighbours")
    neighbours = number_from<std::uint32_t>(value);
  else if (key == "transport")
    transport = value;
  else if (key == "source")
    source = value;
  else if (const auto nodes = nodes_in(text)) {
    operation = operation_in(nodes->program);
    neighbours = number_from<std::uint32_t>(nodes->devices);
    devices = number_from<std::uint32_t>(nodes->count).value_or(0) * neighbours.value_or(0);
    source = text;
  }
}

void MessageHeader::complete(const TimedGroup& given) {
  if (!operation) operation = given.operation;
  if (!devices) devices = given.devices;
  if (!neighbours) neighbours = given.neighbours;
}

std::optional<CollectiveOperation> operation_in(std::string_view text) {
  const std::string letters = letters_of(text);
  for (const auto& [word, operation] : kOperationWords)
    if (letters.find(letters_of(word)) != std::string::npos) return operation;
  return std::nullopt;
}

std::string short_name(const std::string& path) {
  const std::filesystem::path whole = absolute_path(path).lexically_normal();
  if (is_folder(whole))
    return (whole.has_filename() ? whole : whole.parent_path()).filename().generic_string();
  const std::filesystem::path folder = whole.parent_path().filename();
  return (folder / whole.filename()).generic_string();
}

}  // namespace spillway
