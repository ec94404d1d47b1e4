#include "input/images/image_list.h"

#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/findings.h"
#include "base/text.h"
#include "base/utf8.h"
#include "input/images/image_archive.h"
#include "input/images/image_files.h"
#include "input/images/refused_lists.h"
#include "json/byte_source.h"

namespace spillway {
namespace {

constexpr std::size_t kLongestList = std::size_t{512} << 20;

// Checkpoints, documents and tables are zip archives, too: only those that are named so may have images.
bool is_zip_name(const std::filesystem::path& path) {
  return lower(path.extension().string()) == ".zip";
}

void add_file(const std::string& path, ImageFiles& files, Findings& findings) {
  ByteSource source(path);
  std::string head = source.read(kTarBlock);
  if (is_tar_header(head)) return read_tar(source, std::move(head), path + '/', files, findings);
  if (is_zip_header(head) && is_zip_name(path)) return read_zip(path, path + '/', files, findings);
  const ImageBytes rest([&](std::size_t most) { return source.read(most); },
                        [&](std::uint64_t most) { return source.skip(most); });
  files.add(path, std::move(head), rest, findings);
}

// Links are skipped: they may lead to a parent folder, or to a file that is counted already.
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

FileText refused(const std::string& path, std::string expected, std::string found) {
  return {std::nullopt, {{path, "/", std::move(expected), std::move(found)}}};
}

// Returns the table of a folder or an archive.
FileText table_of(ImageFiles& files, Findings& findings) {
  files.take_last();
  const std::vector<std::string> remarks = files.remarks();
  const std::string table = files.table();
  if (table.empty() && findings.empty()) {
    std::string found = "none" + (remarks.empty() ? "" : "; " + remarks.front());
    if (files.has_parquet()) found += "; of a Parquet file, " + std::string(kInsteadOfParquet);
    findings.add("", "images (PNG, JPEG, GIF, WebP, BMP, TIFF)", std::move(found));
  }
  if (!findings.empty()) return {std::nullopt, findings.all()};
  FileText text{table};
  text.remarks = remarks;
  return text;
}

std::string hex_byte(char byte) {
  constexpr std::string_view digits = "0123456789abcdef";
  const auto value = static_cast<unsigned char>(byte);
  return {'0', 'x', digits[value >> 4], digits[value & 15]};
}

FileText list_text(ByteSource& file, std::string text) {
  const std::string& path = file.path();
  if (const auto format = refused_format(text)) return refused(path, "a list of image sizes", *format);
  text += file.read(kLongestList + 1 - text.size());
  if (text.size() > kLongestList)
    return refused(path, "at most " + std::to_string(kLongestList >> 20) + " MiB", "more");
  if (const auto format = refused_format(text)) return refused(path, "a list of image sizes", *format);
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
  if (is_tar_header(head))
    read_tar(file, std::move(head), "", files, findings);
  else if (is_zip_header(head))
    read_zip(path, "", files, findings);
  else
    return list_text(file, std::move(head));
  return table_of(files, findings);
}

}  // namespace

FileText load_image_list(const std::string& path) try {
  return opened_list(path);
} catch (const InputError& refusal) {
  return {std::nullopt, refusal.violations(), is_missing(path)};
}

}  // namespace spillway
