#include "report/step/figure_json.h"

#include <algorithm>
#include <cmath>

#include "words/spread.h"

namespace spillway {

Json figure_json(const std::vector<double>& values) {
  if (!std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); }))
    return nullptr;
  if (values.size() == 1) return values.front();
  const Spread s = spread(values);
  return {{"mean", s.mean}, {"p5", s.p5},   {"p50", s.p50},  {"p95", s.p95},
          {"p99", s.p99},   {"max", s.max}, {"ci95", s.ci95}};
}

Json warnings_json(const std::vector<Warning>& warnings) {
  Json all = Json::array();
  for (const Warning& warning : warnings) all.push_back({{"code", warning.code}, {"text", warning.text}});
  return all;
}

}  // namespace spillway
