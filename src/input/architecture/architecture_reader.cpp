#include "input/architecture/architecture_reader.h"

#include <algorithm>
#include <array>
#include <span>
#include <type_traits>
#include <vector>

#include "input/architecture/class_defaults.h"
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

// The section of a part; without a key, the document itself.
struct Section {
  const Node* node;
  std::string pointer;
};

// A model that also speaks has its text, images and sound in a section, which is read as a document is.
constexpr const char* kThinker = "thinker_config";

// One file while it is read.
struct ConfigFile {
  const Node& outer;     // the file
  const Node& document;  // the file, or its thinker
  std::string pointer;   // of the document
  Role role;
  const ArchitectureOptions& options;
  Findings& findings;

  void refuse_type(const std::string& expected) const {
    const Node* type = member(&document, "model_type");
    findings.add(pointer + "/model_type", expected, type ? describe(*type) : "nothing");
    findings.throw_if_any();
  }
  Section section(std::string_view key) const { return {member(&document, key), child(pointer, key)}; }
};

// The keys of a nested language model, in the order in which they are tried.
constexpr std::array<std::string_view, 3> kTextKeys = {"text_config", "llm_config", "language_config"};

Section text_section(const ConfigFile& file) {
  for (const std::string_view key : kTextKeys)
    if (member(&file.document, key)) return file.section(key);
  return {&file.document, file.pointer};
}

// A family, and the model_type by which it was found.
template <class Family>
struct Named {
  const Family* family;
  std::string type;
};

// Returns the family of the section's model_type, otherwise of the document's; null if there is none.
template <class Families>
auto named_family(const ConfigFile& file, const Section& section, const Families& families) {
  using Family = std::remove_cv_t<std::remove_pointer_t<typename Families::value_type>>;
  for (const std::string& name : {text_at(section.node, "model_type"), text_at(&file.document, "model_type")})
    if (const auto* family = find_family(families, name)) return Named<Family>{family, name};
  return Named<Family>{nullptr, ""};
}

// Passes over the keys of towers and of their combination with a language model.
void pass_over_towers(const ConfigFile& file, ConfigSection& whole) {
  whole.pass_over({"vision_config", "audio_config"});
  if (const auto tower = named_family(file, file.section("vision_config"), kEveryVisionFamily); tower.family)
    whole.pass_over(tower.family->around);
  if (const auto tower = named_family(file, file.section("audio_config"), kEveryAudioFamily); tower.family)
    whole.pass_over(tower.family->around);
}

// Passes over the keys of all parts, which the reader of one part need not know.
void pass_over_the_whole(const ConfigFile& file, ConfigSection& whole) {
  whole.pass_over({"text_config", "llm_config", "language_config", "hidden_size", "vocab_size",
                   "intermediate_size", "tie_word_embeddings"});
  pass_over_towers(file, whole);
}

// `wanted` says what the block needs if the type is a family of the other kind.
template <class Families, class Others>
auto family_of(const ConfigFile& file, const Section& section, const Families& families, const Others& others,
               std::string_view wanted) {
  auto found = named_family(file, section, families);
  if (found.family) return found;
  const Node* node = member(&file.document, "model_type");
  if (!node) file.refuse_type("a value");
  const bool nested = !text_at(section.node, "model_type").empty() && section.node != &file.document;
  if (!nested && find_family(others, text_at(&file.document, "model_type")))
    file.refuse_type(std::string(wanted));
  const Place named = nested ? Place{member(section.node, "model_type"), section.pointer + "/model_type",
                                     &file.findings, nullptr}
                             : Place{node, file.pointer + "/model_type", &file.findings, nullptr};
  read_word(named, family_names(families));
  file.findings.throw_if_any();
  ensure(false, "a model_type without a family is refused");
  return found;
}

// Reports keys beside the thinker that belong to no part of a model that speaks.
void refuse_unknown_outside(const ConfigFile& file) {
  if (&file.outer == &file.document) return;
  ConfigSection outside(file.outer, file.findings);
  outside.pass_over({kThinker, "talker_config", "token2wav_config", "code2wav_config", "enable_audio_output",
                     "enable_talker"});
  outside.refuse_unknown();
}

void refuse_unknown(const ConfigFile& file, ConfigSection& inner, ConfigSection& whole) {
  inner.refuse_unknown();
  if (const Section text = text_section(file); inner.is_nested() && text.node != &file.document) {
    pass_over_the_whole(file, whole);
    whole.pass_over_keys_of(*text.node);  // files saved again repeat them, and the section counts
    whole.refuse_unknown();
  }
  refuse_unknown_outside(file);
}

std::vector<std::string> sentences(const ConfigFile& file, const ConfigSection& inner,
                                   std::span<const std::string_view> of_family) {
  std::vector<std::string> all;
  for (const std::string_view assumed : of_family)
    if (!assumed.empty()) all.emplace_back(assumed);
  if (const std::string sizes = inner.assumed(); !sizes.empty())
    all.push_back("The file leaves out " + sizes + ": the defaults of its configuration class.");
  if (&file.outer != &file.document)
    all.push_back("The thinker is read; what speaks (talker, token2wav, code2wav) is left out.");
  return all;
}

template <class Family, class Adjust>
ReadPart read_section(const ConfigFile& file, const Section& section, const Named<Family>& named,
                      Adjust adjust) {
  ConfigSection whole(file.document, file.findings, file.pointer);
  const bool nested = section.node != &file.document;
  ConfigSection inner = nested ? ConfigSection(section.node, section.pointer, whole, file.findings) : whole;
  file.findings.throw_if_any();
  inner.assume(class_defaults(named.type));
  auto model = named.family->read(inner);
  if constexpr (std::is_same_v<Family, TextFamily>) pass_over_towers(file, inner);
  refuse_unknown(file, inner, whole);
  file.findings.throw_if_any();
  adjust(model, inner);
  file.findings.add(inner.in_file(check_architecture(model)));
  file.findings.throw_if_any();
  return {std::move(model), sentences(file, inner, named.family->assumes), inner.keys(true),
          inner.keys(false)};
}

// "The checkpoint is stored as fp8 says quantization_config ...", or nothing.
std::vector<std::string> of_quantization(const ConfigFile& file) {
  for (const Node* node : {&file.outer, &file.document, text_section(file).node})
    for (const char* key : {"quantization_config", "compression_config"})
      if (const Node* how = member(node, key); how && std::holds_alternative<Object>(how->value)) {
        const std::string method = text_at(how, "quant_method");
        return {std::string("The checkpoint is stored quantized (") + key +
                (method.empty() ? "" : ": " + method) +
                "). A step computes in BF16, or as the block's fp8 or fp4 says."};
      }
  return {};
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
  return read_section(file, {&file.document, ""}, Named<GeneratorFamily>{&family, ""},
                      [&](DiffusionTransformer& model, const ConfigSection&) {
                        model.num_layers = file.options.layers.value_or(model.num_layers);
                      });
}

template <class Families, class Tower>
ReadPart read_tower(const ConfigFile& file, const Section& section, const Families& families,
                    std::string_view wanted, std::uint32_t Tower::*layers) {
  const auto named = family_of(file, section, families, kEveryTextFamily, wanted);
  refuse_text_options(file);
  return read_section(file, section, named, [&](Tower& tower, const ConfigSection&) {
    tower.*layers = file.options.layers.value_or(tower.*layers);
  });
}

bool is_audio(const ConfigFile& file) {
  if (file.options.modality) return *file.options.modality == Modality::Audio;
  if (member(&file.document, "vision_config")) return false;
  return member(&file.document, "audio_config") ||
         find_family(kEveryAudioFamily, text_at(&file.document, "model_type"));
}

ReadPart read_vision_tower(const ConfigFile& file) {
  return read_tower(file, file.section("vision_config"), kEveryVisionFamily, "a vision tower for an encoder",
                    &VisionTower::depth);
}

ReadPart read_audio_tower(const ConfigFile& file) {
  Section section = file.section("audio_config");
  if (!section.node) section = {&file.document, file.pointer};
  return read_tower(file, section, kEveryAudioFamily, "an audio tower for an encoder",
                    &AudioTower::encoder_layers);
}

ReadPart read_text_model(const ConfigFile& file) {
  const Section section = text_section(file);
  const auto named =
      family_of(file, section, kEveryTextFamily, kEveryVisionFamily, "a language model for a backbone");
  ReadPart part = read_section(file, section, named, [&](TextModel& model, ConfigSection& config) {
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
  for (std::string& sentence : of_quantization(file)) part.assumes.push_back(std::move(sentence));
  return part;
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

// Returns the thinker if there is one, otherwise the file itself.
Section document_of(const Node& file) {
  const Node* thinker = member(&file, kThinker);
  return thinker && std::holds_alternative<Object>(thinker->value) ? Section{thinker, child("", kThinker)}
                                                                   : Section{&file, ""};
}

// Like read_architecture, for a document. Throws InputError with every violation.
ReadPart read_part(const Node& document, Role role, const ArchitectureOptions& options, Findings& findings) {
  const Section of = document_of(document);
  const ConfigFile file{document, *of.node, of.pointer, role, options, findings};
  if (const auto* family = find_family(kEveryGeneratorFamily, text_at(&document, "_class_name")))
    return read_diffusion_transformer(file, *family);
  if (role == Role::Encoder) return is_audio(file) ? read_audio_tower(file) : read_vision_tower(file);
  return read_text_model(file);
}

// Keys of parts that no family here reads.
constexpr std::array<std::string_view, 3> kOtherParts = {"speech_config", "dit_config", "tts_config"};

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

SupportedPart part_at(const Section& whole, std::string name, const std::string& key) {
  SupportedPart part;
  part.name = std::move(name);
  part.section = key.empty() ? whole.pointer : child(whole.pointer, key);
  part.model_type = key.empty() ? "" : type_in(object_at(*whole.node, key));
  if (part.model_type.empty()) part.model_type = type_in(whole.node);
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

SupportedPart unread(const Section& whole, std::string_view key, const std::string& path) {
  SupportedPart part = part_at(whole, std::string(key), std::string(key));
  part.refused.push_back({path, part.section,
                          "a vision tower, an audio tower or a language model: other parts are not supported",
                          "an object"});
  return part;
}

}  // namespace

Architecture read_architecture(const std::string& path, Role role, const ArchitectureOptions& options,
                               const Files& files) {
  Findings findings(path);
  const Node document = read_config(path, findings, files);
  return read_part(document, role, options, findings).architecture;
}

std::string model_type_of(const std::string& path, const Files& files) {
  Findings findings(path);
  const Node file = read_config(path, findings, files);
  return text_at(&file, "model_type");
}

std::vector<SupportedPart> read_support(const std::string& path, const Files& files) {
  Findings findings(path);
  const Node file = read_config(path, findings, files);
  const Section whole = document_of(file);
  const Node& document = *whole.node;
  std::vector<SupportedPart> parts;
  const auto add = [&](std::string name, const std::string& key, Role role,
                       const ArchitectureOptions& options) {
    parts.push_back(read(part_at(whole, std::move(name), key), file, role, path, options));
  };
  if (find(std::get<Object>(file.value), "_class_name")) {
    add("generator", "", Role::Generator, {});
    return parts;
  }
  const bool nested = object_at(document, "audio_config") || &document != &file;
  if (!nested && find_family(kEveryAudioFamily, type_in(&document))) {
    add("audio tower", "", Role::Encoder, {.modality = Modality::Audio});
    return parts;
  }
  if (object_at(document, "vision_config"))
    add("vision tower", "vision_config", Role::Encoder, {.modality = Modality::Vision});
  if (object_at(document, "audio_config"))
    add("audio tower", "audio_config", Role::Encoder, {.modality = Modality::Audio});
  add("language model", text_key(document), Role::Backbone, {});
  for (const std::string_view key : kOtherParts)
    if (object_at(document, key)) parts.push_back(unread(whole, key, path));
  return parts;
}

}  // namespace spillway
