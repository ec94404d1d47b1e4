#include "program/action_fields.h"

#include <algorithm>

#include "json/node.h"

namespace spillway {

void ActionFields::begin() {
  for (ActionValue& value : values_) {
    value.kind = JsonKind::Absent;
    value.text.clear();
  }
  depth_ = 1;
  current_ = nullptr;
  present_ = repeated_ = 0;
  unknown_.clear();
}

void ActionFields::key(std::string_view name) {
  if (depth_ > 1) return;
  current_ = nullptr;
  const auto known = std::ranges::find(kActionKeys, name);
  if (known == kActionKeys.end()) {
    unknown_.emplace_back(name);
    return;
  }
  const auto index = static_cast<std::size_t>(known - kActionKeys.begin());
  const ActionKeySet bit = ActionKeySet{1} << index;
  if (present_ & bit)
    repeated_ |= bit;
  else
    current_ = &values_[index];
  present_ |= bit;
}

void ActionFields::scalar(JsonKind kind, std::string_view text) {
  if (!current_) return;
  if (depth_ == 1) {
    current_->kind = kind;
    current_->text = text;
  } else if (depth_ == 2 && current_->kind == JsonKind::Array) {
    (current_->text += ' ') += text;
  }
}

void ActionFields::open(JsonKind kind) {
  if (current_ && depth_ == 1) current_->kind = kind;
  if (current_ && depth_ > 1) current_->text += " nested";
  ++depth_;
}

std::string ActionFields::described(const ActionValue& value) {
  switch (value.kind) {
    case JsonKind::Absent:
      return "nothing";
    case JsonKind::Text:
      return describe({value.text});
    case JsonKind::Array:
      return "a list of " + std::to_string(std::ranges::count(value.text, ' '));
    case JsonKind::Dictionary:
      return "an object";
    default:
      return value.text;
  }
}

}  // namespace spillway
