#include "report/inputs/export_text.h"

#include "base/printable.h"
#include "base/text.h"
#include "json/document.h"
#include "launch/command/json_members.h"
#include "words/wording.h"

namespace spillway {
namespace {

constexpr std::size_t kExportColumns = 120;

std::string files_text(const WrittenLaunch& launch) {
  std::string text;
  for (const std::string& remark : launch.remarks) text += "# note: " + printable(remark) + '\n';
  for (const LaunchFile& file : launch.files) {
    if (launch.files.size() > 1) text += (text.empty() ? "" : "\n") + ("==> " + file.name + " <==\n");
    text += file.text;
  }
  return text;
}

std::string launch_line(const ExportedLaunch& one) {
  const LaunchWriter& writer = launch_writer(one.framework);
  const std::string name(writer.name);
  const std::string heading = "  " + name + padding(name, 16);
  if (const auto* reasons = std::get_if<LaunchReasons>(&one.answer))
    return wrapped(heading, "no: " + joined(*reasons, "; "), kExportColumns);
  return wrapped(heading, std::get<WrittenLaunch>(one.answer).arguments, kExportColumns);
}

}  // namespace

std::string export_text(const std::vector<ExportedLaunch>& launches,
                        const std::vector<std::string>& instead) {
  if (launches.size() == 1)
    if (const auto* launch = std::get_if<WrittenLaunch>(&launches.front().answer)) return files_text(*launch);
  std::string text;
  for (const ExportedLaunch& one : launches) text += launch_line(one);
  if (!instead.empty()) text += "a framework has a launch of --schedule " + joined(instead, ", ") + '\n';
  return text;
}

std::string export_json(const std::string& experiment, const std::string& schedule,
                        const std::vector<ExportedLaunch>& launches,
                        const std::vector<std::string>& instead) {
  Object document;
  add_member(document, "schema", "spillway/launches/1");
  add_member(document, "experiment", experiment);
  add_member(document, "schedule", schedule);
  List list;
  for (const ExportedLaunch& one : launches) {
    Object entry;
    add_member(entry, "name", launch_writer(one.framework).name);
    const auto* written = std::get_if<WrittenLaunch>(&one.answer);
    add_member(entry, "launch", written ? launch_document(one.framework, *written) : Node{nullptr});
    add_member(entry, "reasons", list_node(written ? LaunchReasons{} : std::get<LaunchReasons>(one.answer)));
    list.push_back(Node{std::move(entry)});
  }
  add_member(document, "launches", Node{std::move(list)});
  add_member(document, "instead", list_node(instead));
  return json_text({std::move(document)});
}

}  // namespace spillway
