#include "input/experiment/equal_terms.h"

#include <algorithm>
#include <string>
#include <utility>

#include "draws/schedule_facts.h"
#include "input/experiment/system_reader.h"

namespace spillway {
namespace {

constexpr const char* kKey = "/equal_terms";

// Returns the most of each term that any system has by itself.
Terms most_of(const std::vector<ScheduleSpec>& schedules, const ScheduleSurroundings& around) {
  Terms most;
  for (const ScheduleSpec& schedule : schedules) {
    if (schedule.system.empty()) continue;
    const Terms own = terms_of(schedule, around.options.pipeline, *around.costs);
    most.moves_samples |= own.moves_samples;
    most.knows_draw |= own.knows_draw;
    most.chunks = std::max(most.chunks, own.chunks);
  }
  return most;
}

struct Played {
  std::vector<ScheduleSpec> schedules;
  Findings findings;
};

// Lays all systems out on these terms. Their violations are kept apart, since other terms may work.
Played played(const Terms& terms, const Place& places, const ScheduleSurroundings& around,
              const std::vector<ScheduleSpec>& schedules) {
  Played all{schedules, Findings(places.findings->file())};
  const auto entries = read_list(places);
  for (std::size_t i = 0; i < schedules.size(); ++i) {
    if (schedules[i].system.empty()) continue;
    Place entry = (*entries)[i];
    entry.findings = &all.findings;
    if (auto spec = read_system(entry, around, {.terms = terms})) all.schedules[i] = *std::move(spec);
  }
  return all;
}

Terms asked_of(const AskedTerms& asked, const Terms& most) {
  const bool moves = asked.moves_samples.value_or(most.moves_samples && asked.knows_draw != false);
  return {moves, asked.knows_draw.value_or(most.knows_draw || moves), asked.chunks.value_or(most.chunks)};
}

bool is_interleaved(const Schedule& body) {
  return std::all_of(body.skeletons.begin(), body.skeletons.end(),
                     [](const Skeleton& one) { return one == SkeletonKind::OneFOneB; });
}

// Clears all other options about who knows the draw or moves samples.
void clear(SystemOptions& options) {
  options.owner_from_draw.reset();
  options.balance_samples = false;
}

void impose_sizes(const Terms& terms, const System& system, SystemOptions& options) {
  clear(options);
  options.moves_samples = terms.moves_samples;
  if (!terms.moves_samples) options.group_replicas = 0;
  if (!terms.knows_draw) options.order.reset();
  // Otherwise its layout has nothing that sizes could decide.
  if (!terms.knows_draw || terms.moves_samples || system.plans_by_sizes)
    options.knows_draw = terms.knows_draw;
}

}  // namespace

std::vector<std::string> impose(const Terms& terms, const System& system, SystemOptions& options) {
  impose_sizes(terms, system, options);
  if (!is_interleaved(options.body))
    return {"its body " + to_string(options.body) + ", which chunks cannot express"};
  options.chunks = terms.chunks;
  options.body = interleaved_body(terms.chunks);
  options.segments.clear();
  return {};
}

std::optional<AskedTerms> read_equal_terms(const Fields& experiment) {
  const std::optional<Place> place = experiment.at("equal_terms");
  if (!place) return std::nullopt;
  const Fields fields(*place, {"moves_samples", "knows_draw", "chunks"});
  const auto flag = [](const Place& p) { return read_boolean(p); };
  AskedTerms asked{fields.get("moves_samples", flag), fields.get("knows_draw", flag),
                   fields.get("chunks", [](const Place& p) { return read_count(p); })};
  if (asked.moves_samples == true && asked.knows_draw == false) {
    fields.at("moves_samples")
        ->refuse("false, since knows_draw is false and moving samples needs their sizes");
    return std::nullopt;
  }
  return asked;
}

std::optional<Terms> play_on_equal_terms(const AskedTerms& asked, const Place& places,
                                         const ScheduleSurroundings& around,
                                         std::vector<ScheduleSpec>& schedules) {
  Terms terms = asked_of(asked, most_of(schedules, around));
  Played all = played(terms, places, around, schedules);
  while (!asked.chunks && terms.chunks > 1 && !all.findings.empty()) {
    --terms.chunks;
    all = played(terms, places, around, schedules);
  }
  if (all.findings.empty()) {
    schedules = std::move(all.schedules);
    return terms;
  }
  const Violation& first = all.findings.all().front();
  const bool is_of_chunks = asked.chunks && !first.pointer.ends_with("/moves_samples") &&
                            !first.pointer.ends_with("/knows_draw") && !first.pointer.ends_with("/order");
  places.findings->add(is_of_chunks ? std::string(kKey) + "/chunks" : kKey,
                       "terms that every system can have; " + first.pointer + ": " + first.expected,
                       first.found);
  return std::nullopt;
}

}  // namespace spillway
