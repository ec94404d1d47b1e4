// Values made once for each key, for several threads.
#pragma once

#include <map>
#include <mutex>
#include <utility>

namespace spillway {

// A value stays where it is as long as this is there. Two threads may both make one, of which the first is
// kept: what is made for a key must not depend on who makes it, nor when.
template <class Key, class Value>
class Remembered {
 public:
  // The value of this key, else `make()`'s.
  template <class Make>
  const Value& of(const Key& key, Make make) {
    {
      const std::lock_guard lock(mutex_);
      if (const auto known = values_.find(key); known != values_.end()) return known->second;
    }
    Value made = make();
    const std::lock_guard lock(mutex_);
    return values_.emplace(key, std::move(made)).first->second;
  }

 private:
  std::mutex mutex_;
  std::map<Key, Value> values_;
};

}  // namespace spillway
