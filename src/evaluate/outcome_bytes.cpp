// An outcome as bytes: the number of the format, then every field in the order of the structs, and last a
// checksum of all before it. Integers little-endian; a text or a list is its length and then its elements; an
// optional is 0, or 1 and then its value.

#include <xxhash.h>

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>

#include "base/error.h"
#include "evaluate/point.h"

namespace spillway {
namespace {

constexpr std::uint8_t kFormat = 3;

std::uint64_t checksum(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

class Writer {
 public:
  template <std::unsigned_integral Integer>
  void integer(Integer value) {
    for (std::size_t byte = 0; byte < sizeof value; ++byte)
      bytes_ += static_cast<char>(std::uint64_t{value} >> 8 * byte);
  }
  void number(double value) { integer(std::bit_cast<std::uint64_t>(value)); }
  void length(std::size_t value) {
    ensure(value <= std::numeric_limits<std::uint32_t>::max(), "a list of fewer than 2^32 elements");
    integer(static_cast<std::uint32_t>(value));
  }
  void text(std::string_view value) {
    length(value.size());
    bytes_ += value;
  }
  std::string sealed() {
    integer(checksum(bytes_));
    return std::move(bytes_);
  }

 private:
  std::string bytes_;
};

template <class Quantity>
void write(Writer& out, const std::optional<Quantity>& quantity) {
  out.integer(std::uint8_t{quantity.has_value()});
  if (quantity) out.number(quantity->value());
}

// What differs by draw, and then what does not.
void write(Writer& out, const std::vector<StepAccount>& accounts) {
  out.length(accounts.size());
  for (const StepAccount& account : accounts) {
    out.number(account.model_flops.value());
    out.number(account.tokens);
    out.number(account.useful_tokens);
  }
  if (accounts.empty()) return;
  const StepAccount& account = accounts.front();
  for (const StepAccount& other : accounts)
    ensure(other.devices == account.devices && other.peak == account.peak && other.price == account.price,
           "the draws of a point run on the same devices");
  out.integer(account.devices);
  out.number(account.peak.value());
  write(out, account.price);
}

void write(Writer& out, const StepFigures& figures) {
  out.number(figures.makespan.value());
  out.number(figures.bubble_fraction);
  out.integer(std::uint8_t{figures.spill.has_value()});
  if (!figures.spill) return;
  out.number(figures.spill->max_spill.value());
  out.number(figures.spill->exposed_encoder.value());
  out.number(figures.spill->encoder_to_bubble);
}

void write(Writer& out, const ScheduleOutcome& schedule) {
  out.text(schedule.name);
  out.length(schedule.draws.size());
  for (const StepFigures& figures : schedule.draws) write(out, figures);
  out.length(schedule.replayed.size());
  for (const Seconds makespan : schedule.replayed) out.number(makespan.value());
  write(out, schedule.peak_memory);
  out.integer(static_cast<std::uint8_t>(schedule.evidence ? 1 + static_cast<int>(*schedule.evidence) : 0));
}

void write(Writer& out, const std::vector<Warning>& warnings) {
  out.length(warnings.size());
  for (const Warning& warning : warnings) {
    out.text(warning.code);
    out.text(warning.text);
  }
}

[[noreturn]] void refuse(const std::string& expected, const std::string& found) {
  throw InputError({{"", "", expected, found}});
}

// Takes from the front; every length is held against what is left before anything of that length is made.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : left_(bytes) {}

  template <std::unsigned_integral Integer>
  Integer integer() {
    std::uint64_t value = 0;
    const std::string_view bytes = take(sizeof(Integer));
    for (std::size_t byte = 0; byte < bytes.size(); ++byte)
      value |= std::uint64_t{static_cast<unsigned char>(bytes[byte])} << 8 * byte;
    return static_cast<Integer>(value);
  }
  double number() { return std::bit_cast<double>(integer<std::uint64_t>()); }
  std::string text() { return std::string(take(integer<std::uint32_t>())); }
  bool is_there() {
    const auto flag = integer<std::uint8_t>();
    if (flag > 1) refuse("0 or 1 before an optional part of an outcome", std::to_string(flag));
    return flag == 1;
  }
  // Of elements that take up at least so many bytes each.
  std::size_t length(std::size_t bytes_of_one) {
    const auto count = integer<std::uint32_t>();
    if (count > left_.size() / bytes_of_one) refuse_length(count);
    return count;
  }
  void end() const {
    if (!left_.empty()) refuse("the end of an outcome", std::to_string(left_.size()) + " bytes more");
  }

 private:
  std::string_view take(std::size_t bytes) {
    if (bytes > left_.size()) refuse_length(bytes);
    const std::string_view taken = left_.substr(0, bytes);
    left_.remove_prefix(bytes);
    return taken;
  }
  [[noreturn]] void refuse_length(std::size_t length) const {
    refuse("an outcome with room for a part of length " + std::to_string(length),
           std::to_string(left_.size()) + " bytes left");
  }

  std::string_view left_;
};

template <class Quantity>
std::optional<Quantity> read_optional(Reader& in) {
  return in.is_there() ? std::optional(Quantity(in.number())) : std::nullopt;
}

std::vector<StepAccount> read_accounts(Reader& in) {
  std::vector<StepAccount> accounts(in.length(3 * sizeof(double)));
  for (StepAccount& account : accounts) {
    account.model_flops = Flops(in.number());
    account.tokens = in.number();
    account.useful_tokens = in.number();
  }
  if (accounts.empty()) return accounts;
  const auto devices = in.integer<std::uint32_t>();
  const FlopsPerSecond peak(in.number());
  const auto price = read_optional<DollarsPerHour>(in);
  for (StepAccount& account : accounts) {
    account.devices = devices;
    account.peak = peak;
    account.price = price;
  }
  return accounts;
}

StepFigures read_figures(Reader& in) {
  StepFigures figures;
  figures.makespan = Seconds(in.number());
  figures.bubble_fraction = in.number();
  if (!in.is_there()) return figures;
  StepSpill& spill = figures.spill.emplace();
  spill.max_spill = Seconds(in.number());
  spill.exposed_encoder = Seconds(in.number());
  spill.encoder_to_bubble = in.number();
  return figures;
}

// 0 of none, else one more than the kind.
std::optional<Evidence> read_evidence(Reader& in) {
  const auto kind = in.integer<std::uint8_t>();
  if (kind > kEvidenceKinds)
    refuse("at most " + std::to_string(kEvidenceKinds) + " kinds of evidence", std::to_string(kind));
  return kind == 0 ? std::nullopt : std::optional(static_cast<Evidence>(kind - 1));
}

ScheduleOutcome read_schedule(Reader& in) {
  ScheduleOutcome schedule{in.text(), {}};
  schedule.draws.resize(in.length(2 * sizeof(double) + 1));
  for (StepFigures& figures : schedule.draws) figures = read_figures(in);
  schedule.replayed.resize(in.length(sizeof(double)));
  for (Seconds& makespan : schedule.replayed) makespan = Seconds(in.number());
  schedule.peak_memory = read_optional<Bytes>(in);
  schedule.evidence = read_evidence(in);
  return schedule;
}

std::vector<Warning> read_warnings(Reader& in) {
  std::vector<Warning> warnings(in.length(2 * sizeof(std::uint32_t)));
  for (Warning& warning : warnings) {
    warning.code = in.text();
    warning.text = in.text();
  }
  return warnings;
}

PointOutcome read_outcome(Reader& in) {
  PointOutcome outcome{in.text()};
  outcome.baseline = in.integer<std::uint32_t>();
  const std::size_t shortest = 3 * sizeof(std::uint32_t) + 2;
  for (std::size_t schedules = in.length(shortest); schedules > 0; --schedules)
    outcome.schedules.push_back(read_schedule(in));
  outcome.accounts = read_accounts(in);
  outcome.memory_limit = read_optional<Bytes>(in);
  outcome.warnings = read_warnings(in);
  in.end();
  return outcome;
}

// What the checksum is of. The format comes first: another one may be sealed in another way.
std::string_view unsealed(std::string_view bytes) {
  const std::size_t seal = sizeof(std::uint64_t);
  if (bytes.size() < 1 + seal) refuse("an outcome", std::to_string(bytes.size()) + " bytes");
  const auto format = Reader(bytes).integer<std::uint8_t>();
  if (format != kFormat)
    refuse("an outcome of format " + std::to_string(kFormat), "format " + std::to_string(format));
  const std::string_view body = bytes.substr(0, bytes.size() - seal);
  if (Reader(bytes.substr(body.size())).integer<std::uint64_t>() != checksum(body))
    refuse("an outcome whose checksum holds", "a damaged one");
  return body.substr(1);
}

}  // namespace

std::string bytes_of(const PointOutcome& outcome) {
  Writer out;
  out.integer(kFormat);
  out.text(outcome.refusal);
  out.length(outcome.baseline);
  out.length(outcome.schedules.size());
  for (const ScheduleOutcome& schedule : outcome.schedules) write(out, schedule);
  write(out, outcome.accounts);
  write(out, outcome.memory_limit);
  write(out, outcome.warnings);
  return out.sealed();
}

PointOutcome outcome_from(std::string_view bytes) {
  Reader in(unsealed(bytes));
  PointOutcome outcome = read_outcome(in);
  if (outcome.baseline >= outcome.schedules.size() && outcome.baseline != 0)
    refuse("a baseline among " + std::to_string(outcome.schedules.size()) + " schedules",
           std::to_string(outcome.baseline));
  return outcome;
}

}  // namespace spillway
