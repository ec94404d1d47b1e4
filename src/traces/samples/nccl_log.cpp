#include "traces/samples/nccl_log.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "base/number.h"
#include "traces/files/line_source.h"

namespace spillway {
namespace {

using LogWords = std::vector<std::string_view>;

void split_log_words(std::string_view line, LogWords& words) {
  words.clear();
  for (std::size_t begin; (begin = line.find_first_not_of(" \t")) != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(" \t", begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    line.remove_prefix(end);
  }
}

bool is_log_number(std::string_view word) {
  return number_from<double>(word).has_value();
}

// A number, or what stands for a result that was not checked.
bool is_log_field(std::string_view word) {
  return is_log_number(word) || word == "N/A";
}

struct ElementType {
  std::string_view name;
  double bytes;
};
constexpr std::array kElementTypes = {
    ElementType{"int8", 1},     ElementType{"char", 1},   ElementType{"uint8", 1},
    ElementType{"f8e4m3", 1},   ElementType{"f8e5m2", 1}, ElementType{"fp8_e4m3", 1},
    ElementType{"fp8_e5m2", 1}, ElementType{"half", 2},   ElementType{"bfloat16", 2},
    ElementType{"int32", 4},    ElementType{"int", 4},    ElementType{"uint32", 4},
    ElementType{"float", 4},    ElementType{"int64", 8},  ElementType{"uint64", 8},
    ElementType{"double", 8}};

// Returns "all_gather_perf" of "./build/all_gather_perf_mpi", and nothing for a word that is no program.
std::string_view program_in(std::string_view word) {
  constexpr std::string_view ending = "_perf";
  const std::size_t end = word.rfind(ending);
  if (end == std::string_view::npos) return {};
  const std::string_view after = word.substr(end + ending.size());
  if (!after.empty() && after != "_mpi" && after.find_first_not_of("\"',:;") != after.npos) return {};
  const std::string_view program = word.substr(0, end + ending.size());
  return program.substr(program.find_last_of("/\"'=") + 1);
}

// The columns from the size on. Of two times, the first is used, which is out of place.
struct LogColumns {
  std::size_t count, type, redop, time, algbw, busbw, wrong, fields;

  bool has(std::size_t column) const { return column < fields; }
  // A row with so many fields has all that is used.
  std::size_t used() const { return std::max({time, algbw, busbw, has(wrong) ? wrong : 0}) + 1; }
};

std::optional<LogColumns> log_columns(const LogWords& words) {
  const auto begin = std::find_if(words.begin(), words.end(),
                                  [](std::string_view word) { return word == "size" || word == "bytes"; });
  const auto at = [&](std::string_view name) {
    return static_cast<std::size_t>(std::find(begin, words.end(), name) - begin);
  };
  const LogColumns columns{std::min(at("count"), at("N")),
                           at("type"),
                           std::min(at("redop"), at("op")),
                           std::min(at("time"), at("cputime")),
                           at("algbw"),
                           at("busbw"),
                           std::min({at("#wrong"), at("error"), at("res")}),
                           static_cast<std::size_t>(words.end() - begin)};
  for (const std::size_t column : {columns.type, columns.time, columns.algbw, columns.busbw})
    if (!columns.has(column)) return std::nullopt;
  return columns;
}

class LogReader {
 public:
  LogReader(const std::string& path, Findings& refused) : refused_(&refused) {
    LineSource lines(path);
    while (const auto line = lines.next()) read(*line, lines.number());
    close();
  }

  std::vector<NcclTest> take() && { return std::move(tests_); }

 private:
  void read(std::string_view whole, std::size_t number) {
    const std::string_view line = without_inner_labels(whole);
    split_log_words(line, words_);
    if (words_.empty()) return;
    if (const auto columns = log_columns(words_)) {
      columns_ = columns;
      test_.heading = true;
      test_.times_of_host = std::ranges::find(words_, "cputime") != words_.end();
    } else if (!read_row(number)) {
      read_remark(line, number);
    }
  }

  // "[0]   8192   float[0]   75.38": MPICH labels each text that a process prints, and a row is printed in
  // three.
  std::string_view without_inner_labels(std::string_view line) {
    const std::size_t end = line.starts_with('[') ? line.find_first_not_of("0123456789", 1) : line.npos;
    if (end == line.npos || end == 1 || line[end] != ']') return line;
    const std::string label(line.substr(0, end + 1));
    text_ = line;
    for (std::size_t at = 0; (at = text_.find(label, at)) != std::string::npos; at += label.size())
      text_.replace(at, label.size(), label.size(), ' ');
    return text_;
  }

  // A row is where two numbers and a type stand as the columns do. Returns true if the line is one, or the
  // rest of one.
  bool read_row(std::size_t number) {
    if (!columns_) return false;
    const std::size_t type = columns_->type;
    for (std::size_t i = 0; i + type < words_.size(); ++i) {
      if (!is_log_number(words_[i]) || !is_log_number(words_[i + 1]) || bytes_of_type(words_[i + type]) == 0)
        continue;
      finish_row();
      begin_row(i, number);
      return true;
    }
    const bool numbers = std::ranges::all_of(words_, is_log_field);
    if (numbers && row_.empty()) ++test_.broken;
    if (!numbers || row_.empty()) return numbers;
    row_.insert(row_.end(), words_.begin(), words_.end());
    if (row_.size() >= columns_->fields) finish_row();
    return true;
  }

  // Up to the first word that is no field: what the library logs may break a row.
  void begin_row(std::size_t first, std::size_t number) {
    row_.assign(words_.begin() + static_cast<std::ptrdiff_t>(first), words_.end());
    row_line_ = number;
    const std::size_t op = columns_->redop;
    // Programs before NCCL 2.10 left the operation of an all-to-all blank.
    if (columns_->has(op) && op < row_.size() && is_log_field(row_[op]))
      row_.insert(row_.begin() + static_cast<std::ptrdiff_t>(op), "none");
    const std::size_t texts = 1 + (columns_->has(op) ? std::max(op, columns_->type) : columns_->type);
    const auto behind = row_.begin() + static_cast<std::ptrdiff_t>(std::min(texts, row_.size()));
    row_.erase(std::find_if_not(behind, row_.end(), is_log_field), row_.end());
    if (row_.size() >= columns_->fields) finish_row();
  }

  void finish_row() {
    if (!row_.empty()) add_row(std::exchange(row_, {}));
  }

  void add_row(const std::vector<std::string>& row) {
    if (row.size() < columns_->used()) {
      ++test_.broken;
      return;
    }
    const auto field = [&](std::size_t column) { return number_from<double>(row[column]); };
    if (columns_->has(columns_->wrong) && field(columns_->wrong).value_or(0) >= 1) {
      ++test_.wrong;
      return;
    }
    const auto size = field(0), time = field(columns_->time), algbw = field(columns_->algbw),
               busbw = field(columns_->busbw);
    if (!time || !algbw || !busbw)
      return refused_->add("line " + std::to_string(row_line_), "numbers for size, time, algbw and busbw",
                           "other text");
    const double elements = columns_->has(columns_->count) ? field(columns_->count).value_or(0) : 0;
    if (*size == 0)
      ++test_.empty;
    else
      test_.rows.push_back(
          {row_line_, *size, *time, *algbw, *busbw, elements * bytes_of_type(row[columns_->type])});
  }

  void read_remark(std::string_view line, std::size_t number) {
    if (line.find("test concluded:") != line.npos) return;
    const std::size_t starting = line.find("Collective test starting:");
    std::string_view program;
    for (const std::string_view word : words_)
      if (program.empty()) program = program_in(word);
    const bool banner = std::ranges::find(words_, "nThread") != words_.end();
    if (starting != line.npos || !program.empty() || banner) begin_test(number);
    if (!program.empty()) test_.program = program;
    if (read_rank() || read_old_device()) return;
    if (starting != line.npos) return test_.header.read_comment(line.substr(starting));
    if (const std::size_t remark = line.find('#'); remark != line.npos)
      test_.header.read_comment(line.substr(remark + 1));
  }

  void begin_test(std::size_t number) {
    if (!test_.rows.empty()) close();
    if (test_.line == 0) test_.line = number;
  }

  // Programs that print no row failed, or are of the command that printed the next ones.
  void close() {
    finish_row();
    if (test_.rows.empty() && !tests_.empty()) return;
    tests_.push_back(std::exchange(test_, {}));
    columns_ = {};
  }

  // Reads "Rank 0 Group 0 Pid 2989375 on host device 0 [...]". Older programs print no group.
  bool read_rank() {
    constexpr std::uint32_t most = 1'000'000;
    const auto word = std::ranges::find(words_, "Rank");
    const auto on = std::find(word, words_.end(), "on");
    if (words_.end() - on < 3 || on[2] != "device") return false;
    const auto rank = number_from<std::uint32_t>(word[1]);
    if (!rank || *rank > most) return false;
    if (!test_.ranks.insert(*rank).second) test_.repeats_ranks = true;
    ++test_.hosts[std::string(on[1])];
    return true;
  }

  // Reads NCCL 1's "Device  0 ->  0 [0x0a] GeForce", all of one process.
  bool read_old_device() {
    const auto word = std::ranges::find(words_, "Device");
    if (words_.end() - word < 4 || word[2] != "->") return false;
    if (const auto device = number_from<std::uint32_t>(word[1]); device && test_.ranks.insert(*device).second)
      ++test_.hosts["its host"];
    return true;
  }

  Findings* refused_;
  std::vector<NcclTest> tests_ = {};
  NcclTest test_ = {};
  std::optional<LogColumns> columns_ = {};
  LogWords words_ = {};
  std::string text_ = {};              // of a line without labels
  std::vector<std::string> row_ = {};  // one that is not whole yet
  std::size_t row_line_ = 0;
};

}  // namespace

double bytes_of_type(std::string_view word) {
  const auto* type = std::ranges::find(kElementTypes, word, &ElementType::name);
  return type == kElementTypes.end() ? 0 : type->bytes;
}

std::vector<NcclTest> read_nccl_log(const std::string& path, Findings& refused) {
  return LogReader(path, refused).take();
}

}  // namespace spillway
