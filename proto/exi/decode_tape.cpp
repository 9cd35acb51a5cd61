#include "proto/exi/stream_reader.h"

namespace perfrelay::exi {

template Result<> StreamReader::read(const Input&, const EncoderOptions&, TapeSink<false>&,
                                     NoTrace&);
template Result<> StreamReader::read(const Input&, const EncoderOptions&, TapeSink<true>&,
                                     NoTrace&);

}  // namespace perfrelay::exi
