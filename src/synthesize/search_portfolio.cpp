#include "synthesize/search_portfolio.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace spillway {
namespace {

constexpr Seconds kNoStep(std::numeric_limits<double>::infinity());

Seconds step_of(const SearchedPlacement& one) {
  return one.search->orders().step();
}

// The smaller of those that are known.
std::optional<Bytes> least_of(std::optional<Bytes> one, std::optional<Bytes> other) {
  if (!one || !other) return one ? one : other;
  return std::min(*one, *other);
}

}  // namespace

// A search has tried its first order when it was made.
void SearchPortfolio::add(SearchedPlacement one) {
  tries_ += one.search->orders().tries();
  all_.push_back(std::move(one));
  note(all_.back());
}

void SearchPortfolio::note(const SearchedPlacement& one) {
  if (step_of(one) < (progress_.empty() ? kNoStep : progress_.back().step))
    progress_.push_back({tries_, step_of(one)});
}

void SearchPortfolio::try_next(const SearchedPlacement& one) {
  one.search->orders().try_next();
  ++tries_;
  note(one);
}

std::optional<Bytes> SearchPortfolio::least_memory() const {
  std::optional<Bytes> least = dropped_least_;
  for (const SearchedPlacement& one : all_) least = least_of(least, one.search->least_memory());
  return least;
}

template <class Goes>
bool SearchPortfolio::screen(const Goes& goes_on) {
  for (const auto enough : {&OrderSearch::starts, &OrderSearch::screened})
    for (const SearchedPlacement& one : all_) {
      const OrderSearch& orders = one.search->orders();
      while (orders.tries() < (orders.*enough)()) {
        if (!goes_on()) return false;
        try_next(one);
      }
    }
  return true;
}

void SearchPortfolio::keep_the_best() {
  std::ranges::stable_sort(all_, {}, step_of);
  for (; all_.size() > kKept; all_.pop_back())
    dropped_least_ = least_of(dropped_least_, all_.back().search->least_memory());
}

void SearchPortfolio::run(std::uint64_t effort, const std::function<bool()>& stop) {
  const auto goes_on = [&] { return tries_ < effort && !(stop && stop()); };
  if (!screen(goes_on)) return;
  keep_the_best();
  for (std::uint64_t turn = 0; goes_on(); ++turn)
    try_next(turn % 2 == 0 ? *std::ranges::min_element(all_, {}, step_of) : all_[turn / 2 % all_.size()]);
}

}  // namespace spillway
