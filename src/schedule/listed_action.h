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

// One cell that is not empty. Numbers of what the kind does not have are 0.
struct ListedAction {
  ListedKind kind;
  std::uint32_t stage;
  std::uint32_t microbatch = 0;  // none of Unshard, Reshard and ReduceGradients
  // Of ForwardBackward alone: what its backward half works on.
  std::uint32_t backward_stage = 0;
  std::uint32_t backward_microbatch = 0;

  bool computes() const { return kind <= ListedKind::ForwardBackward; }
  bool transfers() const { return kind >= ListedKind::SendForward && kind <= ListedKind::ReceiveBackward; }

  friend bool operator==(const ListedAction&, const ListedAction&) = default;
};

std::string to_string(const ListedAction& action);

// Nothing where the text is no action; parse(to_string(x)) == x.
std::optional<ListedAction> parse_action(std::string_view text);

// What a text that is no action was probably meant to be: "an action such as 2F0".
std::string nearest_action(std::string_view text);

}  // namespace spillway
