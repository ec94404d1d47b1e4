#include "input/images/image_json.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "base/number.h"
#include "base/text.h"
#include "input/images/refused_lists.h"
#include "json/document.h"
#include "json/node.h"

namespace spillway {
namespace {

// Keys whose objects are images of a sample, in the order in which sizes are looked for.
constexpr std::array<std::string_view, 4> kImageKeys = {"images", "image", "image_info", "metadata"};
constexpr std::size_t kNamingKeys = 3;                  // the first of them, whose texts name images, too
constexpr std::string_view kResolution = "resolution";  // of a sample's own image or video (Open-Sora Plan)
constexpr std::string_view kPairs = "image_wh";         // [[width, height], ...] of a sample (XTuner)
constexpr std::array<std::string_view, 4> kVideoKeys = {"video", "videos", "video_path", "video_list"};
// Keys of a document that have its list of samples.
constexpr std::array<std::string_view, 2> kListKeys = {"images", "data"};

const Node* field_value(const Object& object, ImageField field) {
  for (const std::string_view name : names_of(field))
    for (const Member& member : object)
      if (plain_name(member.key) == name) return &member.value;
  return nullptr;
}

using Values = std::array<const Node*, kImageFields>;  // [field], null if the object does not state it

const Node* field_of(const Values& values, ImageField field) {
  return values[static_cast<std::size_t>(field)];
}

Values values_of(const Object& object) {
  Values values;
  for (std::size_t i = 0; i < kImageFields; ++i) values[i] = field_value(object, static_cast<ImageField>(i));
  return values;
}

const List* list_in(const Values& values, ImageField field) {
  const Node* value = field_of(values, field);
  return value ? std::get_if<List>(&value->value) : nullptr;
}

// A text stays whole, because names that begin alike must stay different.
std::string whole_text(const Node& node) {
  const auto* text = std::get_if<std::string>(&node.value);
  return text ? *text : describe(node);
}

// Adds the image of a sample, or the one at `index` if the sample has several. In the latter case a value
// that is no list belongs to none of them.
void add_image(const std::string& place, const Values& values, std::optional<std::size_t> index,
               ImageRows& rows) {
  ImageRow row;
  for (std::size_t i = 0; i < kImageFields; ++i)
    if (const Node* value = index ? element(values[i], *index) : values[i]) row[i] = whole_text(*value);
  rows.add(place, row);
}

bool says_nothing(const Node* value) {
  if (!value || std::holds_alternative<std::nullptr_t>(value->value)) return true;
  const auto* list = std::get_if<List>(&value->value);
  const auto* text = std::get_if<std::string>(&value->value);
  return (list && list->empty()) || (text && text->empty());
}

bool states_size(const Object& object) {
  return !says_nothing(field_value(object, ImageField::Width)) ||
         !says_nothing(field_value(object, ImageField::Height));
}

// Returns true for a path, or an object that stands for an image.
bool is_named(const Node& node) {
  return !says_nothing(&node) &&
         (std::holds_alternative<std::string>(node.value) || std::holds_alternative<Object>(node.value));
}

bool is_sized(const Node& node) {
  const auto* object = std::get_if<Object>(&node.value);
  return object && states_size(*object);
}

// Returns the images under a key of a sample: the elements of a list, or the value itself. A text of JSON
// stands for its value.
std::vector<Node> images_under(const Object& sample, std::string_view key) {
  const Node* value = find(sample, key);
  if (says_nothing(value)) return {};
  if (const auto* list = std::get_if<List>(&value->value)) return *list;
  const auto* text = std::get_if<std::string>(&value->value);
  if (!text || (!text->starts_with('[') && !text->starts_with('{'))) return {*value};
  Findings ignored;
  const std::optional<Node> inner = parse_json(*text, ignored);
  if (!inner) return {*value};
  const auto* list = std::get_if<List>(&inner->value);
  return list ? *list : std::vector<Node>{*inner};
}

// Reads samples, each at its place.
class Samples {
 public:
  Samples(ImageRows& rows, Findings& findings) : rows_(rows), findings_(findings) {}

  void add(const std::string& place, const Node& node) {
    const auto* sample = std::get_if<Object>(&node.value);
    if (!sample) return findings_.add(place, "an object with width and height", describe(node));
    if (states_size(*sample)) return add_sized(place, node, values_of(*sample));
    if (add_resolution(place, *sample) || add_pairs(place, *sample) || add_inner(place, *sample)) return;
    if (const std::size_t images = named_images(*sample); images > 0) {
      rows_.add_sample(images);
      return rows_.add_unknown(place, images);
    }
    rows_.add_sample(0);
    if (has_video(*sample))
      rows_.add_video();
    else
      rows_.add_text();
  }

  // Returns true if the object can only be a sample with images.
  static bool has_images(const Object& object) {
    if (states_size(object) || named_images(object) > 0 || resolution_of(object)) return true;
    return std::ranges::any_of(kImageKeys, [&](std::string_view key) {
      return std::ranges::any_of(images_under(object, key), is_sized);
    });
  }

 private:
  void add_sized(const std::string& place, const Node& node, const Values& values) {
    const Node *width = field_of(values, ImageField::Width), *height = field_of(values, ImageField::Height);
    if (!width != !height) return findings_.add(place, "an object with width and height", describe(node));
    const List* widths = list_in(values, ImageField::Width);
    const List* heights = list_in(values, ImageField::Height);
    rows_.add_sample(widths ? widths->size() : 1);
    if (!widths && !heights) return add_image(place, values, std::nullopt, rows_);
    if (!widths || !heights || widths->size() != heights->size())
      return findings_.add(place, "a list of as many widths as heights",
                           describe(*width) + " and " + describe(*height));
    for (std::size_t i = 0; i < widths->size(); ++i) add_image(place, values, i, rows_);
  }

  static const Object* resolution_of(const Object& sample) {
    const Node* value = find(sample, kResolution);
    const auto* object = value ? std::get_if<Object>(&value->value) : nullptr;
    return object && states_size(*object) ? object : nullptr;
  }

  // The sample states all but the size itself, so that a length makes it a video.
  bool add_resolution(const std::string& place, const Object& sample) {
    const Object* resolution = resolution_of(sample);
    if (!resolution) return false;
    Values values = values_of(sample);
    for (const ImageField side : {ImageField::Width, ImageField::Height})
      values[static_cast<std::size_t>(side)] = field_value(*resolution, side);
    add_sized(place, *find(sample, kResolution), values);
    return true;
  }

  bool add_pairs(const std::string& place, const Object& sample) {
    const Node* value = find(sample, kPairs);
    const auto* pairs = value ? std::get_if<List>(&value->value) : nullptr;
    if (!pairs || pairs->empty()) return false;
    rows_.add_sample(pairs->size());
    for (const Node& pair : *pairs) {
      const auto* sides = std::get_if<List>(&pair.value);
      if (!sides || sides->size() != 2) {
        findings_.add(place, "image_wh with a width and a height for each image", describe(pair));
        continue;
      }
      Values values{};
      values[static_cast<std::size_t>(ImageField::Width)] = &sides->front();
      values[static_cast<std::size_t>(ImageField::Height)] = &sides->back();
      add_image(place, values, std::nullopt, rows_);
    }
    return true;
  }

  // Adds images that are objects under one of kImageKeys; returns false if none of them has a size. A null
  // stands for a piece of text between images.
  bool add_inner(const std::string& place, const Object& sample) {
    for (const std::string_view key : kImageKeys) {
      std::vector<Node> images = images_under(sample, key);
      if (std::ranges::none_of(images, is_sized)) continue;
      std::erase_if(images, [](const Node& image) { return says_nothing(&image); });
      rows_.add_sample(images.size());
      for (const Node& image : images)
        if (const auto* object = std::get_if<Object>(&image.value))
          add_image(place, values_of(*object), std::nullopt, rows_);
        else
          rows_.add_unknown(place);
      return true;
    }
    return false;
  }

  // Returns how many images a sample without sizes names.
  static std::size_t named_images(const Object& sample) {
    std::size_t most = says_nothing(field_value(sample, ImageField::Name)) ? 0 : 1;
    for (std::size_t key = 0; key < kNamingKeys; ++key) {
      const std::vector<Node> images = images_under(sample, kImageKeys[key]);
      most = std::max(most, static_cast<std::size_t>(std::ranges::count_if(images, is_named)));
    }
    return most;
  }

  static bool has_video(const Object& sample) {
    return std::ranges::any_of(kVideoKeys,
                               [&](std::string_view key) { return !says_nothing(find(sample, key)); });
  }

  ImageRows& rows_;
  Findings& findings_;
};

void read_json_lines(std::string_view text, ImageRows& rows, Findings& findings) {
  Samples samples(rows, findings);
  std::size_t number = 0;
  for (const std::string_view line : split(text, '\n')) {
    ++number;
    if (trimmed(line).empty()) continue;
    const std::string place = "line " + std::to_string(number);
    Findings ignored;
    if (const std::optional<Node> node = parse_json(line, ignored))
      samples.add(place, *node);
    else
      findings.add(place, "a JSON object", describe({std::string(line)}));
  }
}

void read_list(const List& list, const std::string& pointer, Samples& samples) {
  for (std::size_t i = 0; i < list.size(); ++i) samples.add(pointer + '/' + std::to_string(i), list[i]);
}

// Returns the key under which a document has its samples; null if it has none.
const Member* list_of_samples(const Object& document) {
  for (const std::string_view key : kListKeys)
    for (const Member& member : document) {
      const auto* list = std::get_if<List>(&member.value.value);
      const bool has_objects = list && std::ranges::all_of(*list, [](const Node& element) {
                                 return std::holds_alternative<Object>(element.value);
                               });
      if (member.key == key && has_objects) return &member;
    }
  return nullptr;
}

void read_object(const Node& document, const Object& object, Samples& samples, Findings& findings) {
  if (const std::optional<std::string> known = refused_document(object))
    return findings.add("", "a list of image sizes", *known);
  if (const Member* member = list_of_samples(object))
    return read_list(std::get<List>(member->value.value), '/' + member->key, samples);
  if (Samples::has_images(object)) return samples.add("", document);
  if (std::ranges::any_of(object, [](const Member& member) { return is_sized(member.value); })) {
    for (const Member& member : object)
      if (std::holds_alternative<Object>(member.value.value))
        samples.add(child("", member.key), member.value);
    return;
  }
  const Node* images = find(object, "images");
  findings.add(images ? "/images" : "", "a list of images with width and height",
               describe(images ? *images : document));
}

bool has_json_lines(std::string_view text) {
  const std::string_view first = trimmed(text.substr(0, text.find('\n')));
  return first.starts_with('{') && first.ends_with('}') && first.size() < trimmed(text).size();
}

std::optional<std::uint32_t> stated_side(const Object& sample, ImageField field) {
  const Node* value = field_value(sample, field);
  const auto side = value ? number_from<std::uint32_t>(whole_text(*value)) : std::nullopt;
  return side && *side >= 1 && *side <= kLongestSide ? side : std::nullopt;
}

}  // namespace

void read_image_json(std::string_view text, ImageRows& rows, Findings& findings) {
  if (has_json_lines(trimmed(text))) return read_json_lines(text, rows, findings);
  const std::optional<Node> document = parse_json(text, findings);
  if (!document) return;
  Samples samples(rows, findings);
  if (const auto* list = std::get_if<List>(&document->value)) return read_list(*list, "", samples);
  if (const auto* object = std::get_if<Object>(&document->value))
    return read_object(*document, *object, samples, findings);
  findings.add("", "a list of images with width and height", describe(*document));
}

std::optional<ImageSize> stated_image_size(std::string_view text) {
  Findings ignored;
  const std::optional<Node> document = parse_json(text, ignored);
  const auto* sample = document ? std::get_if<Object>(&document->value) : nullptr;
  if (!sample) return std::nullopt;
  const auto width = stated_side(*sample, ImageField::Width),
             height = stated_side(*sample, ImageField::Height);
  if (!width || !height) return std::nullopt;
  return ImageSize{*width, *height};
}

}  // namespace spillway
