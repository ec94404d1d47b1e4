#include "report_html/browser.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <system_error>
#include <thread>

namespace spillway::testing {
namespace {

using Json = nlohmann::json;

constexpr int kPatience = 120'000;  // ms to wait for an answer, on a machine with other things to do

// A pipe whose ends lie above the descriptors that Chromium reads (3) and writes (4).
struct Pipe {
  int read, write;
  Pipe() {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    read = fcntl(ends[0], F_DUPFD_CLOEXEC, 10);
    write = fcntl(ends[1], F_DUPFD_CLOEXEC, 10);
    close(ends[0]);
    close(ends[1]);
  }
};

pid_t started(std::vector<std::string> words, int reads, int writes) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, reads, 3);
  posix_spawn_file_actions_adddup2(&actions, writes, 4);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t alone;  // a process group of its own, so that its children end with it
  posix_spawnattr_init(&alone);
  posix_spawnattr_setflags(&alone, POSIX_SPAWN_SETPGROUP);
  pid_t process = 0;
  const int failed = posix_spawnp(&process, arguments[0], &actions, &alone, arguments.data(), environ);
  posix_spawnattr_destroy(&alone);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::runtime_error("Chromium does not start");
  return process;
}

// Returns Chromium's name on this machine, or "". The one without a window starts in half the time.
const std::string& program() {
  static const std::string found = [] {
    for (const std::string name : {"chromium-headless-shell", "chromium"})
      if (std::system(("command -v " + name + " >/dev/null").c_str()) == 0) return name;
    return std::string();
  }();
  return found;
}

std::string decoded(const std::string& base64) {
  std::string bytes;
  unsigned group = 0, bits = 0;
  for (const char c : base64) {
    const std::size_t digit =
        std::string("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/").find(c);
    if (digit == std::string::npos) break;
    group = group << 6 | static_cast<unsigned>(digit);
    if ((bits += 6) >= 8) bytes += static_cast<char>(group >> (bits -= 8) & 255U);
  }
  return bytes;
}

}  // namespace

bool Browser::is_there() {
  return !program().empty();
}

Browser::Browser(const std::filesystem::path& folder) : profile_(folder / "profile") {
  const Pipe commands, answers;
  // Chromium has no sandbox as root, nor in a container. One process starts in half the time of several.
  process_ = started({program(), "--headless=new", "--single-process", "--no-zygote", "--no-sandbox",
                      "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                      "--user-data-dir=" + profile_.string(), "--remote-debugging-pipe", "about:blank"},
                     commands.read, answers.write);
  close(commands.read);
  close(answers.write);
  to_ = commands.write;
  from_ = answers.read;
  const Json target = call("Target.createTarget", {{"url", "about:blank"}});
  const Json attached = call("Target.attachToTarget", {{"targetId", target["targetId"]}, {"flatten", true}});
  session_ = attached["sessionId"];
  for (const char* domain : {"Page", "Runtime", "Log", "Network"}) call(domain + std::string(".enable"));
  resize(1280, 900);
}

Browser::~Browser() {
  close(to_);
  close(from_);
  kill(-process_, SIGKILL);
  waitpid(process_, nullptr, 0);
  // The processes that it started may still be ending, and writing.
  std::error_code left;
  for (int tries = 0; tries < 100; ++tries) {
    std::filesystem::remove_all(profile_, left);
    if (!left && !std::filesystem::exists(profile_, left)) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
}

Json Browser::read() {
  std::size_t end;
  while ((end = unread_.find('\0')) == std::string::npos) {
    pollfd readable{from_, POLLIN, 0};
    char bytes[1 << 16];
    if (poll(&readable, 1, kPatience) != 1) throw std::runtime_error("Chromium does not answer");
    const ssize_t count = ::read(from_, bytes, sizeof bytes);
    if (count <= 0) throw std::runtime_error("Chromium has ended");
    unread_.append(bytes, static_cast<std::size_t>(count));
  }
  Json message = Json::parse(unread_.substr(0, end));
  unread_.erase(0, end + 1);
  return message;
}

Json Browser::call(const std::string& method, Json parameters) {
  Json message = {{"id", ++last_}, {"method", method}, {"params", std::move(parameters)}};
  if (!session_.empty()) message["sessionId"] = session_;
  const std::string text = message.dump() + '\0';
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t count = write(to_, text.data() + sent, text.size() - sent);
    if (count <= 0) throw std::runtime_error("Chromium has ended");
    sent += static_cast<std::size_t>(count);
  }
  while (true) {
    Json answer = read();
    if (answer.value("id", 0) != last_) {
      events_.push_back(std::move(answer));
      continue;
    }
    if (answer.contains("error")) throw std::runtime_error(method + ": " + answer["error"].dump());
    return answer["result"];
  }
}

void Browser::open(const std::filesystem::path& file) {
  files_.push_back("file://" + file.string());
  call("Page.navigate", {{"url", files_.back()}});
  if (!becomes("performance.getEntriesByName('spillway-drawn').length > 0"))
    throw std::runtime_error("the page does not draw itself");
}

void Browser::resize(int width, int height) {
  call("Emulation.setDeviceMetricsOverride",
       {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", false}});
}

void Browser::prefer(const std::string& colour_scheme) {
  call("Emulation.setEmulatedMedia",
       {{"features", {{{"name", "prefers-color-scheme"}, {"value", colour_scheme}}}}});
}

Json Browser::value(const std::string& expression) {
  const Json answer =
      call("Runtime.evaluate", {{"expression", expression}, {"awaitPromise", true}, {"returnByValue", true}});
  if (answer.contains("exceptionDetails")) throw std::runtime_error(answer["exceptionDetails"].dump());
  return answer["result"].value("value", Json());
}

bool Browser::becomes(const std::string& expression) {
  for (int tries = 0; tries < 200; ++tries) {
    if (value(expression) == true) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

void Browser::press(const std::string& key, int modifiers) {
  const std::string text = key.size() == 1 ? key : "";
  call("Input.dispatchKeyEvent",
       {{"type", "keyDown"}, {"key", key}, {"text", text}, {"modifiers", modifiers}});
  call("Input.dispatchKeyEvent", {{"type", "keyUp"}, {"key", key}, {"modifiers", modifiers}});
}

void Browser::mouse(const std::string& type, double x, double y, Json more) {
  Json parameters = {{"type", type}, {"x", x}, {"y", y}};
  if (more.is_object()) parameters.update(more);
  call("Input.dispatchMouseEvent", parameters);
}

void Browser::move(double x, double y) {
  mouse("mouseMoved", x, y);
}

void Browser::drag(double x, double y, double by, double down, int modifiers) {
  const Json held = {{"button", "left"}, {"buttons", 1}, {"clickCount", 1}, {"modifiers", modifiers}};
  mouse("mousePressed", x, y, held);
  mouse("mouseMoved", x + by / 2, y + down / 2, held);
  mouse("mouseMoved", x + by, y + down, held);
  mouse("mouseReleased", x + by, y + down, {{"button", "left"}, {"clickCount", 1}, {"modifiers", modifiers}});
}

void Browser::turn_wheel(double x, double y, double down, int modifiers) {
  mouse("mouseWheel", x, y, {{"deltaX", 0}, {"deltaY", down}, {"modifiers", modifiers}});
}

void Browser::screenshot(const std::filesystem::path& png) {
  const Json picture = call("Page.captureScreenshot", {{"captureBeyondViewport", true}});
  std::filesystem::create_directories(png.parent_path());
  std::ofstream(png, std::ios::binary) << decoded(picture.at("data"));
}

std::vector<std::string> Browser::complaints() const {
  std::vector<std::string> all;
  for (const Json& event : events_) {
    const std::string method = event.value("method", "");
    const bool logged = method == "Runtime.consoleAPICalled" || method == "Log.entryAdded";
    if (logged || method == "Runtime.exceptionThrown") all.push_back(event["params"].dump());
  }
  return all;
}

std::vector<std::string> Browser::requests() const {
  std::vector<std::string> all;
  for (const Json& event : events_)
    if (event.value("method", "") == "Network.requestWillBeSent")
      if (const std::string url = event["params"]["request"]["url"];
          std::find(files_.begin(), files_.end(), url) == files_.end())
        all.push_back(url);
  return all;
}

}  // namespace spillway::testing
