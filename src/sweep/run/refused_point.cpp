#include "sweep/run/refused_point.h"

#include <new>
#include <string>

#include "base/error.h"
#include "base/printable.h"

namespace spillway {
namespace {

std::string refusal_of(const InputError& bad) {
  std::string text;
  for (const Violation& violation : bad.violations())
    text += (text.empty() ? "" : "\n") + printable(violation.pointer) + ": expected " +
            printable(violation.expected) + ", found " + printable_lines(violation.found);
  return text;
}

}  // namespace

PointOutcome outcome_or_refusal(const std::function<PointOutcome()>& compute) {
  try {
    return compute();
  } catch (const InputError& bad) {
    return {.refusal = refusal_of(bad)};
  } catch (const Infeasible& none) {
    return {.refusal = none.what()};
  } catch (const std::bad_alloc&) {
    return {.refusal = "more memory than the machine that computed it would give"};
  }
}

}  // namespace spillway
