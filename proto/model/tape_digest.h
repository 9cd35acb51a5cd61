#pragma once
// digest_of: what decoding straight into a DigestSink would say of a document that is on a tape.
// Tested by tests/contract/codec_contract_test.cpp.

#include "proto/model/digest_sink.h"
#include "proto/model/xml_tape.h"

namespace perfrelay {

inline Digest digest_of(const XmlTape& tape) {
    DigestSink sink;
    tape.play(sink);
    return sink.digest();
}

}  // namespace perfrelay
