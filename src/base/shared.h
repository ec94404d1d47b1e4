// A copy-on-write value.
#pragma once

#include <memory>
#include <utility>

namespace spillway {

// Reads as a T; a copy costs as much as a copied pointer. Several threads may use separate copies.
template <class T>
class Shared {
 public:
  Shared() : value_(initial()) {}
  Shared(T value) : value_(std::make_shared<T>(std::move(value))) {}

  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }
  operator const T&() const { return *value_; }

  // Compares values; copies that share one value are equal without a comparison.
  friend bool operator==(const Shared& a, const Shared& b) {
    return a.value_ == b.value_ || *a.value_ == *b.value_;
  }

  // Gives this copy its own value, to be changed.
  T& edit() {
    value_ = std::make_shared<T>(*value_);
    return *value_;
  }

 private:
  static const std::shared_ptr<T>& initial() {
    static const auto value = std::make_shared<T>();
    return value;
  }

  std::shared_ptr<T> value_;
};

}  // namespace spillway
