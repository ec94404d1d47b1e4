#include "target.h"

#include <cstdlib>

#include "base/error.h"
#include "support/temporary_folder.h"

namespace spillway::testing {
namespace {

std::vector<const Target*>& targets() {
  static std::vector<const Target*> all;
  return all;
}

}  // namespace

Target::Target(std::string_view name, std::string_view file, Read read)
    : name_(name), file_(file), read_(read) {
  targets().push_back(this);
}

void Target::take(std::string_view bytes) const {
  const std::string path = folder_of_process().file(file_, std::string(bytes));
  try {
    read_(path);
  } catch (const InputError& refused) {
    ensure(!refused.violations().empty(), "a refusal says why");
  } catch (const Infeasible&) {
  }
}

const std::vector<const Target*>& Target::all() {
  return targets();
}

}  // namespace spillway::testing
