// What platform files and reports call the collective operations.
#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "platform/platform.h"

namespace spillway {

using OperationWord = std::pair<std::string_view, CollectiveOperation>;
// In the order of the enumeration.
inline constexpr std::array<OperationWord, 5> kOperationWords = {
    {{"all-reduce", CollectiveOperation::AllReduce},
     {"all-gather", CollectiveOperation::AllGather},
     {"reduce-scatter", CollectiveOperation::ReduceScatter},
     {"all-to-all", CollectiveOperation::AllToAll},
     {"send-recv", CollectiveOperation::SendRecv}}};

constexpr std::string_view word_for(CollectiveOperation operation) {
  return kOperationWords[static_cast<std::size_t>(operation)].first;
}

}  // namespace spillway
