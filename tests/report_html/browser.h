// Chromium without a window, driven through its DevTools protocol over a pipe: no driver, no port, no
// library. Protocol: "Chrome DevTools Protocol", domains Target, Page, Runtime, Network, Input, Emulation;
// messages end with a 0 byte.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace spillway::testing {

class Browser {
 public:
  // Returns true if this machine has Chromium.
  static bool is_there();

  // `folder` is for the profile.
  explicit Browser(const std::filesystem::path& folder);
  ~Browser();
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  // Loads the file and waits until it has drawn itself.
  void open(const std::filesystem::path& file);
  void resize(int width, int height);
  void prefer(const std::string& colour_scheme);  // "light", "dark"

  // Returns the value of a JavaScript expression; throws if the expression throws.
  nlohmann::json value(const std::string& expression);
  // Polls until the expression is true, for ten seconds; returns false if it does not become so.
  bool becomes(const std::string& expression);

  void press(const std::string& key,
             int modifiers = 0);  // "ArrowRight", "+"; modifiers: 1 Alt, 2 Ctrl, 8 Shift
  void move(double x, double y);
  void drag(double x, double y, double by, double down = 0, int modifiers = 0);
  void turn_wheel(double x, double y, double down, int modifiers = 0);

  void screenshot(const std::filesystem::path& png);  // of the whole page

  // Returns the page's complaints: exceptions, console.error and similar calls, blocked loads.
  std::vector<std::string> complaints() const;
  // Returns the requests of the pages other than the files that were opened.
  std::vector<std::string> requests() const;

 private:
  nlohmann::json call(const std::string& method, nlohmann::json parameters = nlohmann::json::object());
  nlohmann::json read();
  void mouse(const std::string& type, double x, double y, nlohmann::json more = {});

  std::filesystem::path profile_;
  pid_t process_ = 0;
  int to_ = -1, from_ = -1;
  int last_ = 0;
  std::string session_, unread_;
  std::vector<std::string> files_;  // opened
  std::vector<nlohmann::json> events_;
};

}  // namespace spillway::testing
