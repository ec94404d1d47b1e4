// A document, with what another document changes in it.
#pragma once

#include <string>
#include <string_view>

#include "json/document.h"
#include "json/document_kind.h"
#include "json/place.h"
#include "json/settings.h"
#include "json/source.h"

namespace spillway {

// What `read` makes of the document `kind` ("platform", ...) of `source`, whose `changes`, values by JSON
// pointer, are made first. Throws InputError with every violation.
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
