// libarchive reads tar as all writers write it (ustar, pax, GNU; sizes in base 256, sparse files), checks the
// sums of headers and tells an end in the middle of a file. What it does not check is done here: gzip's own
// sums (zlib's, since libarchive passes them over), and that the archive has its end, a block of zeros, as
// one that is cut behind a whole file has not.
#include "input/images/image_archive.h"

#include <archive.h>
#include <archive_entry.h>

#include <exception>
#include <memory>
#include <utility>

#include "base/text.h"

namespace spillway {
namespace {

// What libarchive reads from. Nothing may be thrown through its C.
class Feed {
 public:
  Feed(ByteSource& source, std::string first) : source_(source), given_(std::move(first)), fresh_(true) {}

  static la_ssize_t read(archive*, void* feed, const void** bytes) {
    return static_cast<Feed*>(feed)->give(bytes);
  }
  static la_int64_t skip(archive*, void* feed, la_int64_t most) {
    return static_cast<Feed*>(feed)->pass_over(most);
  }

  // Bytes given and passed over so far.
  la_int64_t length() const { return length_; }

  // Looks at the block that begins at `place`, which is behind no byte that was passed over.
  void watch(la_int64_t place) {
    watched_at_ = place;
    watched_.clear();
    look();
  }
  // Is it one of zeros, as an archive ends with?
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

  // What of the watched block is among the bytes that were given last.
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
  la_int64_t length_ = 0, given_at_ = 0;  // the latter: where given_ begins
  la_int64_t watched_at_ = 0;
  std::string watched_ = {};
  std::exception_ptr thrown_ = nullptr;
};

class TarReader {
 public:
  TarReader(ByteSource& source, std::string first) : feed_(source, std::move(first)) {
    archive_read_support_format_tar(tar_.get());
    // Archives one behind another are read as one, which is said; anything else behind the end is damage.
    holds(archive_read_set_options(tar_.get(), "tar:read_concatenated_archives"));
    archive_read_set_read_callback(tar_.get(), &Feed::read);
    archive_read_set_skip_callback(tar_.get(), &Feed::skip);
    archive_read_set_callback_data(tar_.get(), &feed_);
    holds(archive_read_open1(tar_.get()));
  }

  // The next member; none at the end, or where the archive is at fault.
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

  // Does the member stand behind the end of an archive, joined to it?
  bool is_behind_an_end() const { return is_behind_an_end_; }

  // Up to so many bytes more of the member.
  std::string read(std::size_t most) {
    std::string bytes(most, '\0');
    const la_ssize_t got = archive_read_data(tar_.get(), bytes.data(), most);
    bytes.resize(holds(got) ? static_cast<std::size_t>(got) : 0);
    return bytes;
  }

  // What is wrong with the archive; empty where it was read to its end.
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

  // Warnings are of names and attributes.
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

// What of a member is not opened, as ImageFiles counts it; empty for a file, nothing is said of a folder.
std::string not_opened(archive_entry* entry) {
  if (archive_entry_hardlink(entry) || archive_entry_filetype(entry) == AE_IFLNK) return "link";
  return archive_entry_filetype(entry) == AE_IFREG ? "" : "special file";
}

}  // namespace

bool is_tar_header(std::string_view block) {
  return block.size() == kTarBlock && block.substr(257, 5) == "ustar";
}

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
  // The member at which an archive breaks is at no fault itself.
  const std::string fault = tar.fault();
  if (fault.empty()) return findings.add(in_members.all());
  findings.add(prefix.substr(0, prefix.empty() ? 0 : prefix.size() - 1), "a whole tar archive", fault);
}

}  // namespace spillway
