// Causes of a published list (docs/explain.md), planted with its magnitudes in random jobs, are found again.
#include <gtest/gtest.h>

#include <iostream>
#include <map>

#include "explain/gap.h"
#include "explain/schedule_alone.h"
#include "json/document.h"
#include "planted_causes.h"
#include "support/nightly.h"

namespace spillway {
namespace {

GapAccount account_of(const JobJson& job, Seconds measured) {
  const std::string text = job.dump();
  FileMemory memory;
  Findings findings("job.json");
  const Evaluation evaluation = planted_evaluation(job);
  return explain_gap({evaluation.schedules.front(), evaluation.fitted,
                      [&](const std::vector<Setting>& changes) {
                        return parse_schedule_alone(text, "job.json", changes, {0}, Files(memory));
                      },
                      *parse_json(text, findings)},
                     measured);
}

std::string without_escapes(std::string pointer) {
  for (std::size_t at; (at = pointer.find("~1")) != std::string::npos;) pointer.replace(at, 2, "/");
  return pointer;
}

// A setting names a cause by its key, and by its word if it has one. Blocks are numbered, and keys of a
// framework are set in it or beside it.
bool names(const TriedSetting& setting, const Planted& cause) {
  std::string key = cause.key.substr(cause.key.rfind('/'));
  if (cause.key == "/what_if/port_speed") key += "/" + cause.value;
  const bool is_number = cause.key.starts_with("/what_if/") || cause.key == "/parallel/expert_imbalance" ||
                         cause.key.starts_with("/framework/");
  for (const auto& [pointer, value] : setting.settings)
    if (without_escapes(pointer).ends_with(key) && (is_number || value == cause.value)) return true;
  return false;
}

std::string described(const PlantedGap& gap, const GapAccount& account) {
  std::string text = gap.job.dump() + '\n';
  for (const Planted& one : gap.alone) text += one.key + " = " + one.value + "; ";
  return text + '\n' + gap_text(account);
}

bool is_found(const PlantedGap& gap, const GapAccount& account) {
  const std::size_t tied = account.tied();
  return tied <= 3 && std::any_of(account.settings.begin(), account.settings.begin() + tied,
                                  [&](const TriedSetting& one) { return names(one, gap.alone.front()); });
}

std::size_t jobs() {
  return testing::is_nightly() ? 100 : 10;
}

struct Tally {
  std::size_t planted = 0, found = 0;
};

// The causes take turns, so that each is planted as often as any other in which it moves a step.
TEST(PlantedCauses, AreAmongThoseTiedAtTheTop) {
  Dice dice(43);
  std::size_t found = 0;
  std::map<std::string, Tally> by_key;
  std::string missed;
  const std::vector<PublishedCause> causes = published_causes();
  for (std::size_t i = 0, planted = 0; planted < jobs(); ++i) {
    const std::optional<PlantedGap> gap = gap_by(dice, causes[i % causes.size()]);
    if (!gap) continue;
    ++planted;
    const GapAccount account = account_of(gap->job, gap->measured);
    Tally& tally = by_key[gap->alone.front().key];
    ++tally.planted;
    if (is_found(*gap, account))
      ++found, ++tally.found;
    else
      missed += described(*gap, account) + '\n';
  }
  std::cout << found << " of " << jobs() << " causes found\n";
  for (const auto& [key, tally] : by_key)
    std::cout << "  " << key << ": " << tally.found << " of " << tally.planted << '\n';
  EXPECT_GE(found * 10, jobs() * 9) << missed;
}

TEST(PlantedCauses, ThreeAtOnceAreNotOne) {
  Dice dice(44);
  const std::size_t count = testing::is_nightly() ? 20 : 3;
  std::size_t said = 0;
  std::string missed;
  for (std::size_t i = 0; i < count; ++i) {
    const PlantedGap gap = planted_gap(dice, 3);
    const GapAccount account = account_of(gap.job, gap.measured);
    const bool none = gap_verdict(account).find("no single one") != std::string::npos;
    EXPECT_EQ(none, !account.one_suffices());
    said += none;
    if (!none) missed += described(gap, account) + '\n';
  }
  std::cout << said << " of " << count << " are said to need more than one\n";
  EXPECT_GE(said * 10, count * 9) << missed;
}

}  // namespace
}  // namespace spillway
