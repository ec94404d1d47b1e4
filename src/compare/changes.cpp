#include "compare/changes.h"

#include <optional>
#include <utility>

#include "base/error.h"
#include "evaluate/point.h"
#include "evaluate/steps.h"
#include "input/experiment/experiment.h"
#include "json/document.h"

namespace spillway {
namespace {

constexpr std::size_t kMostSteps = 16;

// Places that change together, and the pointers that differ there.
struct ChangeGroup {
  std::vector<std::string> places;
  std::vector<std::string> pointers;
};

std::string first_token(const std::string& pointer) {
  return pointer.substr(0, pointer.find('/', 1));
}

// Adjacent differences with the same `key_of` form one group.
template <class KeyOf>
std::vector<ChangeGroup> grouped(const std::vector<Difference>& differences, KeyOf key_of) {
  std::vector<ChangeGroup> groups;
  std::string last;
  for (const Difference& difference : differences) {
    if (is_for_readers(difference)) continue;
    const std::string key = key_of(difference);
    if (groups.empty() || key != last) groups.emplace_back();
    last = key;
    ChangeGroup& group = groups.back();
    if (group.places.empty() || group.places.back() != difference.place)
      group.places.push_back(difference.place);
    group.pointers.push_back(difference.pointer);
  }
  return groups;
}

std::vector<ChangeGroup> groups_of(const std::vector<Difference>& differences) {
  std::vector<ChangeGroup> groups = grouped(differences, [](const Difference& one) { return one.place; });
  if (groups.size() <= kMostSteps) return groups;
  return grouped(differences, [](const Difference& one) { return first_token(one.place); });
}

const ScheduleOutcome* outcome_for(const PointOutcome& point, const SidePair& pair) {
  for (const ScheduleOutcome& schedule : point.schedules)
    if (schedule.name == pair.a->name || schedule.name == pair.b->name) return &schedule;
  return nullptr;
}

class Steps {
 public:
  Steps(const Side& a, const Side& b, const std::vector<SidePair>& pairs)
      : file_(a.file), document_(*a.document), target_(*b.document), pairs_(pairs) {
    // A change may remove the schedule that "baseline" names, and no makespan depends on the key.
    std::erase_if(std::get<Object>(document_.value),
                  [](const Member& member) { return member.key == "baseline"; });
  }

  std::vector<ChangeStep> run(const std::vector<ChangeGroup>& groups) {
    std::vector<ChangeStep> steps;
    std::vector<std::string> waiting;
    for (const ChangeGroup& group : groups) {
      for (const std::string& place : group.places) take_over(place, target_, document_);
      waiting.insert(waiting.end(), group.pointers.begin(), group.pointers.end());
      auto makespans = &group == &groups.back() ? target_makespans() : makespans_now();
      if (makespans) steps.push_back({std::exchange(waiting, {}), *std::move(makespans)});
    }
    return steps;
  }

 private:
  std::optional<std::vector<Seconds>> target_makespans() const {
    std::vector<Seconds> makespans;
    for (const SidePair& pair : pairs_) makespans.emplace_back(pair.b->figures.front().value);
    return makespans;
  }

  // Returns nothing if the document with the changes so far is no valid experiment.
  std::optional<std::vector<Seconds>> makespans_now() try {
    const PointOutcome point = evaluate_point(parse_experiment(json_text(document_), file_, {}), caches_);
    std::vector<Seconds> makespans;
    for (const SidePair& pair : pairs_) {
      const ScheduleOutcome* outcome = outcome_for(point, pair);
      if (!outcome) return std::nullopt;
      makespans.push_back(mean_makespan(*outcome));
    }
    return makespans;
  } catch (const InputError&) {
    return std::nullopt;
  } catch (const Infeasible&) {
    return std::nullopt;
  }

  const std::string& file_;
  Node document_;
  const Node& target_;
  const std::vector<SidePair>& pairs_;
  Caches caches_;
};

}  // namespace

std::vector<ChangeStep> steps_between(const Side& a, const Side& b,
                                      const std::vector<Difference>& differences,
                                      const std::vector<SidePair>& pairs) {
  return Steps(a, b, pairs).run(groups_of(differences));
}

}  // namespace spillway
