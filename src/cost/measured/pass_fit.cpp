#include "cost/measured/pass_fit.h"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "base/error.h"
#include "cost/measured/nonnegative_fit.h"

namespace spillway {
namespace {

constexpr double kRounding = 1e-9;
// The weight of "all factors are equal" beside a measured pass. It decides only what no measurement does.
constexpr double kEqualFactors = 1e-6;

bool differ(double a, double b) {
  return std::abs(a - b) > kRounding * std::max(std::abs(a), std::abs(b));
}

std::vector<LayerSize> sizes_of(std::span<const FitRow> rows, std::size_t kind) {
  std::vector<LayerSize> sizes;
  for (const FitRow& row : rows)
    if (row.layers[kind] > 0 && std::ranges::find(sizes, row.sizes[kind]) == sizes.end())
      sizes.push_back(row.sizes[kind]);
  return sizes;
}

// One term of a kind's time.
enum class Term : std::uint8_t { Offset, Tokens, Pairs, Roofline };

double value_of(Term term, LayerSize size, Seconds roofline) {
  switch (term) {
    case Term::Offset:
      return 1;
    case Term::Tokens:
      return size.tokens;
    case Term::Pairs:
      return size.pairs;
    case Term::Roofline:
      return roofline.value();
  }
  throw ContractBreach("unknown term");
}

// The rank of the sizes as rows (1, tokens, pairs), each column scaled to its largest entry.
Eigen::Index rank_of(const std::vector<LayerSize>& sizes) {
  Eigen::MatrixXd rows(static_cast<Eigen::Index>(sizes.size()), 3);
  for (std::size_t i = 0; i < sizes.size(); ++i)
    rows.row(static_cast<Eigen::Index>(i)) << 1, sizes[i].tokens, sizes[i].pairs;
  for (auto column : rows.colwise())
    if (const double most = column.maxCoeff(); most > 0) column /= most;
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> solver(rows);
  solver.setThreshold(kRounding);
  return solver.rank();
}

// Terms that the sizes tell apart.
std::vector<Term> curve_terms(const std::vector<LayerSize>& sizes) {
  if (rank_of(sizes) == 3) return {Term::Offset, Term::Tokens, Term::Pairs};
  const bool other_tokens =
      std::ranges::any_of(sizes, [&](LayerSize size) { return differ(size.tokens, sizes.front().tokens); });
  return {Term::Offset, other_tokens ? Term::Tokens : Term::Pairs};
}

// Tells the kinds whose time follows from the measured passes: their unit vector lies in the space of the
// rows of layer counts.
class Identified {
 public:
  Identified(std::span<const FitRow> rows, std::size_t kinds)
      : counts_(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(kinds)) {
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::size_t kind = 0; kind < kinds; ++kind)
        counts_(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(kind)) = rows[i].layers[kind];
    solver_.compute(counts_.transpose());
  }

  bool operator()(std::size_t kind) const {
    const Eigen::VectorXd unit = Eigen::VectorXd::Unit(counts_.cols(), static_cast<Eigen::Index>(kind));
    return (counts_.transpose() * solver_.solve(unit) - unit).norm() < kRounding;
  }

 private:
  Eigen::MatrixXd counts_;
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> solver_;
};

FitForm form_of(const std::vector<LayerSize>& sizes, bool identified) {
  if (sizes.empty()) return FitForm::NotMeasured;
  if (sizes.size() == 1 || !identified) return FitForm::Factor;
  return sizes.size() == 2 ? FitForm::OffsetAndFactor : FitForm::Curve;
}

std::vector<Term> terms_of(FitForm form, const std::vector<LayerSize>& sizes) {
  switch (form) {
    case FitForm::NotMeasured:
      return {};
    case FitForm::Factor:
      return {Term::Roofline};
    case FitForm::OffsetAndFactor:
      return {Term::Offset, Term::Roofline};
    case FitForm::Curve:
      return curve_terms(sizes);
  }
  throw ContractBreach("unknown form");
}

LayerFit begun(FitForm form, std::size_t sizes, std::span<const FitRow> rows, std::size_t kind) {
  LayerFit fit{.form = form, .sizes = static_cast<std::uint32_t>(sizes)};
  bool first = true;
  for (const FitRow& row : rows) {
    if (!(row.layers[kind] > 0)) continue;
    const LayerSize least = (row.least.empty() ? row.sizes : row.least)[kind],
                    most = (row.most.empty() ? row.sizes : row.most)[kind];
    fit.least = first ? least : smaller(fit.least, least);
    fit.most = first ? most : larger(fit.most, most);
    first = false;
  }
  return fit;
}

struct Column {
  std::size_t kind;
  Term term;
};

void set(LayerFit& fit, Term term, double coefficient) {
  switch (term) {
    case Term::Offset:
      fit.offset = Seconds(coefficient);
      return;
    case Term::Tokens:
      fit.linear = coefficient;
      return;
    case Term::Pairs:
      fit.quadratic = coefficient;
      return;
    case Term::Roofline:
      fit.factor = coefficient;
      return;
  }
}

// The mean of measured over roofline.
double mean_factor(std::span<const FitRow> rows) {
  double sum = 0, repeats = 0;
  for (const FitRow& row : rows) {
    Seconds roofline;
    for (std::size_t kind = 0; kind < row.layers.size(); ++kind)
      roofline += row.roofline[kind] * row.layers[kind];
    if (roofline == Seconds()) continue;
    sum += row.repeats * (row.time / roofline);
    repeats += row.repeats;
  }
  return repeats > 0 ? sum / repeats : 1;
}

// The equations of all passes, and after them those of equal factors.
struct Equations {
  Equations(std::span<const FitRow> rows, const std::vector<Column>& columns) {
    for (const FitRow& row : rows) {
      const double weight = std::sqrt(row.repeats) / row.time.value();
      for (const auto& [kind, term] : columns)
        terms.push_back(weight * row.layers[kind] * value_of(term, row.sizes[kind], row.roofline[kind]));
      values.push_back(std::sqrt(row.repeats));
    }
    const double factor = mean_factor(rows);
    for (std::size_t own = 0; own < columns.size(); ++own) {
      if (columns[own].term != Term::Roofline) continue;
      for (std::size_t other = 0; other < columns.size(); ++other)
        terms.push_back(other == own ? kEqualFactors : 0);
      values.push_back(kEqualFactors * factor);
    }
  }

  std::vector<double> terms, values;
};

double misfit(std::span<const FitRow> rows, const std::vector<LayerFit>& kinds) {
  double squares = 0, repeats = 0;
  for (const FitRow& row : rows) {
    Seconds fitted;
    for (std::size_t kind = 0; kind < kinds.size(); ++kind)
      if (row.layers[kind] > 0)
        fitted += kinds[kind].at(row.sizes[kind], row.roofline[kind]) * row.layers[kind];
    squares += row.repeats * std::pow(fitted / row.time - 1, 2);
    repeats += row.repeats;
  }
  return repeats > 0 ? std::sqrt(squares / repeats) : 0;
}

}  // namespace

bool LayerFit::covers(LayerSize size) const {
  const auto within = [](double value, double low, double high) {
    return value >= low * (1 - kRounding) && value <= high * (1 + kRounding);
  };
  return measured() && within(size.tokens, least.tokens, most.tokens) &&
         within(size.pairs, least.pairs, most.pairs);
}

LayerSize smaller(LayerSize a, LayerSize b) {
  return {std::min(a.tokens, b.tokens), std::min(a.pairs, b.pairs)};
}

LayerSize larger(LayerSize a, LayerSize b) {
  return {std::max(a.tokens, b.tokens), std::max(a.pairs, b.pairs)};
}

Seconds LayerFit::at(LayerSize size, Seconds roofline) const {
  return offset + Seconds(linear * size.tokens + quadratic * size.pairs) + roofline * factor;
}

PassFit fit_passes(std::span<const FitRow> rows, std::size_t kinds) {
  PassFit fit;
  if (rows.empty()) return {std::vector<LayerFit>(kinds), 0};
  const Identified identified(rows, kinds);
  std::vector<Column> columns;
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    const std::vector<LayerSize> sizes = sizes_of(rows, kind);
    const FitForm form = form_of(sizes, identified(kind));
    fit.kinds.push_back(begun(form, sizes.size(), rows, kind));
    for (const Term term : terms_of(form, sizes)) columns.push_back({kind, term});
  }
  const Equations equations(rows, columns);
  const std::vector<double> coefficients = nonnegative_fit(equations.terms, columns.size(), equations.values);
  for (std::size_t i = 0; i < columns.size(); ++i)
    set(fit.kinds[columns[i].kind], columns[i].term, coefficients[i]);
  fit.deviation = misfit(rows, fit.kinds);
  return fit;
}

}  // namespace spillway
