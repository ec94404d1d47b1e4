#include "traces/ascend/ascend_passes.h"

#include <algorithm>
#include <optional>

namespace spillway {
namespace {

using Items = std::span<const AscendItem>;

// The items from `begin` to `end` - 1, between two messages.
struct Segment {
  std::size_t begin;
  std::size_t end;
  bool after_message;
};

std::vector<Segment> segments(Items items) {
  std::vector<Segment> found;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= items.size(); ++i) {
    if (i < items.size() && !is_point_to_point(items[i].sign)) continue;
    if (begin < i) found.push_back({begin, i, begin > 0});
    begin = i + 1;
  }
  return found;
}

// Returns the first item from `begin` that has the sign, or `end` if none has it.
std::size_t find(Items items, std::size_t begin, std::size_t end, AscendSign sign) {
  while (begin < end && items[begin].sign != sign) ++begin;
  return begin;
}

// Returns where the backward of a last stage begins, given its first gradient kernel.
std::size_t seed_before(Items items, std::size_t begin, std::size_t gradient) {
  for (std::size_t i = gradient; i > begin; --i)
    if (items[i - 1].sign == AscendSign::Seed) return i - 1;
  return gradient;
}

std::size_t end_of_backward(Items items, Segment segment) {
  std::size_t last = segment.end;
  while (last > segment.begin && items[last - 1].sign != AscendSign::Gradient) --last;
  const auto after = items.subspan(last, segment.end - last);
  const auto cut = std::find_if(after.begin(), after.end(), [](const AscendItem& item) {
    return item.sign == AscendSign::Collective || item.sign == AscendSign::Optimizer;
  });
  return last + static_cast<std::size_t>(cut - after.begin());
}

class Inference {
 public:
  Inference(Items items, bool first_stage, bool last_stage)
      : items_(items), first_stage_(first_stage), last_stage_(last_stage) {}

  AscendPasses run() {
    for (const Segment& segment : segments(items_)) add(segment);
    for (std::size_t i = 0; i <= result_.passes.size(); ++i) add_messages_before(i);
    return std::move(result_);
  }

 private:
  void add(const Segment& segment) {
    const std::size_t gradient = find(items_, segment.begin, segment.end, AscendSign::Gradient);
    if (gradient == segment.end) {
      if (first_stage_ || segment.after_message) add_forward(segment.begin, segment.end);
      return;
    }
    const std::size_t seed = last_stage_ ? seed_before(items_, segment.begin, gradient) : segment.begin;
    const bool split = add_forward(segment.begin, seed);
    add_pass(false, split ? seed : segment.begin, end_of_backward(items_, segment));
    result_.passes.back().split_here = split;
  }

  bool add_forward(std::size_t begin, std::size_t end) {
    if (find(items_, begin, end, AscendSign::Matrix) == end) return false;
    add_pass(true, begin, end);
    return true;
  }

  // Collectives at either end do not belong to the pass.
  void add_pass(bool forward, std::size_t begin, std::size_t end) {
    while (is_communication(items_[begin].sign)) ++begin;
    while (is_communication(items_[end - 1].sign)) --end;
    std::int64_t last = items_[begin].end_ns;
    for (std::size_t i = begin; i < end; ++i)
      if (!is_communication(items_[i].sign)) last = std::max(last, items_[i].end_ns);
    std::uint32_t& count = forward ? forwards_ : backwards_;
    result_.passes.push_back({forward, count++, begin, end - 1, items_[begin].start_ns, last, false});
  }

  bool sends(const AscendPass& pass) const { return pass.forward ? !last_stage_ : !first_stage_; }
  bool receives(const AscendPass& pass) const { return pass.forward ? !first_stage_ : !last_stage_; }

  // The previous pass sends with the first message between the two passes. The next pass receives with the
  // last one. Both are the same message if the rank posted them together.
  void add_messages_before(std::size_t next) {
    const auto& passes = result_.passes;
    const AscendPass* before = next == 0 ? nullptr : &passes[next - 1];
    const AscendPass* after = next == passes.size() ? nullptr : &passes[next];
    std::optional<std::size_t> sent;
    std::optional<std::size_t> received;
    std::size_t messages = 0;
    const std::size_t end = after == nullptr ? items_.size() : after->first;
    for (std::size_t i = before == nullptr ? 0 : before->last + 1; i < end; ++i) {
      const AscendSign sign = items_[i].sign;
      if (!is_point_to_point(sign)) continue;
      ++messages;
      if (sign != AscendSign::Receive && !sent) sent = i;
      if (sign != AscendSign::Send) received = i;
    }
    const bool wants_send = before != nullptr && sends(*before);
    const bool wants_receive = after != nullptr && receives(*after);
    if (!wants_send) sent.reset();
    if (!wants_receive) received.reset();
    add_transfer(sent, before, TraceKind::SendForward, TraceKind::SendBackward);
    add_transfer(received, after, TraceKind::ReceiveForward, TraceKind::ReceiveBackward);
    const std::size_t used = (sent ? 1 : 0) + (received && received != sent ? 1 : 0);
    result_.unused_messages += messages - used;
    result_.missing_messages += (wants_send && !sent ? 1 : 0) + (wants_receive && !received ? 1 : 0);
  }

  void add_transfer(std::optional<std::size_t> item, const AscendPass* pass, TraceKind forward,
                    TraceKind backward) {
    if (item) result_.transfers.push_back({pass->forward ? forward : backward, pass->microbatch, *item});
  }

  Items items_;
  bool first_stage_;
  bool last_stage_;
  std::uint32_t forwards_ = 0;
  std::uint32_t backwards_ = 0;
  AscendPasses result_;
};

}  // namespace

AscendPasses ascend_passes(std::span<const AscendItem> items, bool first_stage, bool last_stage) {
  return Inference(items, first_stage, last_stage).run();
}

}  // namespace spillway
