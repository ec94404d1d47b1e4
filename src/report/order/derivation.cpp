#include "report/order/derivation.h"

#include <array>
#include <ostream>
#include <utility>

#include "base/error.h"

namespace spillway {

std::optional<DerivationFormat> derivation_format_from(std::string_view name) {
  static constexpr std::array<std::pair<std::string_view, DerivationFormat>, 8> formats = {{
      {"text", DerivationFormat::Text},
      {"json", DerivationFormat::Json},
      {"dot", DerivationFormat::Dot},
      {"graphml", DerivationFormat::GraphMl},
      {"csv", DerivationFormat::Csv},
      {"goal", DerivationFormat::Goal},
      {"chakra", DerivationFormat::Chakra},
      {"program", DerivationFormat::Program},
  }};
  for (const auto& [format_name, format] : formats)
    if (format_name == name) return format;
  return std::nullopt;
}

void write_derivation(std::ostream& out, const Derived& derived, DerivationFormat format) {
  const auto name = [&](const Event& event) { return event_name(event, derived); };
  switch (format) {
    case DerivationFormat::Text:
      return write_derivation_text(out, derived);
    case DerivationFormat::Json:
      return write_derivation_json(out, derived);
    case DerivationFormat::Dot:
      return derived.order.write_dot(out, name);
    case DerivationFormat::GraphMl:
      return derived.order.write_graphml(out, name);
    case DerivationFormat::Csv:
      out << derivation_csv(derived);
      return;
    case DerivationFormat::Goal:
    case DerivationFormat::Chakra:
    case DerivationFormat::Program:
      throw ContractBreach("a format without prices");
  }
}

}  // namespace spillway
