// One action of a schedule as text, in the form of PyTorch's pipelining (action_list.h): 2F0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace spillway {

enum class ListedKind : std::uint8_t {
  Forward,
  Backward,
  BackwardInput,
  BackwardWeight,
  ForwardBackward,
  SendForward,
  ReceiveForward,
  SendBackward,
  ReceiveBackward,
  Unshard,
  Reshard,
  ReduceGradients
};

// One cell that is not empty. Fields that the kind does not have are 0.
struct ListedAction {
  ListedKind kind;
  std::uint32_t stage;
  std::uint32_t microbatch = 0;  // unused by Unshard, Reshard and ReduceGradients
  // Only for ForwardBackward: stage and microbatch of its backward half.
  std::uint32_t backward_stage = 0;
  std::uint32_t backward_microbatch = 0;

  bool computes() const { return kind <= ListedKind::ForwardBackward; }
  bool transfers() const { return kind >= ListedKind::SendForward && kind <= ListedKind::ReceiveBackward; }

  friend bool operator==(const ListedAction&, const ListedAction&) = default;
};

std::string to_string(const ListedAction& action);

// Returns nothing if the text is not an action; parse(to_string(x)) == x.
std::optional<ListedAction> parse_action(std::string_view text);

// The probable meaning of a text that is not an action: "an action such as 2F0".
std::string nearest_action(std::string_view text);

}  // namespace spillway
