#include "derive/listed_encodes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/number.h"
#include "model/model.h"
#include "schedule/action_list.h"
#include "schedule/schedule.h"

namespace spillway {
namespace {

// A pass as the text has it: 0E3.
struct ListedEncode {
  std::uint32_t input;
  bool backward;
  std::uint32_t microbatch;

  ListedEncode forward() const { return {input, false, microbatch}; }
  std::string text() const {
    return std::to_string(input) + (backward ? 'G' : 'E') + std::to_string(microbatch);
  }
  friend auto operator<=>(const ListedEncode&, const ListedEncode&) = default;
};

std::optional<ListedEncode> parse_encode(std::string_view cell) {
  const std::size_t letter = cell.find_first_of("EG");
  if (letter == cell.npos) return std::nullopt;
  const auto input = number_from<std::uint32_t>(cell.substr(0, letter));
  const auto microbatch = number_from<std::uint32_t>(cell.substr(letter + 1));
  if (!input || !microbatch) return std::nullopt;
  return ListedEncode{*input, cell[letter] == 'G', *microbatch};
}

// The cell without blanks and double quotes around it.
std::string_view bare(std::string_view cell) {
  const std::size_t first = cell.find_first_not_of(" \"");
  if (first == cell.npos) return {};
  return cell.substr(first, cell.find_last_not_of(" \"") + 1 - first);
}

class EncodeReader {
 public:
  explicit EncodeReader(const Pipeline& pipeline) : pipeline_(pipeline), placed_(pipeline.ranks) {}

  // Copies a cell, or takes a pass out of it.
  void read(std::string_view cell, std::uint32_t rank, std::size_t slot) {
    const std::optional<ListedEncode> pass = parse_encode(bare(cell));
    if (pass && rank < pipeline_.ranks) return note(*pass, rank, cell_pointer(rank, slot));
    actions_ += cell;
    const auto action = parse_action(bare(cell));
    if (action && action->computes()) ++before_;
  }
  void end_cell(char separator) {
    actions_ += separator;
    if (separator == '\n') before_ = 0;
  }

  std::variant<EncodesApart, std::vector<Violation>> result() {
    std::vector<OwnerMap> owners;
    if (violations_.empty() && !where_.empty()) owners = complete_owners();
    if (!violations_.empty()) return with_unreadable();
    return EncodesApart{std::move(actions_), {std::move(owners), std::move(placed_)}};
  }

 private:
  // A reader says at once everything that is wrong with the text: what is no action, too.
  std::vector<Violation> with_unreadable() {
    auto read = parse_action_lists(actions_);
    auto* all = std::get_if<std::vector<Violation>>(&read);
    if (!all) return std::move(violations_);
    all->insert(all->end(), violations_.begin(), violations_.end());
    return std::move(*all);
  }

  void refuse(const std::string& pointer, std::string expected, std::string found) {
    violations_.push_back({"", pointer, std::move(expected), std::move(found)});
  }

  void note(const ListedEncode& pass, std::uint32_t rank, const std::string& pointer) {
    if (pass.microbatch >= pipeline_.microbatches)
      return refuse(pointer, "a microbatch below " + std::to_string(pipeline_.microbatches), pass.text());
    if (pass.backward) {
      const auto forward = where_.find(pass.forward());
      if (forward == where_.end() || forward->second != rank)
        return refuse(pointer, pass.forward().text() + " before its backward on the same rank", pass.text());
    }
    if (!where_.emplace(pass, rank).second) return refuse(pointer, "each pass once", pass.text() + " again");
    placed_[rank].push_back({before_, MicrobatchId(pass.microbatch), pass.backward, pass.input});
  }

  // Passes are sorted by input, and forwards of an input by microbatch.
  std::vector<OwnerMap> complete_owners() {
    std::vector<OwnerMap> owners;
    for (const auto& [pass, rank] : where_) {
      if (pass.input > owners.size() || (pass.input == owners.size() && pass.backward)) break;
      if (pass.backward) continue;
      if (pass.input == owners.size()) owners.emplace_back();
      if (pass.microbatch == owners.back().size()) owners.back().push_back(RankId(rank));
    }
    for (std::uint32_t input = 0; input <= where_.rbegin()->first.input; ++input) {
      const std::size_t known = input < owners.size() ? owners[input].size() : 0;
      if (known == pipeline_.microbatches) continue;
      refuse("/", "the forward of every microbatch in input " + std::to_string(input),
             "no " + ListedEncode{input, false, static_cast<std::uint32_t>(known)}.text());
      break;
    }
    return owners;
  }

  const Pipeline& pipeline_;
  std::string actions_;
  std::uint32_t before_ = 0;  // computing actions of the row so far
  std::vector<std::vector<PlacedPass>> placed_;
  std::map<ListedEncode, std::uint32_t> where_;  // the rank of each pass
  std::vector<Violation> violations_;
};

// The cells of a row that is not empty.
std::vector<std::string_view> cells_of(std::string_view row) {
  std::vector<std::string_view> cells;
  for (std::size_t begin = 0; begin < row.size();) {
    const std::size_t end = std::min(row.find(',', begin), row.size());
    cells.push_back(row.substr(begin, end - begin));
    begin = end + 1;
  }
  return cells;
}

std::vector<Violation> check_inputs(const std::vector<Region>& regions, std::size_t inputs,
                                    const DeriveOptions& options) {
  if (options.owners.size() != inputs)
    return {{"", "/actions", "passes of the " + std::to_string(inputs) + " transposed inputs of the schedule",
             "passes of " + std::to_string(options.owners.size())}};
  const std::vector<BackwardFootprint> footprints = backward_footprints(regions, inputs);
  for (const auto& rank : options.placed)
    for (const PlacedPass& pass : rank)
      if (pass.backward && !footprints[pass.piece].receives)
        return {{"", "/actions",
                 "no backward of input " + std::to_string(pass.piece) + ", since it is frozen",
                 ListedEncode{pass.piece, true, pass.microbatch.index()}.text()}};
  return {};
}

}  // namespace

std::variant<EncodesApart, std::vector<Violation>> without_encodes(std::string_view text,
                                                                   const Pipeline& pipeline) {
  EncodeReader reader(pipeline);
  std::uint32_t rank = 0;
  std::size_t slot = 0;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find_first_of(",\r\n", begin), text.size());
    reader.read(text.substr(begin, end - begin), rank, slot);
    if (end == text.size()) break;
    reader.end_cell(text[end]);
    if (text[end] == ',') ++slot;
    if (text[end] == '\n') ++rank, slot = 0;
    begin = end + 1;
  }
  return reader.result();
}

std::string with_encodes(std::string_view actions, const StatedEncodes& encodes) {
  std::string all;
  for (const auto& placed : encodes.placed) {
    const std::size_t end = std::min(actions.find('\n'), actions.size());
    std::vector<std::string> row;
    const std::vector<std::string_view> body = cells_of(actions.substr(0, end));
    actions.remove_prefix(std::min(end + 1, actions.size()));
    std::size_t next = 0;
    for (const PlacedPass& pass : placed) {
      for (; next < pass.before; ++next) row.emplace_back(body[next]);
      row.push_back(ListedEncode{pass.piece, pass.backward, pass.microbatch.index()}.text());
    }
    row.insert(row.end(), body.begin() + static_cast<std::ptrdiff_t>(next), body.end());
    for (std::size_t cell = 0; cell < row.size(); ++cell) all += (cell > 0 ? "," : "") + row[cell];
    all += '\n';
  }
  return all;
}

std::vector<Violation> check_encodes(const Model& model, const Schedule& schedule, const Cut& cut,
                                     const DeriveOptions& options) {
  const NormalForm normal = normal_form(model, schedule, cut);
  auto violations = check_inputs(regions_of(model, normal.cut), input_count(normal.schedule), options);
  if (!violations.empty()) return violations;
  if (const auto circle = circle_of(model, schedule, cut, options))
    violations.push_back({"", "/actions", "passes that do not wait for each other", *circle});
  return violations;
}

}  // namespace spillway
