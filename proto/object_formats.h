#pragma once
// The formats of objects: made by SPEC, for their lines in the table of formats.h, and inputs told
// apart.
//
// Tested by tests/unit/proto/object_codec_test.cpp.

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/base/limits.h"
#include "proto/codec/codec.h"
#include "proto/codec/spec.h"

namespace perfrelay {

// "amf3", with profile=plain|blazeds|graniteds and text=utf8|cesu8; "hessian2"; "javaser". Null and
// `why` when it is none of them or has no such option.
std::unique_ptr<Codec> make_object_codec(const SpecPart& format, const Limits& limits,
                                         std::string& why);

enum class ObjectInput { amf3, hessian2, javaser, neutral_json };

// What an input is, by its magic bytes, else by the ending of its name (.ser; .amf, .amf3; .h2,
// .hessian, .hessian2; .json, when it is the neutral notation).
std::optional<ObjectInput> detect_objects(std::string_view name, Bytes input);
// By the word of `--from`.
std::optional<ObjectInput> object_input(std::string_view word);

Result<> read_objects(ObjectInput kind, Bytes input, const Limits& limits, ObjectGraph& graph);

}  // namespace perfrelay
