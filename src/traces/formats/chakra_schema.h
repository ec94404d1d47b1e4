// The field numbers of MLCommons Chakra's et_def.proto that are read (chakra_nodes.cpp) or written
// (report/order/chakra.cpp).
#pragma once

#include <cstdint>

namespace spillway {

struct ChakraSchema {
  enum NodeField : std::uint32_t {
    kId = 1,
    kName = 2,
    kType = 3,
    kControlNeeds = 4,
    kDataNeeds = 5,
    kStartMicros = 6,
    kDurationMicros = 7,
    kAttr = 10
  };
  enum AttributeField : std::uint32_t { kAttrName = 1, kInt32 = 7, kInt64 = 9, kBool = 27, kString = 29 };
  enum MetadataField : std::uint32_t { kVersion = 1, kMetadataAttr = 2 };
};

}  // namespace spillway
