#include "input/images/image_archive.h"

#include <archive.h>
#include <archive_entry.h>

#include <exception>
#include <memory>
#include <utility>

#include "base/text.h"

namespace spillway {
namespace {

struct FreeArchive {
  void operator()(archive* opened) const { archive_read_free(opened); }
};
using Archive = std::unique_ptr<archive, FreeArchive>;

std::string fault_of(archive* opened) {
  const char* why = archive_error_string(opened);
  return why ? why : "an unknown fault";
}

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

// The members of an archive, one after the other, and whether it was read without a fault.
class ArchiveReader {
 public:
  // Returns up to `most` further bytes of the member.
  std::string read(std::size_t most) {
    std::string bytes(most, '\0');
    const la_ssize_t got = at_fault_ ? ARCHIVE_FATAL : archive_read_data(archive_.get(), bytes.data(), most);
    at_fault_ = at_fault_ || got < 0;  // a wrong checksum is a warning of libarchive's
    bytes.resize(at_fault_ ? 0 : static_cast<std::size_t>(got));
    return bytes;
  }

 protected:
  // Of all but data: there, warnings concern only names and attributes, so they are not faults.
  bool holds(int status) {
    at_fault_ = at_fault_ || (status < 0 && status != ARCHIVE_WARN);
    return !at_fault_;
  }

  Archive archive_{archive_read_new()};  // has no callback for closing, so it may outlive its source
  std::size_t members_ = 0;
  bool at_fault_ = false;
};

class TarReader : public ArchiveReader {
 public:
  TarReader(ByteSource& source, std::string first) : feed_(source, std::move(first)) {
    archive_read_support_format_tar(archive_.get());
    // Joined archives are read as one, which a remark says. Anything else after the end is damage.
    holds(archive_read_set_options(archive_.get(), "tar:read_concatenated_archives"));
    archive_read_set_read_callback(archive_.get(), &Feed::read);
    archive_read_set_skip_callback(archive_.get(), &Feed::skip);
    archive_read_set_callback_data(archive_.get(), &feed_);
    holds(archive_read_open1(archive_.get()));
  }

  // Returns the next member; null at the end, or if the archive is damaged.
  archive_entry* next() {
    archive_entry* entry = nullptr;
    if (members_ > 0 && !at_fault_) holds(archive_read_data_skip(archive_.get()));
    feed_.watch(archive_filter_bytes(archive_.get(), 0));
    const int status = at_fault_ ? ARCHIVE_FATAL : archive_read_next_header(archive_.get(), &entry);
    is_at_end_ = status == ARCHIVE_EOF;
    if (is_at_end_ || !holds(status)) return nullptr;
    ++members_;
    is_behind_an_end_ = is_behind_an_end_ || (members_ > 1 && feed_.saw_an_end());
    return entry;
  }

  // Returns true if the member is in an archive joined after the end of another.
  bool is_behind_an_end() const { return is_behind_an_end_; }

  // Returns the fault of the archive; empty if it was read to its end.
  std::string fault() const {
    feed_.rethrow();
    const std::string behind = " behind " + counted(members_, "member");
    if (at_fault_) return fault_of(archive_.get()) + behind;
    const bool is_ended =
        feed_.length() - archive_read_header_position(archive_.get()) >= static_cast<la_int64_t>(kTarBlock);
    return is_at_end_ && !is_ended ? "one that ends" + behind + " without the end-of-archive block" : "";
  }

 private:
  Feed feed_;
  bool is_behind_an_end_ = false;
  bool is_at_end_ = false;
};

class ZipReader : public ArchiveReader {
 public:
  explicit ZipReader(const std::string& path) {
    archive_read_support_format_zip_seekable(archive_.get());
    holds(archive_read_open_filename(archive_.get(), path.c_str(), std::size_t{1} << 17));
  }

  archive_entry* next() {
    archive_entry* entry = nullptr;
    const int status = at_fault_ ? ARCHIVE_FATAL : archive_read_next_header(archive_.get(), &entry);
    if (status == ARCHIVE_EOF || !holds(status)) return nullptr;
    ++members_;
    return entry;
  }

  bool is_behind_an_end() const { return false; }

  // Returns the fault of the archive; empty if it was read to its end.
  std::string fault() const {
    if (!at_fault_) return "";
    if (members_ == 0) return "one without its directory, which is at the end of a whole one";
    return fault_of(archive_.get()) + " behind " + counted(members_, "member");
  }
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

// Reads the members; the one at which an archive breaks is not at fault itself.
template <class Reader>
void read_members(Reader& reader, const std::string& kind, const std::string& prefix, ImageFiles& files,
                  Findings& findings) {
  Findings in_members(findings.file());
  const ImageBytes rest([&](std::size_t most) { return reader.read(most); });
  files.begin_archive();
  while (archive_entry* entry = reader.next()) {
    if (reader.is_behind_an_end()) files.count_behind_end();
    if (archive_entry_filetype(entry) == AE_IFDIR) continue;
    const std::string unopened = not_opened(entry);
    if (unopened.empty())
      files.add(prefix + name_of(entry), reader.read(kTarBlock), rest, in_members);
    else
      files.pass_over(unopened);
  }
  files.end_archive();
  const std::string fault = reader.fault();
  if (fault.empty()) return findings.add(in_members.all());
  findings.add(prefix.substr(0, prefix.empty() ? 0 : prefix.size() - 1), "a whole " + kind + " archive",
               fault);
}

}  // namespace

bool is_tar_header(std::string_view block) {
  return block.size() == kTarBlock && block.substr(257, 5) == "ustar";
}

// A local file, the end of an empty archive, or the mark of one in pieces (APPNOTE 4.3.7, 4.3.16, 8.5.3).
bool is_zip_header(std::string_view block) {
  return block.starts_with("PK\x03\x04") || block.starts_with("PK\x05\x06") ||
         block.starts_with("PK\x07\x08");
}

void read_tar(ByteSource& source, std::string first_block, const std::string& prefix, ImageFiles& files,
              Findings& findings) {
  source.allow_any_expansion();
  TarReader tar(source, std::move(first_block));
  read_members(tar, "tar", prefix, files, findings);
}

void read_zip(const std::string& path, const std::string& prefix, ImageFiles& files, Findings& findings) {
  ZipReader zip(path);
  read_members(zip, "zip", prefix, files, findings);
}

}  // namespace spillway
