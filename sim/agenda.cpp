#include "sim/agenda.h"

#include <algorithm>

namespace spillway {
namespace {

bool later(const Agenda::Entry& a, const Agenda::Entry& b) {
  if (a.date != b.date) return a.date > b.date;
  return a.what != b.what ? a.what > b.what : a.turn > b.turn;
}

}  // namespace

void Agenda::add(Seconds date, What what, Token token) {
  const Entry entry{date, turns_++, what, token};
  ++waiting_;
  std::deque<Entry>* best = nullptr;
  for (std::deque<Entry>& row : rows_) {
    if (!row.empty() && later(row.back(), entry)) continue;
    if (best == nullptr || best->empty() || (!row.empty() && later(row.back(), best->back()))) best = &row;
  }
  if (best != nullptr) return best->push_back(entry);
  heap_.push_back(entry);
  std::push_heap(heap_.begin(), heap_.end(), later);
}

const Agenda::Entry& Agenda::first() const {
  const Entry* first = heap_.empty() ? nullptr : &heap_.front();
  for (const std::deque<Entry>& row : rows_)
    if (!row.empty() && (first == nullptr || later(*first, row.front()))) first = &row.front();
  return *first;
}

Agenda::Entry Agenda::take() {
  const Entry entry = first();
  --waiting_;
  const auto has = [&](const std::deque<Entry>& row) {
    return !row.empty() && row.front().turn == entry.turn;
  };
  if (const auto row = std::find_if(rows_.begin(), rows_.end(), has); row != rows_.end()) {
    row->pop_front();
  } else {
    std::pop_heap(heap_.begin(), heap_.end(), later);
    heap_.pop_back();
  }
  reach(entry.date);
  return entry;
}

void Agenda::reach(Seconds date) {
  now_ = std::max(now_, date);
}

}  // namespace spillway
