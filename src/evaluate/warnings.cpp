#include "evaluate/warnings.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/text.h"
#include "evaluate/platform_warnings.h"
#include "evaluate/straddling.h"
#include "evaluate/workload_use.h"

namespace spillway {
namespace {

std::string name_of(const IdleKey& key) {
  return key.pointer.substr(key.pointer.rfind('/') + 1);
}

bool alike(const IdleKey& a, const IdleKey& b) {
  return name_of(a) == name_of(b) && a.reason == b.reason;
}

}  // namespace

std::vector<Warning> warnings_of(const std::vector<IdleKey>& idle) {
  std::vector<Warning> warnings;
  for (auto first = idle.begin(); first != idle.end(); ++first) {
    if (std::any_of(idle.begin(), first, [&](const IdleKey& key) { return alike(key, *first); })) continue;
    std::string places;
    for (auto key = first; key != idle.end(); ++key)
      if (alike(*key, *first)) add_to_list(places, key->pointer);
    const bool several = places.find(',') != std::string::npos;
    warnings.push_back(
        {"no-effect", places + (several ? " change nothing: " : " changes nothing: ") + first->reason});
  }
  return warnings;
}

std::vector<Warning> warnings_of(const DrawCosts& costs) {
  std::vector<Warning> all = costs.experiment().warnings;
  for (Warning& warning : warnings_of(costs.experiment().idle_keys)) all.push_back(std::move(warning));
  for (Warning& warning : platform_warnings(costs.experiment())) all.push_back(std::move(warning));
  for (Warning& warning : straddling_warnings(costs.experiment())) all.push_back(std::move(warning));
  for (Warning& warning : warnings_of(workload_uses(costs))) all.push_back(std::move(warning));
  return all;
}

}  // namespace spillway
