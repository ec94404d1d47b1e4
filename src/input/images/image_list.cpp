#include "input/images/image_list.h"

#include <filesystem>
#include <string_view>
#include <utility>

#include "base/files.h"
#include "base/findings.h"
#include "base/utf8.h"
#include "input/images/image_archive.h"
#include "input/images/image_files.h"
#include "input/images/image_header.h"
#include "json/byte_source.h"

namespace spillway {
namespace {

constexpr std::size_t kLongestList = std::size_t{512} << 20;

void add_file(const std::string& path, ImageFiles& files, Findings& findings) {
  ByteSource source(path);
  std::string head = source.read(kTarBlock);
  if (is_tar_header(head))
    read_image_archive(source, std::move(head), path + '/', files, findings);
  else
    files.add(
        path, std::move(head), [&](std::size_t most) { return source.read(most); }, findings);
}

// A link may lead to where it lies, or to a file that is here already.
void add_folder(const std::filesystem::path& folder, ImageFiles& files, Findings& findings) {
  for (const std::filesystem::path& entry : entries_of(folder)) {
    if (is_link(entry))
      files.pass_over("link");
    else if (is_folder(entry))
      add_folder(entry, files, findings);
    else if (is_special(entry))
      files.pass_over("special file");
    else
      add_file(entry.string(), files, findings);
  }
}

// What the first bytes say of formats that are not read.
const char* refused_format(std::string_view text) {
  if (text.starts_with("PAR1"))
    return "a Parquet file, which cannot be read: write its width and height columns as CSV";
  if (text.starts_with("ARROW1"))
    return "an Arrow file, which cannot be read: write its width and height columns as CSV";
  if (text.starts_with("PK\x03\x04")) return "a zip archive: unpack it and give the folder";
  if (text.starts_with("SQLite format 3")) return "a database: write its width and height columns as CSV";
  if (text.find('\0') != std::string_view::npos && image_size(text))
    return "one image: give the folder that contains it";
  return nullptr;
}

FileText refused(const std::string& path, std::string expected, std::string found) {
  return {std::nullopt, {{path, "/", std::move(expected), std::move(found)}}};
}

// Of a folder or an archive.
FileText table_of(const ImageFiles& files, Findings& findings) {
  const std::string remark = files.remark(), table = files.table();
  if (table.empty() && findings.empty())
    findings.add("", "images (PNG, JPEG, GIF, WebP, BMP)", "none" + (remark.empty() ? "" : "; " + remark));
  if (!findings.empty()) return {std::nullopt, findings.all()};
  FileText text{table};
  for (const std::string& said : {remark, files.joined_remark()})
    if (!said.empty()) text.remarks.push_back(said);
  return text;
}

std::string hex_byte(char byte) {
  constexpr std::string_view digits = "0123456789abcdef";
  const auto value = static_cast<unsigned char>(byte);
  return {'0', 'x', digits[value >> 4], digits[value & 15]};
}

FileText list_text(ByteSource& file, std::string text) {
  const std::string& path = file.path();
  text += file.read(kLongestList + 1 - text.size());
  if (text.size() > kLongestList)
    return refused(path, "at most " + std::to_string(kLongestList >> 20) + " MiB", "more");
  if (const char* format = refused_format(text)) return refused(path, "a list of image sizes", format);
  if (const auto at = first_invalid_utf8(text)) {
    Findings findings(path);
    findings.add("byte " + std::to_string(*at + 1), "UTF-8 text", "the byte " + hex_byte(text[*at]));
    return {std::nullopt, findings.all()};
  }
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  return {std::move(text)};
}

FileText opened_list(const std::string& path) {
  Findings findings(path);
  ImageFiles files;
  if (is_folder(path)) {
    add_folder(path, files, findings);
    return table_of(files, findings);
  }
  ByteSource file(path);
  std::string head = file.read(kTarBlock);
  if (!is_tar_header(head)) return list_text(file, std::move(head));
  read_image_archive(file, std::move(head), "", files, findings);
  return table_of(files, findings);
}

}  // namespace

FileText load_image_list(const std::string& path) try {
  return opened_list(path);
} catch (const InputError& refusal) {
  return {std::nullopt, refusal.violations(), is_missing(path)};
}

}  // namespace spillway
