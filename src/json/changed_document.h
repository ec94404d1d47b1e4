// Reads a document after applying another document's changes to it.
#pragma once

#include <string>
#include <string_view>

#include "json/document.h"
#include "json/document_kind.h"
#include "json/place.h"
#include "json/settings.h"
#include "json/source.h"

namespace spillway {

// Reads a document of `kind` ("platform", ...) from `source`, applies `changes` (values by JSON pointer), and
// returns the value that `read` makes of it. Throws InputError with every violation.
template <class Value>
Value read_changed_document(const Source& source, std::string_view kind, const Object& changes,
                            const Files& files, std::optional<Value> (*read)(const Place&)) {
  Findings findings(source.file);
  std::optional<Node> document = read_json(source, findings, files);
  if (!document || is_another_kind(*document, kind, findings)) findings.throw_if_any();
  apply(changes, *document, findings);
  std::optional<Value> value = read(Place{&*document, "", &findings, &files});
  findings.throw_if_any();
  return *std::move(value);
}

}  // namespace spillway
