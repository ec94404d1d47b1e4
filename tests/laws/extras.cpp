#include "extras.h"

#include <string>

#include "base/error.h"
#include "dice.h"
#include "laws.h"

namespace spillway::testing {
namespace {

void words(Json& document) {
  document["note"] = "drawn by dice";
  document["assumptions"] = {"the dice are fair"};
}

void baseline(Json& document) {
  document["baseline"] = any_of(document["schedules"].get<std::vector<Json>>())["name"];
}

void memory(Json& document) {
  document["memory"]["limit_gb"] = number(1, 400) * 0.25;
}

// The names of the ports of the document's platform.
std::vector<std::string> experiment_ports(const Json& document) {
  std::vector<std::string> names;
  const Experiment experiment = experiment_of(document.dump());
  for (const NetworkPort& port : on_platform(experiment.costs)->platform.ports) names.push_back(port.name);
  return names;
}

void what_if(Json& document) {
  Json& what_if = document["what_if"];
  if (one_in(2)) what_if["encoder_time"] = number(0, 4) * 0.5;
  if (one_in(2)) what_if["link_speed"] = number(1, 4) * 0.5;
  if (one_in(2)) what_if["even_stages"] = !one_in(4);
  if (document.contains("platform") && one_in(2)) what_if["inner_collective_time"] = number(0, 4) * 0.5;
}

// What poorer machines take away, and faster ports.
void what_if_of_machines(Json& document) {
  const bool analytic = document.contains("platform");
  const std::string port = analytic ? any_of(experiment_ports(document)) : "";
  Json& what_if = document["what_if"];
  if (one_in(2)) what_if["compute_speed"] = number(1, 4) * 0.5;
  if (one_in(2))
    what_if["straggler"] = {{"rank", number(0, document["pipeline"]["ranks"].get<std::uint32_t>() - 1)},
                            {"time", number(1, 4) * 0.5}};
  if (one_in(2)) what_if["between_steps_ms"] = number(0, 4) * 5;
  if (!analytic) return;
  if (one_in(2)) what_if["host_speed"] = number(1, 4) * 0.5;
  if (one_in(2)) what_if["port_speed"][port] = number(1, 4) * 0.5;
}

// The key matters to documents that name systems, and the others accept it. All three terms are stated, since
// an unstated one follows from the systems in the document.
void equal_terms(Json& document) {
  const bool moves = one_in(2);
  document["equal_terms"] = {
      {"moves_samples", moves}, {"knows_draw", moves || one_in(2)}, {"chunks", number(1, 3)}};
}

// Fits a duration to a longer step than the document's own.
void fit(Json& document) {
  const std::size_t block = number(0, static_cast<std::uint32_t>(document["model"]["blocks"].size()) - 1);
  const std::string pointer = "/model/blocks/" + std::to_string(block);
  const bool analytic = document.contains("platform");
  if (analytic) document["model"]["blocks"][block]["fixed_ms"] = 1;
  const ScheduleOutcome fitted = any_of(outcome_of(experiment_of(document.dump())).schedules);
  Seconds all;
  for (const Seconds makespan : fitted.makespans) all += makespan;
  document["fit"] = {{{"pointer", pointer + (analytic ? "/fixed_ms" : "/profile/forward_ms")},
                      {"schedule", fitted.name},
                      {"makespan_s", all.value() / static_cast<double>(fitted.makespans.size()) *
                                         (1 + number(1, 50) * 0.01)}}};
  outcome_of(experiment_of(document.dump()));  // throws if no value reaches it
}

void images(Json& document) {
  Json& work = document["model"]["blocks"][0]["image_work"];
  if (work.is_null()) throw InputError({});
  if (one_in(2))
    work["rule"] = {{"min_pixels", number(4, 64) * 784}, {"max_pixels", number(256, 2048) * 784}};
  if (one_in(2)) work["max_patches"] = number(2, 40) * 1000;
  if (one_in(2) && !work.contains("packing")) work["packing"] = "unpacked";
  if (one_in(2)) return;
  if (!one_in(4)) work["trace"] = shipped("workloads/traces/activitynet_videos.csv");
  Json& video = work["rule"]["video"];
  video = {{"fps", number(1, 4) * 0.5}, {"min_frames", number(1, 6)}, {"max_frames", number(8, 64)}};
  if (one_in(2)) video["min_pixels"] = number(2, 64) * 1024;
  if (one_in(2)) video["max_pixels"] = number(100, 900) * 1024;
  if (one_in(2)) video["total_pixels"] = number(1000, 90'000) * 1024;
}

// Names the next block, or the block behind two encoders.
void feeds(Json& document) {
  Json& blocks = document["model"]["blocks"];
  if (blocks.size() < 2) throw InputError({});
  const bool beside = blocks.size() > 2 && one_in(2);
  if (beside) blocks[1]["role"] = blocks[0]["role"] = "encoder";
  blocks[0]["feeds"] = blocks[beside ? 2 : 1]["name"];
}

// Passes and the optimizer of one block, measured over one microbatch.
void measured(Json& document) {
  if (!document.contains("platform") || document.contains("fit")) throw InputError({});
  const Json block = any_of(document["model"]["blocks"].get<std::vector<Json>>());
  Json passes;
  for (std::uint32_t i = number(1, 3); i > 0; --i) {
    Json pass = {
        {"stage", block["name"]},
        {"direction", any_of<std::string>({"forward", "backward", "input_gradient", "weight_gradient"})},
        {"milliseconds", {number(1, 40) * 0.25}}};
    const char* size = one_in(3) ? "patches" : "tokens";
    if (one_in(4))
      for (const std::uint32_t sizes : {number(1, 64), number(1, 64)})
        pass[size].push_back(Json::array({sizes * 64}));
    else
      pass[size] = {number(1, 64) * 64};
    if (pass["direction"] == "forward" && one_in(2)) pass["bytes"] = {number(1, 64) * 1e6};
    passes.push_back(pass);
  }
  if (one_in(2))
    passes.push_back(
        {{"stage", block["name"]}, {"direction", "optimizer"}, {"milliseconds", {number(1, 9)}}});
  document["measured"]["passes"] = passes;
  for (const char* devices : {"tensor", "context", "expert"})
    if (one_in(4)) document["measured"][devices] = 1;
  if (one_in(4)) document["measured"]["replicas"] = number(1, 8);
  if (one_in(2))
    document["measured"]["recompute"] = any_of<std::string>({"none", "selective", "alternate", "full"});
}

void schema_for_editors(Json& document) {
  document["$schema"] = "experiment.schema.json";
}

// Fits come late: they hold for the document at that point. What-ifs leave them as they are.
std::vector<Extra> extras_of(const Json& document) {
  std::vector<Extra> extras = {{words, 5},   {schema_for_editors, 9}, {baseline, 4}, {memory, 5},
                               {what_if, 5}, {equal_terms, 4},        {feeds, 6}};
  const bool analytic = document.contains("platform");
  for (const Extra& extra : analytic ? analytic_extras() : std::vector<Extra>{{images, 3}})
    extras.push_back(extra);
  extras.push_back({feeds, 6});
  extras.push_back({fit, 10});
  extras.push_back({what_if_of_machines, 5});
  extras.push_back({measured, 6});
  return extras;
}

}  // namespace

Json with_extras(Json document) {
  for (const Extra& extra : extras_of(document)) {
    if (!one_in(extra.one_in)) continue;
    Json more = document;
    try {
      extra.add(more);
    } catch (const InputError&) {
      continue;
    } catch (const Infeasible&) {
      continue;
    }
    if (is_experiment(more)) document = std::move(more);
  }
  return document;
}

}  // namespace spillway::testing
