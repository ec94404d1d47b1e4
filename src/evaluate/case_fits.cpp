// Fits one parameter at a time with Boost.Math's brent_find_minima, round after round until a round gains
// almost nothing. Brent's method (1973, chapter 5) is golden section search with parabolic steps; it needs no
// derivative and about 15 evaluations. A case costs a replay, there are two or three parameters, each has
// bounds, and the error is smooth in each. A simplex search would need more evaluations, and its own
// treatment of bounds.
#include <array>
#include <boost/math/tools/minima.hpp>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "evaluate/run_cases.h"

namespace spillway {
namespace {

constexpr int kBits = 12;       // of a parameter, relative to its range; measured times are less accurate
constexpr int kRounds = 20;     // at most
constexpr double kGain = 1e-3;  // of the error, relative; a round that gains less ends the search

std::string number_text(double value) {
  std::array<char, 32> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return {text.data(), end};
}

class CaseFitter {
 public:
  CaseFitter(const CaseFile& file, const Engines& engines) : file_(file), engines_(engines) {
    for (const FitRange& range : file.table().fit) values_.push_back((range.from + range.to) / 2);
  }

  CaseFits run() {
    double error = std::numeric_limits<double>::infinity();
    for (int round = 0; round < kRounds; ++round) {
      const double before = error;
      for (std::size_t i = 0; i < values_.size(); ++i) error = improve(i);
      if (values_.size() == 1 || error >= (1 - kGain) * before) break;
    }
    CaseFits fits;
    for (std::size_t i = 0; i < values_.size(); ++i)
      fits.parameters.push_back({file_.table().fit[i].pointer, values_[i]});
    fits.cases = fitted_cases();
    return fits;
  }

 private:
  // Sets one parameter to its best value, with the others fixed.
  double improve(std::size_t index) {
    const FitRange& range = file_.table().fit[index];
    const auto error_at = [&](double value) {
      values_[index] = value;
      return mean_squared_error();
    };
    const auto [value, error] = boost::math::tools::brent_find_minima(error_at, range.from, range.to, kBits);
    values_[index] = value;
    return error;
  }

  double mean_squared_error() {
    double sum = 0;
    const std::vector<CaseResult> cases = fitted_cases();
    for (const CaseResult& one : cases) sum += *one.error() * *one.error();
    return sum / static_cast<double>(cases.size());
  }

  std::vector<CaseResult> fitted_cases() {
    std::vector<Setting> base;
    for (std::size_t i = 0; i < values_.size(); ++i)
      base.push_back({file_.table().fit[i].pointer, number_text(values_[i])});
    std::vector<CaseResult> cases;
    for (std::size_t i = 0; i < file_.table().cases.size(); ++i)
      if (file_.table().cases[i].fitted) cases.push_back(run_case(file_, i, engines_, orders_, base));
    return cases;
  }

  const CaseFile& file_;
  Engines engines_;
  OrderCache orders_;  // most parameters change no order
  std::vector<double> values_;
};

void check(const CaseFile& file) {
  std::vector<Violation> violations;
  if (file.table().fit.empty())
    violations.push_back({file.path(), "/fit", "at least one parameter to calibrate", "none"});
  bool any = false;
  for (const MeasuredCase& one : file.table().cases) any = any || one.fitted;
  if (!any)
    violations.push_back({file.path(), "/cases", "at least one case marked \"fitted\": true", "none"});
  if (!violations.empty()) throw InputError(std::move(violations));
}

}  // namespace

CaseFits fit_cases(const CaseFile& file, const Engines& engines) {
  check(file);
  return CaseFitter(file, engines).run();
}

}  // namespace spillway
