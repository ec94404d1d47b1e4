// A figure of each draw of a schedule. Private to src/report/step.
#pragma once

#include <vector>

#include "evaluate/evaluation.h"

namespace spillway {

template <class ValueOf>
std::vector<double> by_draw(const ScheduleResult& schedule, ValueOf value_of) {
  std::vector<double> values;
  for (const DrawResult& draw : schedule.draws) values.push_back(value_of(draw));
  return values;
}

// Of the draws' accounts. Contract: they have one.
template <class ValueOf>
std::vector<double> throughput_by_draw(const ScheduleResult& schedule, ValueOf value_of) {
  return by_draw(schedule, [&](const DrawResult& draw) {
    return value_of(throughput(*draw.account, draw.step.makespan));
  });
}

}  // namespace spillway
