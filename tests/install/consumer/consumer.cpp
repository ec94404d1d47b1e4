// Somebody else's program. The flows of its job share links, so that it needs SimGrid.
#include <iostream>

#include "api/run.h"

int main() {
  const spillway::RunAnswer answer = spillway::run({.experiment = {.source = "released-trained-layers"}});
  std::cout << answer.evaluation.schedules.front().name << '\n';
}
