#include "input/images/image_list.h"

#include <archive.h>
#include <archive_entry.h>

#include <exception>
#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>

#include "base/files.h"
#include "base/findings.h"
#include "base/text.h"
#include "base/utf8.h"
#include "input/images/image_files.h"
#include "input/images/image_header.h"
#include "json/byte_source.h"

namespace spillway {
namespace {

inline constexpr std::size_t kTarBlock = 512;  // POSIX.1-2001, pax, ustar

// libarchive reads tar as all writers write it (ustar, pax, GNU; sizes in base 256, sparse files). It checks
// the sums of headers and detects an end in the middle of a file. This file adds two checks. It checks gzip's
// own sums by zlib, since libarchive ignores them. It checks that the archive ends with a block of zeros,
// which is missing if it was cut after a whole file.

// The input of libarchive. No exception may pass through its C code.
class Feed {
 public:
  Feed(ByteSource& source, std::string first) : source_(source), given_(std::move(first)), fresh_(true) {}

  static la_ssize_t read(archive*, void* feed, const void** bytes) {
    return static_cast<Feed*>(feed)->give(bytes);
  }
  static la_int64_t skip(archive*, void* feed, la_int64_t most) {
    return static_cast<Feed*>(feed)->pass_over(most);
  }

  // Returns the bytes given and skipped so far.
  la_int64_t length() const { return length_; }

  // Watches the block that begins at `place`. Contract: `place` is after all skipped bytes.
  void watch(la_int64_t place) {
    watched_at_ = place;
    watched_.clear();
    look();
  }
  // Returns true if the watched block is all zeros, like the end of an archive.
  bool saw_an_end() const {
    return watched_.size() == kTarBlock && watched_.find_first_not_of('\0') == std::string::npos;
  }

  void rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  la_ssize_t give(const void** bytes) try {
    if (!std::exchange(fresh_, false)) given_ = source_.read(std::size_t{1} << 17);
    given_at_ = length_;
    *bytes = given_.data();
    length_ += static_cast<la_int64_t>(given_.size());
    look();
    return static_cast<la_ssize_t>(given_.size());
  } catch (...) {
    thrown_ = std::current_exception();
    return ARCHIVE_FATAL;
  }

  // Keeps the part of the watched block that is in the bytes given last.
  void look() {
    const la_int64_t next = watched_at_ + static_cast<la_int64_t>(watched_.size()) - given_at_;
    if (watched_.size() < kTarBlock && next >= 0 && next < static_cast<la_int64_t>(given_.size()))
      watched_ += given_.substr(static_cast<std::size_t>(next), kTarBlock - watched_.size());
  }

  la_int64_t pass_over(la_int64_t most) {
    const auto passed = static_cast<la_int64_t>(source_.skip(static_cast<std::uint64_t>(most)));
    length_ += passed;
    return passed;
  }

  ByteSource& source_;
  std::string given_;
  bool fresh_;                            // given_ has not been given yet
  la_int64_t length_ = 0, given_at_ = 0;  // given_at_: position at which given_ begins
  la_int64_t watched_at_ = 0;
  std::string watched_ = {};
  std::exception_ptr thrown_ = nullptr;
};

class TarReader {
 public:
  TarReader(ByteSource& source, std::string first) : feed_(source, std::move(first)) {
    archive_read_support_format_tar(tar_.get());
    // Joined archives are read as one, which a remark says. Anything else after the end is damage.
    holds(archive_read_set_options(tar_.get(), "tar:read_concatenated_archives"));
    archive_read_set_read_callback(tar_.get(), &Feed::read);
    archive_read_set_skip_callback(tar_.get(), &Feed::skip);
    archive_read_set_callback_data(tar_.get(), &feed_);
    holds(archive_read_open1(tar_.get()));
  }

  // Returns the next member; null at the end, or if the archive is damaged.
  archive_entry* next() {
    archive_entry* entry = nullptr;
    if (members_ > 0 && !at_fault_) holds(archive_read_data_skip(tar_.get()));
    feed_.watch(archive_filter_bytes(tar_.get(), 0));
    const int status = at_fault_ ? ARCHIVE_FATAL : archive_read_next_header(tar_.get(), &entry);
    is_at_end_ = status == ARCHIVE_EOF;
    if (is_at_end_ || !holds(status)) return nullptr;
    ++members_;
    is_behind_an_end_ = is_behind_an_end_ || (members_ > 1 && feed_.saw_an_end());
    return entry;
  }

  // Returns true if the member is in an archive joined after the end of another.
  bool is_behind_an_end() const { return is_behind_an_end_; }

  // Returns up to `most` further bytes of the member.
  std::string read(std::size_t most) {
    std::string bytes(most, '\0');
    const la_ssize_t got = archive_read_data(tar_.get(), bytes.data(), most);
    bytes.resize(holds(got) ? static_cast<std::size_t>(got) : 0);
    return bytes;
  }

  // Returns the fault of the archive; empty if it was read to its end.
  std::string fault() const {
    feed_.rethrow();
    const std::string behind = " behind " + counted(members_, "member");
    if (at_fault_) {
      const char* why = archive_error_string(tar_.get());
      return (why ? why : "an unknown fault") + behind;
    }
    const bool is_ended =
        feed_.length() - archive_read_header_position(tar_.get()) >= static_cast<la_int64_t>(kTarBlock);
    return is_at_end_ && !is_ended ? "one that ends" + behind + " without the end-of-archive block" : "";
  }

 private:
  struct Free {
    void operator()(archive* tar) const { archive_read_free(tar); }
  };

  // Warnings concern only names and attributes, so they are not faults.
  bool holds(la_ssize_t status) {
    at_fault_ = at_fault_ || (status < 0 && status != ARCHIVE_WARN);
    return !at_fault_;
  }

  Feed feed_;
  std::unique_ptr<archive, Free> tar_{archive_read_new()};
  std::size_t members_ = 0;
  bool at_fault_ = false;
  bool is_behind_an_end_ = false;
  bool is_at_end_ = false;
};

std::string name_of(archive_entry* entry) {
  const char* name = archive_entry_pathname(entry);
  if (!name) name = archive_entry_pathname_utf8(entry);
  return name ? name : "?";
}

// Returns the kind of a member that is not opened, as ImageFiles counts it; empty for a file. Folders are not
// counted.
std::string not_opened(archive_entry* entry) {
  if (archive_entry_hardlink(entry) || archive_entry_filetype(entry) == AE_IFLNK) return "link";
  return archive_entry_filetype(entry) == AE_IFREG ? "" : "special file";
}

// Takes the first block of a file.
bool is_tar_header(std::string_view block) {
  return block.size() == kTarBlock && block.substr(257, 5) == "ustar";
}

// Reads the archive whose first block has been read already. Places of files and faults begin with `prefix`:
// "" or "shard.tar/". An archive that is cut, damaged or without its end is a finding, so its content is no
// list.
void read_image_archive(ByteSource& source, std::string first_block, const std::string& prefix,
                        ImageFiles& files, Findings& findings) {
  source.allow_any_expansion();
  TarReader tar(source, std::move(first_block));
  Findings in_members(findings.file());
  while (archive_entry* entry = tar.next()) {
    if (tar.is_behind_an_end()) files.count_behind_end();
    if (archive_entry_filetype(entry) == AE_IFDIR) continue;
    const std::string kind = not_opened(entry);
    const auto more = [&](std::size_t most) { return tar.read(most); };
    if (kind.empty())
      files.add(prefix + name_of(entry), tar.read(kTarBlock), more, in_members);
    else
      files.pass_over(kind);
  }
  // The member at which an archive breaks is not at fault itself.
  const std::string fault = tar.fault();
  if (fault.empty()) return findings.add(in_members.all());
  findings.add(prefix.substr(0, prefix.empty() ? 0 : prefix.size() - 1), "a whole tar archive", fault);
}

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

// Returns the name of a format that is not read, by its first bytes; null for other texts.
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

// Returns the table of a folder or an archive.
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
