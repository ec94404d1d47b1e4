#include "calibrate/fitted.h"

#include <map>
#include <utility>

#include "base/append.h"
#include "base/error.h"

namespace spillway {

Fits merged(const std::vector<Fits>& parts) {
  Fits all;
  for (const Fits& part : parts) {
    append(all.numbers, part.numbers);
    append(all.sweeps, part.sweeps);
    append(all.held_back, part.held_back);
    append(all.undetermined, part.undetermined);
    append(all.notes, part.notes);
    append(all.tables, part.tables);
  }
  std::vector<Violation> twice;
  std::map<std::string, const FittedNumber*> known;
  for (const FittedNumber& number : all.numbers) {
    const auto [first, added] = known.emplace(number.pointer, &number);
    if (!added)
      twice.push_back({"", number.pointer, "one fit", first->second->source + "; " + number.source});
  }
  if (!twice.empty()) throw InputError(std::move(twice));
  return all;
}

}  // namespace spillway
