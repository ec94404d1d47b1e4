// Somebody else's program.
#include <iostream>

#include "api/run.h"

int main() {
  const spillway::RunAnswer answer = spillway::run({.experiment = {.source = "first-look"}});
  std::cout << answer.evaluation.schedules.front().name << '\n';
}
