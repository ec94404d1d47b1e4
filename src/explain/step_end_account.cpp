#include "explain/step_end_account.h"

#include <algorithm>

#include "words/table.h"

namespace spillway {
namespace {

Seconds end_of_passes(const ScheduleResult& schedule) {
  const Order& order = schedule.derived->order;
  const PerEvent<Seconds>& ends = schedule.first.timeline.end;
  Seconds last;
  for (std::uint32_t index = 0; index < order.event_count(); ++index) {
    if (!order.event(EventId(index)).computes()) continue;
    for (std::uint32_t lane = 0; lane < ends.lanes(); ++lane)
      last = std::max(last, ends.at(EventId(index), lane));
  }
  return last;
}

}  // namespace

StepEndAccount step_end_account(const ScheduleResult& schedule) {
  const Seconds whole = schedule.first.timeline.makespan() - end_of_passes(schedule);
  const StepEnd& parts = *schedule.draws.front().step_end;
  return {whole, std::max(Seconds(), whole - parts.total()), parts};
}

std::string step_end_table(const ScheduleResult& schedule, TimeUnit unit) {
  if (!schedule.draws.front().step_end) return {};
  const StepEndAccount account = step_end_account(schedule);
  const auto number = [&](Seconds time) { return number_text(time, unit, account.whole); };
  TableRows rows = {{"end of the step", "time", "beside passes"}};
  rows.push_back({"reduce gradients", number(account.reducing), number(account.parts.hidden_reduced)});
  for (const StepEndPart& part : kStepEndParts) {
    const Seconds time = account.parts.*part.time;
    const Seconds hidden = part.time == &StepEnd::returned ? account.parts.hidden_return : Seconds();
    if (time + hidden > Seconds())
      rows.push_back({part.name, number(time), hidden > Seconds() ? number(hidden) : ""});
  }
  rows.push_back({"all, after the last pass", number(account.whole), ""});
  return table_text(rows);
}

}  // namespace spillway
