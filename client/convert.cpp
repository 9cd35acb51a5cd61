#include "client/convert.h"

#include <cerrno>
#include <iostream>
#include <memory>
#include <new>
#include <string>

#include "client/convert_options.h"
#include "client/output_file.h"
#include "client/read_document.h"
#include "client/signals.h"
#include "client/trace_listing.h"
#include "proto/model/event_listing.h"
#include "proto/model/neutral_json.h"

namespace perfrelay::client {
namespace {

Whitespace policy_of(const ConvertOptions& options, const Document& document, const Codec* to) {
    if (options.ws_given) return options.common.whitespace;
    const bool as_it_is =
        to == nullptr ? !options.graph : to->info().text_xml || to->info().values_as_written;
    return as_it_is || !document.source_is_xml ? Whitespace::keep : Whitespace::automatic;
}

// "" or why the document has not got what is to be written.
std::string why_no_model(ReadDocument& read, Model wanted, const Options& options) {
    make_model(read, wanted, options);
    const Document& document = read.document;
    return document.bridge_fault.empty() ? document.missing : document.bridge_fault;
}

// "" or why `codec` cannot.
std::string encode(Codec& codec, const Document& document, Buffer& out) {
    if (auto why = codec.cannot_represent(document, false)) return std::move(*why);
    if (auto done = codec.prepare(document); !done) return describe(done.error());
    if (auto done = codec.encode(document, out); !done) return describe(done.error());
    return "";
}

int write(const ConvertOptions& options, const Buffer& out, const std::atomic<int>& stop) {
    const std::string why = write_output(options.output, out.view(), stop);
    if (why.empty()) return status(ExitCode::ok);
    // A reader that went away (head, less) knows what it has read.
    if (options.output == "-" && errno == EPIPE) return status(ExitCode::partial);
    return complain(ExitCode::partial,
                    (options.output == "-" ? "standard output" : options.output) + ": " + why);
}

// What IN holds, event by event, up to where it is wrong if it is: then a trace is wanted most.
int trace(const ConvertOptions& options, const FormatTable& formats, const std::atomic<int>& stop) {
    std::string why;
    SchemaShelf schemas(options.common.catalogue);
    const auto read = read_source(options.input, options.common, formats, schemas, &stop, why);
    if (!read) return complain(stop != 0 ? ExitCode::partial : ExitCode::bad_input, why);
    const Document& document = read->document;
    const std::unique_ptr<Codec> codec = formats.make(document.source_spec, read->codecs, why);
    if (codec == nullptr) return complain(ExitCode::bad_input, document.name + ": " + why);
    Buffer out;
    TraceListing listing(out);
    const Result<> traced = codec->trace(document.source.view(), listing);
    const int written = write(options, out, stop);
    if (traced || written != status(ExitCode::ok)) return written;
    return complain(ExitCode::bad_input,
                    document.name + ": " + document.source_spec + ": " + describe(traced.error()));
}

int convert(const ConvertOptions& options, const FormatTable& formats) {
    const std::atomic<int>& stop = install_signals();
    if (options.trace) return trace(options, formats, stop);
    std::string why;
    SchemaShelf schemas(options.common.catalogue);
    auto read = read_document(options.input, options.common, formats, schemas, &stop, why);
    if (!read) return complain(stop != 0 ? ExitCode::partial : ExitCode::bad_input, why);
    Document& document = read->document;

    std::unique_ptr<Codec> to;
    if (!options.events && !options.graph) {
        to = formats.make(options.to, read->codecs, why);
        if (to == nullptr) return complain(ExitCode::usage, why);
    }
    apply_policy(policy_of(options, document, to.get()), document);
    const Model shown = options.graph ? Model::objects : Model::xml;
    const Model wanted = to == nullptr ? shown : to->model();
    if (why = why_no_model(*read, wanted, options.common); !why.empty()) {
        return complain(ExitCode::bad_input, document.name + ": " + why);
    }

    Buffer out;
    if (options.graph) {
        write_neutral_json(*document.objects, out);
        out.u8('\n');
    } else if (to == nullptr) {
        EventListing listing(out, read->kept);
        document.xml.play(listing);
    } else if (why = encode(*to, document, out); !why.empty()) {
        return complain(ExitCode::bad_input,
                        document.name + ": " + options.to + " cannot represent it: " + why);
    }
    return write(options, out, stop);
}

}  // namespace

int convert_main(std::span<const char* const> words, const FormatTable& formats) {
    auto parsed = parse_convert(words, formats);
    if (const auto* refused = std::get_if<Refusal>(&parsed))
        return complain(refused->code, refused->line);
    const ConvertOptions& options = std::get<ConvertOptions>(parsed);
    if (!options.help) {
        try {
            return convert(options, formats);
        } catch (const std::bad_alloc&) {
            return complain(ExitCode::bad_input,
                            options.input.path + ": not enough memory for this document");
        }
    }
    write_convert_help(std::cout);
    return status(ExitCode::ok);
}

}  // namespace perfrelay::client
