#include "sweep/run/letters.h"

#include "base/bytes.h"

namespace spillway {
namespace {

constexpr std::string_view kWhat = "a message between processes";

}  // namespace

std::string report_text(std::size_t round, const Report& report) {
  ByteWriter out;
  out.integer(std::uint64_t{report.wanted});
  out.length(report.finished.size());
  for (const FinishedPoint& finished : report.finished) {
    out.integer(std::uint64_t{finished.point});
    out.text(bytes_of(finished.outcome));
  }
  return round_text(round, std::move(out).take());
}

Report report_from(std::string_view text) {
  ByteReader in(text, kWhat);
  Report report{in.integer<std::uint64_t>()};
  for (std::size_t left = in.length(sizeof(std::uint64_t)); left > 0; --left) {
    const std::size_t point = in.integer<std::uint64_t>();
    report.finished.push_back({point, outcome_from(in.text())});
  }
  return report;
}

std::string points_text(const std::vector<std::size_t>& points) {
  ByteWriter out;
  out.length(points.size());
  for (const std::size_t point : points) out.integer(std::uint64_t{point});
  return std::move(out).take();
}

std::vector<std::size_t> points_from(std::string_view text) {
  ByteReader in(text, kWhat);
  std::vector<std::size_t> points(in.length(sizeof(std::uint64_t)));
  for (std::size_t& point : points) point = in.integer<std::uint64_t>();
  return points;
}

std::string end_text(const EndOfRound& end) {
  ByteWriter out;
  out.integer(std::uint64_t{end.round});
  out.integer(std::uint64_t{end.complete});
  return std::move(out).take();
}

EndOfRound end_from(std::string_view text) {
  ByteReader in(text, kWhat);
  const std::size_t round = in.integer<std::uint64_t>();
  return {round, in.integer<std::uint64_t>() != 0};
}

std::string round_text(std::size_t round, std::string_view content) {
  ByteWriter out;
  out.integer(std::uint64_t{round});
  return std::move(out).take().append(content);
}

std::size_t round_of(std::string_view text) {
  return ByteReader(text, kWhat).integer<std::uint64_t>();
}

std::string_view after_round(std::string_view text) {
  return text.substr(sizeof(std::uint64_t));
}

}  // namespace spillway
