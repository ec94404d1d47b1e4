#include "report/step/warning_lines.h"

#include "words/wording.h"

namespace spillway {

std::string warning_lines(const Evaluation& evaluation, std::size_t columns) {
  std::string text;
  for (const Warning& warning : evaluation.warnings) text += wrapped("warning: ", warning.text, columns);
  for (const ScheduleResult& schedule : evaluation.schedules)
    for (const Warning& warning : schedule.warnings)
      text += wrapped("warning: " + schedule.name + ": ", warning.text, columns);
  return text;
}

}  // namespace spillway
