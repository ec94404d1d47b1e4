#include "sweep/run/letters.h"

#include "sweep/run/wire.h"

namespace spillway {

std::string report_text(std::size_t round, const Report& report) {
  Packer packer;
  packer.number(report.wanted);
  packer.number(report.finished.size());
  for (const FinishedPoint& finished : report.finished) {
    packer.number(finished.point);
    packer.text(bytes_of(finished.outcome));
  }
  return round_text(round, packer.take());
}

Report report_from(std::string_view text) {
  Unpacker unpacker(text);
  Report report{unpacker.number()};
  for (std::size_t left = unpacker.number(); left > 0; --left) {
    const std::size_t point = unpacker.number();
    report.finished.push_back({point, outcome_from(unpacker.text())});
  }
  return report;
}

std::string points_text(const std::vector<std::size_t>& points) {
  Packer packer;
  packer.number(points.size());
  for (const std::size_t point : points) packer.number(point);
  return packer.take();
}

std::vector<std::size_t> points_from(std::string_view text) {
  Unpacker unpacker(text);
  std::vector<std::size_t> points(unpacker.number());
  for (std::size_t& point : points) point = unpacker.number();
  return points;
}

std::string end_text(const EndOfRound& end) {
  Packer packer;
  packer.number(end.round);
  packer.number(end.complete);
  return packer.take();
}

EndOfRound end_from(std::string_view text) {
  Unpacker unpacker(text);
  const std::size_t round = unpacker.number();
  return {round, unpacker.number() != 0};
}

std::string round_text(std::size_t round, std::string_view content) {
  Packer packer;
  packer.number(round);
  return packer.take().append(content);
}

std::size_t round_of(std::string_view text) {
  return Unpacker(text).number();
}

std::string_view after_round(std::string_view text) {
  return text.substr(sizeof(std::uint64_t));
}

}  // namespace spillway
