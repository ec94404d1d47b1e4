// An outcome as bytes: the number of the format, then every field in the order of the structs, and last a
// checksum of all before it. Integers little-endian; a text or a list is its length and then its elements; an
// optional is 0, or 1 and then its value.

#include <xxhash.h>

#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "base/error.h"
#include "base/text.h"
#include "evaluate/point.h"

namespace spillway {
namespace {

constexpr std::uint8_t kFormat = 5;
constexpr std::string_view kWhat = "an outcome";

std::uint64_t checksum(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

std::string sealed(ByteWriter out) {
  out.integer(checksum(out.bytes()));
  return std::move(out).take();
}

template <class Quantity>
void write(ByteWriter& out, const std::optional<Quantity>& quantity) {
  out.integer(std::uint8_t{quantity.has_value()});
  if (quantity) out.number(quantity->value());
}

// What differs by draw, and then what does not.
void write(ByteWriter& out, const std::vector<StepAccount>& accounts) {
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

void write(ByteWriter& out, const StepSpill& spill) {
  out.number(spill.max_spill.value());
  out.number(spill.exposed_encoder.value());
  out.number(spill.encoder_to_bubble);
}

// Draw by draw, whether it spills said of each.
void write_draws(ByteWriter& out, const ScheduleOutcome& schedule) {
  out.length(schedule.makespans.size());
  for (std::size_t draw = 0; draw < schedule.makespans.size(); ++draw) {
    out.number(schedule.makespans[draw].value());
    out.number(schedule.bubble_fractions[draw]);
    out.integer(std::uint8_t{!schedule.spills.empty()});
    if (!schedule.spills.empty()) write(out, schedule.spills[draw]);
  }
}

void write(ByteWriter& out, const ScheduleOutcome& schedule) {
  out.text(schedule.name);
  write_draws(out, schedule);
  out.length(schedule.replayed.size());
  for (const Seconds makespan : schedule.replayed) out.number(makespan.value());
  write(out, schedule.peak_memory);
  out.integer(static_cast<std::uint8_t>(schedule.evidence ? 1 + static_cast<int>(*schedule.evidence) : 0));
  out.text(schedule.unranked);
}

void write(ByteWriter& out, const std::vector<Warning>& warnings) {
  out.length(warnings.size());
  for (const Warning& warning : warnings) {
    out.text(warning.code);
    out.text(warning.text);
  }
}

[[noreturn]] void refuse(const std::string& expected, const std::string& found) {
  throw InputError({{"", "", expected, found}});
}

bool is_there(ByteReader& in) {
  const auto flag = in.integer<std::uint8_t>();
  if (flag > 1) refuse("0 or 1 before an optional part of an outcome", std::to_string(flag));
  return flag == 1;
}

template <class Quantity>
std::optional<Quantity> read_optional(ByteReader& in) {
  return is_there(in) ? std::optional(Quantity(in.number())) : std::nullopt;
}

std::vector<StepAccount> read_accounts(ByteReader& in) {
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

StepSpill read_spill(ByteReader& in) {
  StepSpill spill;
  spill.max_spill = Seconds(in.number());
  spill.exposed_encoder = Seconds(in.number());
  spill.encoder_to_bubble = in.number();
  return spill;
}

void read_draws(ByteReader& in, ScheduleOutcome& schedule) {
  const std::size_t draws = in.length(2 * sizeof(double) + 1);
  for (std::size_t draw = 0; draw < draws; ++draw) {
    schedule.makespans.emplace_back(in.number());
    schedule.bubble_fractions.push_back(in.number());
    const bool spills = is_there(in);
    if (draw > 0 && spills == schedule.spills.empty())
      refuse("draws that all spill, or none", "draw " + std::to_string(draw) + " alone");
    if (spills) schedule.spills.push_back(read_spill(in));
  }
}

// 0 of none, else one more than the kind.
std::optional<Evidence> read_evidence(ByteReader& in) {
  const auto kind = in.integer<std::uint8_t>();
  if (kind > kEvidenceKinds)
    refuse("at most " + std::to_string(kEvidenceKinds) + " kinds of evidence", std::to_string(kind));
  return kind == 0 ? std::nullopt : std::optional(static_cast<Evidence>(kind - 1));
}

ScheduleOutcome read_schedule(ByteReader& in) {
  ScheduleOutcome schedule{std::string(in.text())};
  read_draws(in, schedule);
  schedule.replayed.resize(in.length(sizeof(double)));
  for (Seconds& makespan : schedule.replayed) makespan = Seconds(in.number());
  schedule.peak_memory = read_optional<Bytes>(in);
  schedule.evidence = read_evidence(in);
  schedule.unranked = in.text();
  return schedule;
}

std::vector<Warning> read_warnings(ByteReader& in) {
  std::vector<Warning> warnings(in.length(2 * sizeof(std::uint32_t)));
  for (Warning& warning : warnings) {
    warning.code = in.text();
    warning.text = in.text();
  }
  return warnings;
}

PointOutcome read_outcome(ByteReader& in) {
  PointOutcome outcome{std::string(in.text())};
  outcome.baseline = in.integer<std::uint32_t>();
  const std::size_t shortest = 4 * sizeof(std::uint32_t) + 2;
  for (std::size_t schedules = in.length(shortest); schedules > 0; --schedules)
    outcome.schedules.push_back(read_schedule(in));
  outcome.accounts = read_accounts(in);
  outcome.memory_limit = read_optional<Bytes>(in);
  outcome.warnings = read_warnings(in);
  outcome.microbatches = in.integer<std::uint64_t>();
  if (!in.left().empty()) refuse("the end of an outcome", counted(in.left().size(), "byte") + " more");
  return outcome;
}

// What the checksum is of. The format comes first: another one may be sealed in another way.
std::string_view unsealed(std::string_view bytes) {
  const std::size_t seal = sizeof(std::uint64_t);
  if (bytes.size() < 1 + seal) refuse("an outcome", counted(bytes.size(), "byte"));
  const auto format = ByteReader(bytes, kWhat).integer<std::uint8_t>();
  if (format != kFormat)
    refuse("an outcome of format " + std::to_string(kFormat), "format " + std::to_string(format));
  const std::string_view body = bytes.substr(0, bytes.size() - seal);
  if (ByteReader(bytes.substr(body.size()), kWhat).integer<std::uint64_t>() != checksum(body))
    refuse("an outcome whose checksum holds", "a damaged one");
  return body.substr(1);
}

}  // namespace

std::string bytes_of(const PointOutcome& outcome) {
  ByteWriter out;
  out.integer(kFormat);
  out.text(outcome.refusal);
  out.length(outcome.baseline);
  out.length(outcome.schedules.size());
  for (const ScheduleOutcome& schedule : outcome.schedules) write(out, schedule);
  write(out, outcome.accounts);
  write(out, outcome.memory_limit);
  write(out, outcome.warnings);
  out.integer(outcome.microbatches);
  return sealed(std::move(out));
}

PointOutcome outcome_from(std::string_view bytes) {
  ByteReader in(unsealed(bytes), kWhat);
  PointOutcome outcome = read_outcome(in);
  if (outcome.baseline >= outcome.schedules.size() && outcome.baseline != 0)
    refuse("a baseline among " + counted(outcome.schedules.size(), "schedule"),
           std::to_string(outcome.baseline));
  return outcome;
}

}  // namespace spillway
