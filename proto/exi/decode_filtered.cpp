#include "proto/exi/stream_reader.h"

namespace perfrelay::exi {

template Result<> StreamReader::read(const Input&, const EncoderOptions&,
                                     WhitespaceFilter<DigestSink>&, NoTrace&);
template Result<> StreamReader::read(const Input&, const EncoderOptions&,
                                     WhitespaceFilter<TapeSink<true>>&, NoTrace&);

}  // namespace perfrelay::exi
