#pragma once
// The options of an exi SPEC: "exi:align=byte,comments,vcap=0" to EncoderOptions.
//
//   align=bit|byte|pre|comp  comments pis dtds prefixes lexical all  strict fragment
//   sc=qname;qname..  blockSize= vmax= vcap=  dtrm=type>rep;..  schemaId  level=  cookie options
//   nolocal maxgr= maxprod= profile  canonical omitOptionsDocument utc  preview
//   xsiloc=keep|drop nilinsig=keep|drop er=keep|drop      (a bare word: keep, which is the default;
//       xsiloc=drop with strict and a schema)
//
// sc alone lets streams have self-contained elements; with names, those are written so (with kept
// prefixes: unless a declaration is in scope there). maxgr, maxprod and utc need a schema.
// canonical has options, as Canonical EXI 2 has it where nothing is said. Qualified names are
// {uri}local, or local. Tested by tests/unit/proto/exi/exi_spec_test.cpp.

#include <optional>
#include <string>

#include "proto/codec/spec.h"
#include "proto/exi/options.h"

namespace perfrelay::exi {

// `start` has what is not a matter of the SPEC: the schema.
// Nothing, and `why` one line, when an option is unknown, has a wrong value, or does not go with
// another. `highest_level` of DEFLATE.
std::optional<EncoderOptions> parse_options(const SpecPart& format, int highest_level,
                                            std::string& why, EncoderOptions start = {});

}  // namespace perfrelay::exi
