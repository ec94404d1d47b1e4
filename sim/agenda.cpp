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
  entries_.push_back({date, turns_++, what, token});
  std::push_heap(entries_.begin(), entries_.end(), later);
}

Agenda::Entry Agenda::take() {
  std::pop_heap(entries_.begin(), entries_.end(), later);
  const Entry entry = entries_.back();
  entries_.pop_back();
  reach(entry.date);
  return entry;
}

void Agenda::reach(Seconds date) {
  now_ = std::max(now_, date);
}

}  // namespace spillway
