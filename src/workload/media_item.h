// What an encoder takes from a sample: an image, a video, or a clip of audio.
#pragma once

#include <compare>
#include <cstdint>

namespace spillway {

enum class Modality : std::uint8_t { Vision, Audio };

// A patch is a patch of an image or of a temporal patch of a video, or a position of a clip: what an
// encoder's layers run over. Patches attend within their part: an image has one, a video one for each
// temporal patch, a padded clip one for each window.
struct MediaItem {
  // An image of so many patches.
  constexpr MediaItem(std::uint32_t patches_of_it = 0) : patches(patches_of_it) {}  // NOLINT: not explicit
  constexpr MediaItem(Modality kind, std::uint32_t patches_of_it, std::uint32_t equal_parts,
                      std::uint32_t backbone_tokens, std::uint32_t text_beside)
      : modality(kind),
        patches(patches_of_it),
        parts(equal_parts),
        tokens(backbone_tokens),
        text(text_beside) {}

  Modality modality = Modality::Vision;
  std::uint32_t patches = 0;
  std::uint32_t parts = 1;   // of equally many patches; divides them
  std::uint32_t tokens = 0;  // backbone tokens that the encoder makes of it; samples have them
  std::uint32_t text = 0;    // text tokens that come with it: the timestamps of a video

  friend auto operator<=>(const MediaItem&, const MediaItem&) = default;
};

}  // namespace spillway
