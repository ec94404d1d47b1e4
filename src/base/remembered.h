// A thread-safe cache: one value for each key.
#pragma once

#include <map>
#include <mutex>
#include <utility>

namespace spillway {

// References to values stay valid as long as the cache lives. Two threads may both make a value for one key;
// the first is kept. So the value of a key must not depend on the thread or the time.
template <class Key, class Value>
class Remembered {
 public:
  // Returns the value of this key; calls `make()` if there is none yet.
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
