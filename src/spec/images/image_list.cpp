#include "spec/images/image_list.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <string_view>
#include <utility>

#include "base/files.h"
#include "base/findings.h"
#include "base/utf8.h"
#include "spec/images/image_header.h"

namespace spillway {
namespace {

constexpr std::size_t kLongestList = std::size_t{512} << 20;
constexpr std::size_t kBlock = 512;  // of a tar archive (POSIX.1-2001, pax, ustar)

// zlib reads plain files as they are.
class PackedFile {
 public:
  explicit PackedFile(const std::string& path) : handle_(gzopen(path.c_str(), "rb")) {}
  ~PackedFile() {
    if (handle_) gzclose(handle_);
  }
  PackedFile(const PackedFile&) = delete;
  PackedFile& operator=(const PackedFile&) = delete;

  bool is_open() const { return handle_ != nullptr; }

  // Up to so many bytes more: fewer at the end alone.
  std::string read(std::size_t most) {
    std::string bytes;
    std::array<char, 1 << 16> block;
    while (bytes.size() < most) {
      const int count =
          gzread(handle_, block.data(), static_cast<unsigned>(std::min(block.size(), most - bytes.size())));
      if (count <= 0) break;
      bytes.append(block.data(), static_cast<std::size_t>(count));
    }
    return bytes;
  }

  void skip(std::uint64_t bytes) { gzseek(handle_, static_cast<z_off_t>(bytes), SEEK_CUR); }

  // Why the file cannot be read on; empty where it can, or is at its end.
  std::string broken() const {
    int error = Z_OK;
    const char* message = gzerror(handle_, &error);
    if (error == Z_BUF_ERROR) return "one that ends in the middle";
    return error == Z_OK || error == Z_STREAM_END ? "" : message;
  }

 private:
  gzFile handle_;
};

struct Sizes {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> counts = {};
  std::uint64_t others = 0;  // files that are no images

  void add(std::string_view name, std::string_view head, Findings& findings) {
    const auto size = image_size(head);
    if (size)
      ++counts[{size->width, size->height}];
    else if (is_image_name(name))
      findings.add(std::string(name), "a PNG, JPEG, GIF, WebP or BMP file with its size", "something else");
    else
      ++others;
  }

  std::string table() const {
    std::string text = "width,height,count\n";
    for (const auto& [size, count] : counts)
      text +=
          std::to_string(size.first) + ',' + std::to_string(size.second) + ',' + std::to_string(count) + '\n';
    return text;
  }
};

bool is_tar_header(std::string_view block) {
  return block.size() == kBlock && block.substr(257, 5) == "ustar";
}

// Octal digits, or, from 8 GiB on, the big-endian bytes behind a first of 0x80.
std::uint64_t tar_size(std::string_view block) {
  const std::string_view field = block.substr(124, 12);
  std::uint64_t size = 0;
  if (static_cast<unsigned char>(field[0]) == 0x80) {
    for (const char c : field.substr(4)) size = size << 8 | static_cast<unsigned char>(c);
    return size;
  }
  for (const char c : field)
    if (c >= '0' && c <= '7') size = size * 8 + static_cast<std::uint64_t>(c - '0');
  return size;
}

// Headers one after another, each with its file in whole blocks behind it.
void add_archive(PackedFile& file, std::string header, Sizes& sizes, Findings& findings) {
  for (; is_tar_header(header); header = file.read(kBlock)) {
    const std::uint64_t size = tar_size(header), padded = (size + kBlock - 1) / kBlock * kBlock;
    const bool plain = header[156] == '0' || header[156] == '\0';
    const std::string head = plain ? file.read(std::min<std::uint64_t>(size, kHeaderBytes)) : "";
    const std::string name(header.c_str(), strnlen(header.c_str(), 100));
    if (plain) sizes.add(name, head, findings);
    file.skip(padded - head.size());
  }
}

void add_folder(const std::filesystem::path& folder, Sizes& sizes, Findings& findings) {
  for (const std::filesystem::path& entry : entries_of(folder)) {
    if (is_folder(entry)) {
      add_folder(entry, sizes, findings);
      continue;
    }
    PackedFile file(entry.string());
    if (!is_plain_file(entry) || !file.is_open()) continue;
    std::string head = file.read(kBlock);
    if (is_tar_header(head)) {
      add_archive(file, std::move(head), sizes, findings);
    } else {
      if (is_image_name(entry.string())) head += file.read(kHeaderBytes - kBlock);
      sizes.add(entry.string(), head, findings);
    }
  }
}

// What the first bytes say of formats that are not read.
const char* refused_format(std::string_view text) {
  if (text.starts_with("PAR1"))
    return "Parquet, which no library packaged for Debian 12 reads: write its width and height columns as "
           "CSV";
  if (text.starts_with("ARROW1"))
    return "Arrow, which is not read: write its width and height columns as CSV";
  if (text.starts_with("PK\x03\x04")) return "a zip archive: unpack it, and name the folder";
  if (text.starts_with("SQLite format 3")) return "a database: write its width and height columns as CSV";
  if (text.find('\0') != std::string_view::npos && image_size(text))
    return "one image: name the folder that it is in";
  return nullptr;
}

// Of a folder or archive; `text` is empty where nothing is in it.
FileText table_of(const Sizes& sizes, Findings& findings) {
  if (sizes.counts.empty() && findings.empty())
    findings.add("", "images (PNG, JPEG, GIF, WebP, BMP)",
                 "none among " + std::to_string(sizes.others) + " files");
  if (findings.empty()) return {sizes.table()};
  return {std::nullopt, findings.all()};
}

FileText refused(const std::string& path, std::string expected, std::string found, bool missing = false) {
  return {std::nullopt, {{path, "/", std::move(expected), std::move(found)}}, missing};
}

std::string hex_byte(char byte) {
  constexpr std::string_view digits = "0123456789abcdef";
  const auto value = static_cast<unsigned char>(byte);
  return {'0', 'x', digits[value >> 4], digits[value & 15]};
}

FileText list_text(PackedFile& file, std::string text, const std::string& path) {
  text += file.read(kLongestList + 1 - text.size());
  if (const std::string why = file.broken(); !why.empty()) return refused(path, "a whole gzip file", why);
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

}  // namespace

FileText load_image_list(const std::string& path) {
  Findings findings(path);
  Sizes sizes;
  if (is_folder(path)) {
    add_folder(path, sizes, findings);
    return table_of(sizes, findings);
  }
  errno = 0;
  PackedFile file(path);
  if (!file.is_open())
    return refused(path, "a readable file", std::strerror(errno == 0 ? EIO : errno), errno == ENOENT);
  std::string head = file.read(kBlock);
  if (!is_tar_header(head)) return list_text(file, std::move(head), path);
  add_archive(file, std::move(head), sizes, findings);
  return table_of(sizes, findings);
}

}  // namespace spillway
