// A value that copies share until one of them is changed.
#pragma once

#include <memory>
#include <utility>

namespace spillway {

// Reads as a T; a copy costs no more than a pointer. For several threads as a T is: a copy to each.
template <class T>
class Shared {
 public:
  Shared() : value_(initial()) {}
  Shared(T value) : value_(std::make_shared<T>(std::move(value))) {}

  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }
  operator const T&() const { return *value_; }

  // By value; copies of one value are told by their address.
  friend bool operator==(const Shared& a, const Shared& b) {
    return a.value_ == b.value_ || *a.value_ == *b.value_;
  }

  // The value of this copy alone, to be changed.
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
