#pragma once
// The formats of objects, made by SPEC for their lines in the table of formats.h.
// Tested by tests/unit/proto/object_codec_test.cpp.

#include <memory>
#include <string>

#include "common/base/limits.h"
#include "proto/codec/codec.h"
#include "proto/codec/spec.h"

namespace perfrelay {

// "amf3", with profile=plain|blazeds|graniteds and text=utf8|cesu8; "hessian2"; "javaser"; "json",
// "json:nlohmann"; "cbor"; "msgpack"; "bson". Null and `why` when it is none of them or has no such
// option.
std::unique_ptr<Codec> make_object_codec(const SpecPart& format, const Limits& limits,
                                         std::string& why);

}  // namespace perfrelay
