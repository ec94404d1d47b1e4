#include "input/architecture/architecture_reader.h"

#include <algorithm>
#include <array>
#include <vector>

#include "input/architecture/family_list.h"
#include "json/document.h"
#include "json/json_text.h"
#include "json/text_file.h"

namespace spillway {
namespace {

struct ReadPart {
  Architecture architecture;
  std::vector<std::string> assumes;  // sentences
  std::vector<std::string> read;     // keys of its section that were read
  std::vector<std::string> idle;     // keys that change nothing
};

std::string text_at(const Node* node, std::string_view key) {
  const Node* value = member(node, key);
  const auto* text = value ? std::get_if<std::string>(&value->value) : nullptr;
  return text ? *text : "";
}

// Returns null if no family has the name.
template <class Families>
auto find_family(const Families& families, const std::string& name) {
  const auto has = [&](const auto* family) {
    return !name.empty() &&
           std::find(family->names.begin(), family->names.end(), name) != family->names.end();
  };
  const auto family = std::find_if(families.begin(), families.end(), has);
  return family == families.end() ? nullptr : *family;
}

template <class Families>
std::vector<std::string_view> family_names(const Families& families) {
  std::vector<std::string_view> names;
  for (const auto* family : families)
    for (const std::string_view name : family->names)
      if (!name.empty()) names.push_back(name);
  return names;
}

// One file while it is read.
struct ConfigFile {
  const Node& document;
  Role role;
  const ArchitectureOptions& options;
  Findings& findings;

  void refuse_type(const std::string& expected) const {
    const Node* type = member(&document, "model_type");
    findings.add("/model_type", expected, type ? describe(*type) : "nothing");
    findings.throw_if_any();
  }
};

// The section of a part; without a key, the document itself.
struct Section {
  const Node* node;
  std::string pointer;
};

// Passes over the keys of parts and of their combination, which the reader of one part need not know.
void pass_over_the_whole(ConfigSection& whole) {
  whole.pass_over({"text_config", "llm_config", "vision_config", "downsample_ratio", "select_layer",
                   "mm_tokens_per_image", "hidden_size", "projection_dim", "num_image_tokens",
                   "projector_hidden_act", "vocab_size", "vision_feature_layer", "intermediate_size",
                   "tie_word_embeddings", "vision_feature_select_strategy", "audio_config"});
}

// The keys of a nested language model, in the order in which they are tried.
constexpr std::array<std::string_view, 2> kTextKeys = {"text_config", "llm_config"};

Section text_section(const Node& document) {
  for (const std::string_view key : kTextKeys)
    if (const Node* nested = member(&document, key)) return {nested, child("", key)};
  return {&document, ""};
}

// Returns the family of the section's model_type, otherwise of the document's. `wanted` says what the block
// needs if the type is a family of the other kind.
template <class Families, class Others>
const auto& family_of(const ConfigFile& file, const Section& section, const Families& families,
                      const Others& others, std::string_view wanted) {
  const std::string own = text_at(section.node, "model_type");
  const std::string type = text_at(&file.document, "model_type");
  for (const std::string& name : {own, type})
    if (const auto* family = find_family(families, name)) return *family;
  const Node* node = member(&file.document, "model_type");
  if (!node) file.refuse_type("a value");
  const bool nested = !own.empty() && !section.pointer.empty();
  if (!nested && find_family(others, type)) file.refuse_type(std::string(wanted));
  const Place named = nested ? Place{member(section.node, "model_type"), section.pointer + "/model_type",
                                     &file.findings, nullptr}
                             : Place{node, "/model_type", &file.findings, nullptr};
  read_word(named, family_names(families));
  file.findings.throw_if_any();
  ensure(false, "a model_type without a family is refused");
  return *families.front();
}

template <class Family, class Adjust>
ReadPart read_section(const ConfigFile& file, const Section& section, const Family& family, Adjust adjust) {
  ConfigSection whole(file.document, file.findings);
  const bool nested = !section.pointer.empty();
  ConfigSection inner = nested ? ConfigSection(section.node, section.pointer, whole, file.findings) : whole;
  file.findings.throw_if_any();
  auto model = family.read(inner);
  inner.pass_over({"vision_config", "audio_config"});
  inner.refuse_unknown();
  if (nested && !text_section(file.document).pointer.empty()) {
    pass_over_the_whole(whole);
    whole.refuse_unknown();
  }
  file.findings.throw_if_any();
  adjust(model, inner);
  file.findings.add(inner.in_file(check_architecture(model)));
  file.findings.throw_if_any();
  ReadPart part{std::move(model), {}, inner.keys(true), inner.keys(false)};
  for (const std::string_view assumed : family.assumes)
    if (!assumed.empty()) part.assumes.emplace_back(assumed);
  return part;
}

void refuse_text_options(const ConfigFile& file) {
  if (file.options.multi_token_prediction)
    file.refuse_type("a language model, which multi_token_prediction needs");
  if (file.options.separate_vocabulary) file.refuse_type("a language model, which separate_vocabulary needs");
  if (!file.options.fused_attention) file.refuse_type("a language model, which unfused attention needs");
}

ReadPart read_diffusion_transformer(const ConfigFile& file, const GeneratorFamily& family) {
  if (file.role != Role::Generator)
    file.findings.add("/_class_name", "a model_type, since this block is no generator",
                      '"' + text_at(&file.document, "_class_name") + '"');
  file.findings.throw_if_any();
  refuse_text_options(file);
  return read_section(file, {&file.document, ""}, family,
                      [&](DiffusionTransformer& model, const ConfigSection&) {
                        model.num_layers = file.options.layers.value_or(model.num_layers);
                      });
}

ReadPart read_vision_tower(const ConfigFile& file) {
  const Section section{member(&file.document, "vision_config"), "/vision_config"};
  const VisionFamily& family =
      family_of(file, section, kEveryVisionFamily, kEveryTextFamily, "a vision tower for an encoder");
  refuse_text_options(file);
  return read_section(file, section, family, [&](VisionTower& tower, const ConfigSection&) {
    tower.depth = file.options.layers.value_or(tower.depth);
  });
}

// The document that holds the towers: the "thinker" of an omni model.
Section around_towers(const Node& document) {
  if (const Node* thinker = member(&document, "thinker_config")) return {thinker, "/thinker_config"};
  return {&document, ""};
}

Section audio_section(const Node& document) {
  const Section around = around_towers(document);
  return {member(around.node, "audio_config"), around.pointer + "/audio_config"};
}

bool is_audio(const Node& document, const ArchitectureOptions& options) {
  if (options.modality) return *options.modality == Modality::Audio;
  if (member(around_towers(document).node, "vision_config")) return false;
  return audio_section(document).node || find_family(kEveryAudioFamily, text_at(&document, "model_type"));
}

ReadPart read_audio_tower(const ConfigFile& file) {
  Section section = audio_section(file.document);
  if (!section.node) section = {&file.document, ""};
  const AudioFamily& family =
      family_of(file, section, kEveryAudioFamily, kEveryTextFamily, "an audio tower for an encoder");
  refuse_text_options(file);
  return read_section(file, section, family, [&](AudioTower& tower, const ConfigSection&) {
    tower.encoder_layers = file.options.layers.value_or(tower.encoder_layers);
  });
}

ReadPart read_text_model(const ConfigFile& file) {
  const Section section = text_section(file.document);
  const TextFamily& family =
      family_of(file, section, kEveryTextFamily, kEveryVisionFamily, "a language model for a backbone");
  return read_section(file, section, family, [&](TextModel& model, ConfigSection& config) {
    model.num_hidden_layers = file.options.layers.value_or(model.num_hidden_layers);
    model.fused_attention = file.options.fused_attention;
    model.separate_vocabulary = file.options.separate_vocabulary;
    if (!file.options.multi_token_prediction)
      model.num_nextn_predict_layers = 0;
    else if (model.num_nextn_predict_layers == 0)
      config.refuse("num_nextn_predict_layers",
                    "at least 1 layer of multi-token prediction, since multi_token_prediction is true",
                    "none");
  });
}

// Returns the document, an object. As other readers of these files do, accepts Infinity and NaN as numbers,
// and ignores comments. Throws InputError.
Node read_config(const std::string& path, Findings& findings, const Files& files) {
  const std::optional<std::string> text = read_file(path, findings, files);
  findings.throw_if_any();
  std::optional<Node> document = parse_json(strict_json(*text), findings);
  findings.throw_if_any();
  if (!std::holds_alternative<Object>(document->value)) findings.add("", "an object", describe(*document));
  findings.throw_if_any();
  return *std::move(document);
}

// Like read_architecture, for a document. Throws InputError with every violation.
ReadPart read_part(const Node& document, Role role, const ArchitectureOptions& options, Findings& findings) {
  const ConfigFile file{document, role, options, findings};
  if (const auto* family = find_family(kEveryGeneratorFamily, text_at(&document, "_class_name")))
    return read_diffusion_transformer(file, *family);
  if (role == Role::Encoder)
    return is_audio(document, options) ? read_audio_tower(file) : read_vision_tower(file);
  return read_text_model(file);
}

// Keys of parts that no family here reads.
constexpr std::array<std::string_view, 5> kOtherParts = {"speech_config", "thinker_config", "talker_config",
                                                         "dit_config", "language_config"};

const Node* object_at(const Node& document, std::string_view key) {
  const Node* node = find(std::get<Object>(document.value), key);
  return node && std::holds_alternative<Object>(node->value) ? node : nullptr;
}

std::string type_in(const Node* node) {
  const auto* object = node ? std::get_if<Object>(&node->value) : nullptr;
  const Node* type = object ? find(*object, "model_type") : nullptr;
  const auto* text = type ? std::get_if<std::string>(&type->value) : nullptr;
  return text ? *text : "";
}

SupportedPart part_at(const Node& document, std::string name, const std::string& key) {
  SupportedPart part;
  part.name = std::move(name);
  part.section = key.empty() ? "" : child("", key);
  part.model_type = key.empty() ? "" : type_in(object_at(document, key));
  if (part.model_type.empty()) part.model_type = type_in(&document);
  return part;
}

SupportedPart read(SupportedPart part, const Node& document, Role role, const std::string& path,
                   const ArchitectureOptions& options = {}) {
  Findings findings(path);
  try {
    ReadPart known = read_part(document, role, options, findings);
    part.architecture = std::move(known.architecture);
    part.assumes = std::move(known.assumes);
    part.read = std::move(known.read);
    part.idle = std::move(known.idle);
  } catch (const InputError& error) {
    part.refused = error.violations();
  }
  return part;
}

std::string text_key(const Node& document) {
  for (const std::string_view key : kTextKeys)
    if (object_at(document, key)) return std::string(key);
  return "";
}

SupportedPart unread(const Node& document, std::string_view key, const std::string& path) {
  SupportedPart part = part_at(document, std::string(key), std::string(key));
  part.refused.push_back(
      {path, part.section, "a vision tower or a language model: other parts are not supported", "an object"});
  return part;
}

}  // namespace

Architecture read_architecture(const std::string& path, Role role, const ArchitectureOptions& options,
                               const Files& files) {
  Findings findings(path);
  const Node document = read_config(path, findings, files);
  return read_part(document, role, options, findings).architecture;
}

std::vector<SupportedPart> read_support(const std::string& path, const Files& files) {
  Findings findings(path);
  const Node document = read_config(path, findings, files);
  std::vector<SupportedPart> parts;
  if (find(std::get<Object>(document.value), "_class_name")) {
    parts.push_back(read(part_at(document, "generator", ""), document, Role::Generator, path));
    return parts;
  }
  const bool nested = object_at(document, "audio_config") || object_at(document, "thinker_config");
  if (!nested && find_family(kEveryAudioFamily, type_in(&document))) {
    parts.push_back(read(part_at(document, "audio tower", ""), document, Role::Encoder, path,
                         {.modality = Modality::Audio}));
    return parts;
  }
  if (object_at(document, "vision_config"))
    parts.push_back(read(part_at(document, "vision tower", "vision_config"), document, Role::Encoder, path));
  if (object_at(document, "audio_config"))
    parts.push_back(read(part_at(document, "audio tower", "audio_config"), document, Role::Encoder, path,
                         {.modality = Modality::Audio}));
  parts.push_back(
      read(part_at(document, "language model", text_key(document)), document, Role::Backbone, path));
  for (const std::string_view key : kOtherParts)
    if (object_at(document, key)) parts.push_back(unread(document, key, path));
  return parts;
}

}  // namespace spillway
