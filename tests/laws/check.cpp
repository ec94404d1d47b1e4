#include "check.h"

#include <exception>

namespace spillway::testing {
namespace {

Verdict verdict(const Law& law, const Case& one) {
  try {
    return law.check(one);
  } catch (const std::exception& thrown) {
    return broken(std::string("throws: ") + thrown.what());
  }
}

void count(const Verdict& verdict, Tally& tally) {
  tally.held += verdict.ruling == Ruling::Holds;
  tally.said_nothing += verdict.ruling == Ruling::SaysNothing;
  tally.broken += verdict.ruling == Ruling::Broken;
}

}  // namespace

Checked check(std::uint64_t first, std::uint64_t count_of_jobs, std::string_view only) {
  Checked checked;
  for (const Law& law : laws())
    if (only.empty() || law.name == only) checked.tallies.push_back({law.name});
  for (std::uint64_t number = first; number < first + count_of_jobs; ++number) {
    const Case one(job(number));
    std::size_t row = 0;
    for (const Law& law : laws()) {
      if (!only.empty() && law.name != only) continue;
      Verdict said = verdict(law, one);
      count(said, checked.tallies[row++]);
      if (said.ruling == Ruling::Broken)
        checked.breaks.push_back({std::string(law.name), number, std::move(said.what)});
    }
  }
  return checked;
}

std::string to_string(const Break& broken) {
  const std::string number = std::to_string(broken.job);
  return broken.law + " is broken by job " + number + ": " + broken.what + "\n  again: build/laws " + number +
         " 1 " + broken.law + "; its document: build/laws " + number + " print";
}

}  // namespace spillway::testing
