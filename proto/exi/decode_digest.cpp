#include "proto/exi/stream_reader.h"

namespace perfrelay::exi {

template Result<> StreamReader::read(const Input&, const EncoderOptions&, DigestSink&, NoTrace&);

}  // namespace perfrelay::exi
