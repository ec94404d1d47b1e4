// An outcome as bytes: the number of the format, then every field in the order of the structs, and last a
// checksum of all before it. Integers are little-endian. A text or a list is its length and then its
// elements. An optional is 0, or 1 and then its value.

#include <xxhash.h>

#include <concepts>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/bytes.h"
#include "base/error.h"
#include "base/text.h"
#include "evaluate/point.h"

namespace spillway {
namespace {

// Another kept figure is another format.
constexpr std::uint8_t kFormat = 4 + kKeptFigures.size();
constexpr std::string_view kWhat = "an outcome";

std::uint64_t checksum(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

[[noreturn]] void refuse(const std::string& expected, const std::string& found) {
  throw InputError({{"", "", expected, found}});
}

// The two directions of fields. Both have the same functions, so a record lists its fields once.
class Writing {
 public:
  static constexpr bool kReads = false;

  void number(double value) { out_.number(value); }
  void number(const auto& quantity) { out_.number(quantity.value()); }
  void integer(std::unsigned_integral auto value) { out_.integer(value); }
  void text(const std::string& value) { out_.text(value); }
  void flag(bool value) { out_.integer(std::uint8_t{value}); }
  void present(const auto& optional) { flag(optional.has_value()); }
  void length(const auto& list, std::size_t /*bytes_of_one*/) { out_.length(list.size()); }
  std::string sealed() && {
    out_.integer(checksum(out_.bytes()));
    return std::move(out_).take();
  }

 private:
  ByteWriter out_;
};

class Reading {
 public:
  static constexpr bool kReads = true;

  explicit Reading(std::string_view bytes) : in_(bytes, kWhat) {}

  void number(double& value) { value = in_.number(); }
  template <class Quantity>
  void number(Quantity& quantity) {
    quantity = Quantity(in_.number());
  }
  template <std::unsigned_integral Integer>
  void integer(Integer& value) {
    value = in_.integer<Integer>();
  }
  void text(std::string& value) { value = in_.text(); }
  void flag(bool& value) {
    const auto flag = in_.integer<std::uint8_t>();
    if (flag > 1) refuse("0 or 1 before an optional part of an outcome", std::to_string(flag));
    value = flag == 1;
  }
  void present(auto& optional) {
    bool there = false;
    flag(there);
    if (there) optional.emplace();
  }
  void length(auto& list, std::size_t bytes_of_one) { list.resize(in_.length(bytes_of_one)); }
  void finish() const {
    if (!in_.left().empty()) refuse("the end of an outcome", counted(in_.left().size(), "byte") + " more");
  }

 private:
  ByteReader in_;
};

template <class Type, class Record>
concept Is = std::same_as<std::remove_const_t<Type>, Record>;

void optional_number(auto& way, auto& optional) {
  way.present(optional);
  if (optional) way.number(*optional);
}

void fields(auto& way, Is<StepSpill> auto& spill) {
  way.number(spill.max_spill);
  way.number(spill.exposed_encoder);
  way.number(spill.encoder_to_bubble);
}

void fields(auto& way, Is<Warning> auto& warning) {
  way.text(warning.code);
  way.text(warning.text);
}

// The fields that differ by draw.
void fields(auto& way, Is<StepAccount> auto& account) {
  way.number(account.model_flops);
  way.number(account.tokens);
  way.number(account.useful_tokens);
}

// The fields that all draws share.
void shared_fields(auto& way, Is<StepAccount> auto& account) {
  way.integer(account.devices);
  way.number(account.peak);
  optional_number(way, account.price);
}

template <class Way>
void fields(Way& way, Is<std::vector<StepAccount>> auto& accounts) {
  way.length(accounts, 3 * sizeof(double));
  for (auto& account : accounts) fields(way, account);
  if (accounts.empty()) return;
  auto& first = accounts.front();
  shared_fields(way, first);
  for (auto& account : accounts) {
    if constexpr (Way::kReads) {
      account.devices = first.devices;
      account.peak = first.peak;
      account.price = first.price;
    } else {
      ensure(account.devices == first.devices && account.peak == first.peak && account.price == first.price,
             "the draws of a point run on the same devices");
    }
  }
}

// One entry per draw. A flag says whether the draw spills.
template <class Way>
void draw_fields(Way& way, Is<ScheduleOutcome> auto& schedule) {
  way.length(schedule.makespans, (1 + schedule.figures.size()) * sizeof(double) + 1);
  if constexpr (Way::kReads)
    for (auto& values : schedule.figures) values.resize(schedule.makespans.size());
  for (std::size_t draw = 0; draw < schedule.makespans.size(); ++draw) {
    way.number(schedule.makespans[draw]);
    for (auto& values : schedule.figures) way.number(values[draw]);
    bool spills = draw < schedule.spills.size();
    way.flag(spills);
    if constexpr (Way::kReads) {
      if (draw > 0 && spills == schedule.spills.empty())
        refuse("draws that all spill, or none", "draw " + std::to_string(draw) + " alone");
      if (spills) schedule.spills.emplace_back();
    }
    if (spills) fields(way, schedule.spills[draw]);
  }
}

// 0 if there is none, else the kind plus one.
template <class Way>
void evidence_field(Way& way, Is<std::optional<Evidence>> auto& evidence) {
  auto kind = static_cast<std::uint8_t>(evidence ? 1 + static_cast<int>(*evidence) : 0);
  way.integer(kind);
  if constexpr (Way::kReads) {
    if (kind > kEvidenceKinds)
      refuse("at most " + std::to_string(kEvidenceKinds) + " kinds of evidence", std::to_string(kind));
    if (kind > 0) evidence = static_cast<Evidence>(kind - 1);
  }
}

void fields(auto& way, Is<ScheduleOutcome> auto& schedule) {
  way.text(schedule.name);
  draw_fields(way, schedule);
  way.length(schedule.replayed, sizeof(double));
  for (auto& makespan : schedule.replayed) way.number(makespan);
  optional_number(way, schedule.peak_memory);
  evidence_field(way, schedule.evidence);
  way.text(schedule.unranked);
}

void fields(auto& way, Is<PointOutcome> auto& outcome) {
  way.text(outcome.refusal);
  auto baseline = static_cast<std::uint32_t>(outcome.baseline);
  way.integer(baseline);
  if constexpr (std::remove_reference_t<decltype(way)>::kReads) outcome.baseline = baseline;
  way.length(outcome.schedules, 4 * sizeof(std::uint32_t) + 2);
  for (auto& schedule : outcome.schedules) fields(way, schedule);
  fields(way, outcome.accounts);
  optional_number(way, outcome.memory_limit);
  way.length(outcome.warnings, 2 * sizeof(std::uint32_t));
  for (auto& warning : outcome.warnings) fields(way, warning);
  way.integer(outcome.microbatches);
}

// Returns the bytes that the checksum covers. The format comes first, since another format may have another
// checksum.
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
  Writing out;
  out.integer(kFormat);
  fields(out, outcome);
  return std::move(out).sealed();
}

PointOutcome outcome_from(std::string_view bytes) {
  Reading in(unsealed(bytes));
  PointOutcome outcome;
  fields(in, outcome);
  in.finish();
  if (outcome.baseline >= outcome.schedules.size() && outcome.baseline != 0)
    refuse("a baseline among " + counted(outcome.schedules.size(), "schedule"),
           std::to_string(outcome.baseline));
  return outcome;
}

}  // namespace spillway
