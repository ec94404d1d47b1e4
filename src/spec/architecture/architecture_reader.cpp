#include "spec/architecture/architecture_reader.h"

#include <algorithm>
#include <vector>

#include "spec/architecture/families.h"
#include "spec/json/document.h"

namespace spillway {
namespace {

const Node* member(const Node& document, std::string_view key) {
  const auto* object = std::get_if<Object>(&document.value);
  return object ? find(*object, key) : nullptr;
}

std::string text_at(const Node* node, std::string_view key) {
  const Node* value = node ? member(*node, key) : nullptr;
  const auto* text = value ? std::get_if<std::string>(&value->value) : nullptr;
  return text ? *text : "";
}

// None where no family goes under the name.
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
std::vector<std::string_view> names_of(const Families& families) {
  std::vector<std::string_view> names;
  for (const auto* family : families)
    for (const std::string_view name : family->names)
      if (!name.empty()) names.push_back(name);
  return names;
}

// One file on its way to an architecture.
struct ConfigFile {
  const Node& document;
  Role role;
  const ArchitectureOptions& options;
  Findings& findings;

  void refuse_type(const std::string& expected) const {
    const Node* type = member(document, "model_type");
    findings.add("/model_type", expected, type ? describe(*type) : "nothing");
    findings.throw_if_any();
  }
};

// The family of the section's model_type, or else of the document's. `other_role` says what the block wants
// where the type is one of the families of the other kind.
template <class Families, class Others>
const auto& family_of(const ConfigFile& file, const Node* section, const Families& families,
                      const Others& others, const std::string& wanted) {
  const std::string type = text_at(&file.document, "model_type");
  for (const std::string& name : {text_at(section, "model_type"), type})
    if (const auto* family = find_family(families, name)) return *family;
  const Node* node = member(file.document, "model_type");
  if (!node) file.refuse_type("a value");
  if (find_family(others, type)) file.refuse_type(wanted);
  read_word({node, "/model_type", &file.findings, nullptr}, names_of(families));
  file.findings.throw_if_any();
  ensure(false, "a model_type without a family is refused");
  return *families.front();
}

template <class Model, class Adjust>
Model read_section(const ConfigFile& file, const Node* section, const std::string& pointer,
                   Model (*read)(ConfigSection&), Adjust adjust) {
  ConfigSection config(section, pointer, file.document, file.findings);
  file.findings.throw_if_any();
  Model model = read(config);
  config.refuse_unknown();
  file.findings.throw_if_any();
  adjust(model, config);
  file.findings.add(config.in_file(check_architecture(model)));
  file.findings.throw_if_any();
  return model;
}

void refuse_text_options(const ConfigFile& file) {
  if (file.options.multi_token_prediction) file.refuse_type("a language model, for multi-token prediction");
  if (file.options.separate_vocabulary) file.refuse_type("a language model, for a vocabulary of its own");
  if (!file.options.fused_attention) file.refuse_type("a language model, for unfused attention");
}

DiffusionTransformer read_diffusion_transformer(const ConfigFile& file, const GeneratorFamily& family) {
  if (file.role != Role::Generator)
    file.findings.add("/_class_name", "a model_type, for this block is no generator",
                      '"' + text_at(&file.document, "_class_name") + '"');
  file.findings.throw_if_any();
  refuse_text_options(file);
  return read_section(file, &file.document, "", family.read,
                      [&](DiffusionTransformer& model, const ConfigSection&) {
                        model.num_layers = file.options.layers.value_or(model.num_layers);
                      });
}

VisionTower read_vision_tower(const ConfigFile& file) {
  const Node* section = member(file.document, "vision_config");
  const VisionFamily& family =
      family_of(file, section, kVisionFamilies, kTextFamilies, "a vision tower for an encoder");
  refuse_text_options(file);
  return read_section(file, section, "/vision_config", family.read,
                      [&](VisionTower& tower, const ConfigSection&) {
                        tower.depth = file.options.layers.value_or(tower.depth);
                      });
}

TextModel read_text_model(const ConfigFile& file) {
  const Node* nested = member(file.document, "text_config");
  const Node* section = nested ? nested : &file.document;
  const TextFamily& family =
      family_of(file, section, kTextFamilies, kVisionFamilies, "a language model for a backbone");
  return read_section(file, section, nested ? "/text_config" : "", family.read,
                      [&](TextModel& model, ConfigSection& config) {
                        model.num_hidden_layers = file.options.layers.value_or(model.num_hidden_layers);
                        model.fused_attention = file.options.fused_attention;
                        model.separate_vocabulary = file.options.separate_vocabulary;
                        if (!file.options.multi_token_prediction)
                          model.num_nextn_predict_layers = 0;
                        else if (model.num_nextn_predict_layers == 0)
                          config.refuse("num_nextn_predict_layers",
                                        "layers of multi-token prediction, which are asked for", "none");
                      });
}

}  // namespace

Architecture read_architecture(const std::string& path, Role role, const ArchitectureOptions& options,
                               const Files& files) {
  Findings findings(path);
  const std::optional<Node> document = read_json(path, findings, files);
  findings.throw_if_any();
  if (!std::holds_alternative<Object>(document->value)) findings.add("", "an object", describe(*document));
  findings.throw_if_any();
  const ConfigFile file{*document, role, options, findings};
  if (const auto* family = find_family(kGeneratorFamilies, text_at(&*document, "_class_name")))
    return read_diffusion_transformer(file, *family);
  if (role == Role::Encoder) return read_vision_tower(file);
  return read_text_model(file);
}

}  // namespace spillway
