#pragma once
// Any ObjectGraph in AMF3's own terms: how what AMF3 has no word for is written. This is AMF3's
// declared fidelity: what was made of the document comes back unchanged, bit for bit.
//
//   collection, set          flex.messaging.io.ArrayCollection, its items in an array
//   array of Java            array; byte[] is a byte array
//   map                      by default an anonymous dynamic object, or a dictionary when a key is
//                            no text; blazeds: an anonymous object whose class has the keys as
//                            members; graniteds: always the dynamic one
//   enumeration              its name as a string; graniteds: an externalizable of its class
//   big number               its digits as a string; graniteds: a double
//   box of Java              the value within
//   byte, short              integer; beyond 29 bits: double
//   long, float              double: a long keeps 53 bits
//   date                     a double of milliseconds: keeps 53 bits
//   char, class              string
//   object of Java           one object with the fields of all its levels; profiles have their
//                            libraries' order of properties (the order of their hash tables)
//   several top-level items  array
//
// Refused: objects whose class wrote data of its own, proxies, resets and descriptions.
// Tested by tests/unit/proto/amf3/.

#include "common/base/result.h"
#include "proto/model/object_graph.h"

namespace perfrelay::amf3 {

enum class Profile : std::uint8_t { plain, blazeds, graniteds };

// Into `to`, which is cleared. Errors: unsupported, with the reason.
Result<> lower(const ObjectGraph& from, Profile profile, ObjectGraph& to);

}  // namespace perfrelay::amf3
