#include <algorithm>
#include <tuple>

#include "schedule/list_checks.h"

namespace spillway {
namespace {

using Cells = std::vector<const Occurrence*>;

// The actions of one stage and microbatch, each kind in the order of its cells.
struct Work {
  std::uint32_t stage;
  std::uint32_t microbatch;
  Cells forwards = {};
  Cells backwards = {};
  Cells input_gradients = {};
  Cells weight_gradients = {};

  Cells& of(ListedKind kind) {
    if (kind == ListedKind::Forward) return forwards;
    if (kind == ListedKind::Backward) return backwards;
    return kind == ListedKind::BackwardInput ? input_gradients : weight_gradients;
  }
};

// By stage, then by microbatch.
std::vector<Work> works_of(const std::vector<Occurrence>& all) {
  Cells computing;
  for (const Occurrence& occurrence : all)
    if (occurrence.action.computes()) computing.push_back(&occurrence);
  const auto what = [](const Occurrence* o) { return std::tuple(o->action.stage, o->action.microbatch); };
  std::stable_sort(computing.begin(), computing.end(),
                   [&](const auto* a, const auto* b) { return what(a) < what(b); });
  std::vector<Work> works;
  for (const Occurrence* occurrence : computing) {
    const auto [stage, microbatch] = what(occurrence);
    if (works.empty() || works.back().stage != stage || works.back().microbatch != microbatch)
      works.push_back({stage, microbatch});
    works.back().of(occurrence->action.kind).push_back(occurrence);
  }
  return works;
}

void check_once(const Cells& cells, Findings& findings) {
  for (std::size_t i = 1; i < cells.size(); ++i)
    findings.add(cells[i]->pointer(), "each action once (this one is at " + cells[0]->pointer() + ')',
                 to_string(cells[i]->action) + " again");
}

void check_whole_or_halves(const Work& work, const Cells& halves, Findings& findings) {
  if (work.backwards.empty() || halves.empty()) return;
  findings.add(halves[0]->pointer(), "a whole backward (B) or its halves (I and W), not both",
               to_string(halves[0]->action) + " beside " + to_string(work.backwards[0]->action));
}

// Compares actions only on one rank; if a stage has two rows, another check reports it.
void check_after(const Cells& earlier, const Cells& later, Findings& findings) {
  if (earlier.empty() || later.empty() || earlier[0]->rank != later[0]->rank) return;
  if (earlier[0]->slot < later[0]->slot) return;
  findings.add(later[0]->pointer(), to_string(earlier[0]->action) + " before " + to_string(later[0]->action),
               "it at " + earlier[0]->pointer());
}

void check_one(const Work& work, Findings& findings) {
  for (const Cells* cells : {&work.forwards, &work.backwards, &work.input_gradients, &work.weight_gradients})
    check_once(*cells, findings);
  check_whole_or_halves(work, work.input_gradients, findings);
  check_whole_or_halves(work, work.weight_gradients, findings);
  check_after(work.forwards, work.backwards, findings);
  check_after(work.forwards, work.input_gradients, findings);
  check_after(work.input_gradients, work.weight_gradients, findings);
}

// The missing actions of one stage: the first few by name, and the number of the rest.
class Missing {
 public:
  explicit Missing(std::uint32_t stage) : stage_(stage) {}

  void add_all_of(std::uint32_t first, std::uint32_t end) {
    for (; first < end && names_.size() < kMostNamed; ++first) add_absent({stage_, first});
    unnamed_ += 2 * std::size_t{end - std::min(first, end)};
  }

  void add_absent(const Work& work) {
    if (work.forwards.empty()) add(ListedKind::Forward, work);
    if (!work.backwards.empty()) return;
    const bool split = !work.input_gradients.empty() || !work.weight_gradients.empty();
    if (!split) add(ListedKind::Backward, work);
    if (split && work.input_gradients.empty()) add(ListedKind::BackwardInput, work);
    if (split && work.weight_gradients.empty()) add(ListedKind::BackwardWeight, work);
  }

  void report(std::uint32_t row, Findings& findings) const {
    if (names_.empty()) return;
    findings.add('/' + std::to_string(row), "also " + enumerated(names_, unnamed_),
                 names_.size() + unnamed_ == 1 ? "no such action" : "no such actions");
  }

 private:
  void add(ListedKind kind, const Work& work) {
    if (names_.size() < kMostNamed) {
      names_.push_back(to_string(ListedAction{kind, stage_, work.microbatch}));
    } else {
      ++unnamed_;
    }
  }

  std::uint32_t stage_;
  std::vector<std::string> names_;
  std::size_t unnamed_ = 0;
};

}  // namespace

void check_work(const std::vector<Occurrence>& all, const StageRows& rows, std::uint32_t microbatches,
                Findings& findings) {
  const std::vector<Work> works = works_of(all);
  for (auto work = works.begin(); work != works.end();) {
    const std::uint32_t stage = work->stage;
    Missing missing(stage);
    std::uint32_t next = 0;
    for (; work != works.end() && work->stage == stage; ++work) {
      check_one(*work, findings);
      if (work->microbatch >= microbatches) continue;
      missing.add_all_of(next, work->microbatch);
      missing.add_absent(*work);
      next = work->microbatch + 1;
    }
    missing.add_all_of(next, microbatches);
    missing.report(rows.at(stage), findings);
  }
}

}  // namespace spillway
