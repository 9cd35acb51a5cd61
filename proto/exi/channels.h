#pragma once
// Channels: values apart from structure, in blocks, and DEFLATE around them (EXI 9).
//
//   block with at most 100 values:  [structure, channels]
//   with more:                      [structure] [channels of at most 100] [one larger] [another] ..
//
// Each [] is a compressed stream, or with pre-compression just bytes; one without bytes is not
// there. Channels come in the order of their first value. Two policies for the decoder's body and
// two for the encoder's. Tested by tests/unit/proto/exi/streaming_test.cpp and
// tests/conformance/exi.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "proto/compress/raw_deflate.h"
#include "proto/exi/bit_reader.h"
#include "proto/exi/bit_writer.h"
#include "proto/exi/block.h"
#include "proto/exi/encoder.h"
#include "proto/exi/encoder_tables.h"
#include "proto/exi/item_reader.h"

namespace perfrelay::exi {

// The rest of an input as a source, for an inflater.
class InputSource final : public ByteSource {
  public:
    explicit InputSource(const Input& input) : input_(input) {}
    Result<Bytes> refill(std::size_t consumed) override {
        if (given_) {
            input_.next += consumed;
            if (const Result<bool> more = input_.more(); !more) return more.error();
        }
        given_ = true;
        // The first window may be empty, which is not yet the end.
        if (input_.left() == 0) {
            if (const Result<bool> more = input_.more(); !more) return more.error();
        }
        return Bytes(input_.next, input_.left());
    }

  private:
    Input input_;
    bool given_ = false;
};

// Decoding.
template <bool k_compressed>
class ReadChannels {
  public:
    static constexpr bool k_in_channels = true;

    // Compressed: `inflater` is open at the body.
    ReadChannels(Block& block, std::uint64_t block_size, compress::RawInflater* inflater)
        : block_(block), block_size_(block_size), inflater_(inflater) {
        block_.clear();
    }

    Block& block() { return block_; }

    // After each event: whether to go on.
    template <class Decoder, class Sink>
    bool keep_up(Decoder& decoder, Sink& sink) {
        // EXI 9.1: a block ends with the event that has its last value.
        if (block_.values() >= block_size_) return end_block(decoder, sink);
        if (block_.memory() > k_most_memory) [[unlikely]] {
            decoder.reader().fail(Errc::limit_exceeded,
                                  "EXI 9.1: a block of more events than the limit");
            return false;
        }
        return true;
    }
    template <class Decoder, class Sink>
    bool finish(Decoder& decoder, Sink& sink) {
        return end_block(decoder, sink);
    }

  private:
    // Of one block: some four million events with a million values.
    static constexpr std::size_t k_most_memory = std::size_t{48} << 20U;

    template <class Decoder, class Sink>
    bool end_block(Decoder& decoder, Sink& sink) {
        // EXI 9.3
        const bool together = block_.values() <= k_small_channel;
        if (!together && !end_stream(decoder)) return false;
        for (const bool large : {false, true}) {
            for (const std::uint32_t name : block_.order()) {
                if ((block_.channel(name).expected > k_small_channel) != large) continue;
                if (!read_channel(decoder, name)) return false;
                if (large && !end_stream(decoder)) return false;
            }
            if (!large && !end_stream(decoder)) return false;
        }
        block_.play(sink);
        block_.clear();
        return true;
    }

    template <class Decoder>
    bool read_channel(Decoder& decoder, std::uint32_t name) {
        Block::Channel& channel = block_.channel(name);
        channel.values.reserve(channel.expected);
        for (std::size_t i = 0; i < channel.expected; ++i) {
            const std::string_view text = decoder.channel_value(name);
            if (decoder.reader().failed()) return false;
            channel.values.push_back(text);
        }
        return true;
    }

    template <class Decoder>
    bool end_stream(Decoder& decoder) {
        if constexpr (k_compressed) {
            auto& reader = decoder.reader();
            if (reader.failed()) return false;
            const Result<> done = inflater_->end_stream(reader.left());
            const std::size_t from =
                inflater_->consumed() - std::exchange(consumed_, inflater_->consumed());
            const std::size_t to =
                inflater_->produced() - std::exchange(produced_, inflater_->produced());
            if (from != 0) decoder.stream_ended(from, to);
            reader.continue_with(Input::of(*inflater_, SIZE_MAX));
            if (!done) {
                reader.fail(done.error().code, done.error().where);
                return false;
            }
        }
        return true;
    }

    Block& block_;
    std::uint64_t block_size_;
    compress::RawInflater* inflater_;
    std::size_t consumed_ = 0;  // by it, until the last stream's end
    std::size_t produced_ = 0;
};

// Encoding: structure and values gather here, blocks go to `out`.
template <bool k_compressed>
class WriteChannels {
  public:
    static constexpr bool k_in_channels = true;

    WriteChannels(Buffer& out, std::uint64_t block_size, compress::RawDeflater* deflater)
        : out_(out), block_size_(block_size), deflater_(deflater) {}

    void add(EncoderTables& tables, const WrittenTables&, std::uint32_t name,
             std::string_view text) {
        if (name >= tables.channels.size()) tables.channels.resize(name * std::size_t{2} + 1);
        std::vector<std::string_view>& values = tables.channels[name].values;
        if (values.empty()) tables.order.push_back(name);
        values.push_back(text);
        ++count_;
    }
    bool full() const { return count_ >= block_size_; }

    template <class Encoder>
    void end_block(EncoderTables& tables, WrittenTables& written, Encoder& encoder) {
        // EXI 9.3
        const bool together = count_ <= k_small_channel;
        if (!together) end_stream(tables.structure, encoder);
        for (const bool large : {false, true}) {
            for (const std::uint32_t name : tables.order) {
                const std::vector<std::string_view>& values = tables.channels[name].values;
                if ((values.size() > k_small_channel) != large) continue;
                BitWriter<Packing::bytes> writer(tables.structure);
                for (const std::string_view text : values)
                    write_value(writer, written.values, name, text, WriteValues::Key(text));
                if (large) end_stream(tables.structure, encoder);
            }
            if (!large) end_stream(tables.structure, encoder);
        }
        for (const std::uint32_t name : tables.order)
            tables.channels[name].values.clear();
        tables.order.clear();
        count_ = 0;
    }

  private:
    // EXI 9.3: nothing is written for nothing.
    template <class Encoder>
    void end_stream(Buffer& bytes, Encoder& encoder) {
        if (bytes.empty()) return;
        if constexpr (k_compressed) {
            if (const Result<> done = deflater_->run(bytes.view(), out_); !done)
                encoder.fail(done.error().where);
        } else {
            out_.append(bytes.view());
        }
        bytes.clear();
    }

    Buffer& out_;
    std::uint64_t block_size_;
    compress::RawDeflater* deflater_;
    std::size_t count_ = 0;
};

}  // namespace perfrelay::exi
