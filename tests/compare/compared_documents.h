// Experiments small enough to be compared hundreds of times, and checks of their comparisons.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "compare/comparison.h"
#include "compare/condition.h"
#include "evaluate/evaluate.h"
#include "input/experiment/experiment.h"
#include "report/step/json.h"
#include "support/numbers.h"
#include "written.h"

namespace spillway::testing {

using Document = nlohmann::ordered_json;

inline Document profile(double forward, double input, double weight) {
  return {{"forward_ms", forward}, {"input_gradient_ms", input}, {"weight_gradient_ms", weight}};
}

// Four blocks of one layer: one for each of four ranks, under 1F1B.
inline Document block_for_each_rank() {
  Document document = {{"schema", "spillway/experiment/1"},
                       {"name", "blocks"},
                       {"pipeline", {{"ranks", 4}, {"microbatches", 8}}}};
  for (const std::string name : {"b0", "b1", "b2", "b3"})
    document["model"]["blocks"].push_back(
        {{"name", name}, {"layers", 1}, {"trainable", true}, {"profile", profile(10, 10, 10)}});
  document["network"] = {{"p2p_ms", 0.5}, {"p2p", "overlapped"}};
  document["schedules"] = Document::array({{{"name", "only"}, {"schedule", "1f1b"}}});
  return document;
}

// Draws a document; call it inside rc::gen::exec.
inline Document random_document() {
  const auto ms = [](std::uint32_t most) { return number(1, 10 * most) / 10.0; };
  const std::uint32_t ranks = number(2, 4), microbatches = number(ranks, 9);
  Document work = Document::array();
  for (std::uint32_t m = 0; m < microbatches; ++m) work.push_back(number(1, 8) / 2.0);
  Document document = {{"schema", "spillway/experiment/1"},
                       {"name", "random"},
                       {"pipeline", {{"ranks", ranks}, {"microbatches", microbatches}}}};
  document["model"]["blocks"] = {{{"name", "enc"},
                                  {"layers", number(1, 3)},
                                  {"trainable", number(0, 1) == 1},
                                  {"profile", profile(ms(5), ms(5), ms(5))},
                                  {"work_per_microbatch", work}},
                                 {{"name", "llm"},
                                  {"layers", ranks * number(1, 2)},
                                  {"trainable", true},
                                  {"profile", profile(ms(20), ms(20), ms(20))}}};
  document["network"] = {{"p2p_ms", ms(2)}, {"p2p", number(0, 1) == 1 ? "overlapped" : "blocking"}};
  const std::vector<std::string> texts = {"1f1b", "gpipe", "zb-h1", "transpose,1f1b"};
  const std::string text = texts[number(0, 3)];
  document["schedules"] = Document::array({{{"name", "one"}, {"schedule", text}}});
  if (text.starts_with("transpose")) {
    const std::vector<std::string> owners = {"round-robin", "greedy", "min-max"};
    document["schedules"][0]["owner"] = owners[number(0, 2)];
  }
  document["schedules"].push_back({{"name", "two"}, {"schedule", "1f1b"}});
  return document;
}

inline Comparison compared(const Document& a, const Document& b) {
  return compare_files(written("a.json", a.dump()), written("b.json", b.dump()));
}

inline double sum_of(const std::vector<Cause>& causes) {
  double sum = 0;
  for (const Cause& cause : causes) sum += cause.difference.value();
  return sum;
}

inline double sum_of(const std::vector<ChangeEffect>& changes) {
  double sum = 0;
  for (const ChangeEffect& change : changes) sum += change.difference.value();
  return sum;
}

// Allows an error of 1e-9 of the longer step.
inline bool adds_up(double sum, const ComparedFigure& makespan) {
  return std::abs(sum - makespan.difference()) <= 1e-9 * std::max(makespan.a, makespan.b);
}

inline Evaluation evaluated(const Document& document, Engines engines = {.run = {Engine::LongestPath}}) {
  return evaluate(parse_experiment(document.dump(), "test.json", {}), engines);
}

inline std::string report_file(const std::string& name, const Document& document,
                               Engines engines = {.run = {Engine::LongestPath}}) {
  return written(name, report_json(evaluated(document, engines)));
}

inline std::string pointers_of(const Comparison& comparison) {
  std::string all;
  for (const Difference& difference : comparison.configuration) all += difference.pointer + ' ';
  return all;
}

}  // namespace spillway::testing
