// EXI vectors: decode gives the events; encode gives the bytes where a row says
// so, and otherwise decodes to the events again.
//
//   exi_vectors own DIRECTORY        of vectors/exi: manifest.tsv, its README says what a row is
//   exi_vectors interop DIRECTORY    the W3C interoperability suite as vectors/exi-interop has it
//   exi_vectors corpus DIRECTORY     real documents: sizes.tsv's sizes, and each round trip under
//                                    every alignment and fidelity option
//   ... -v                           each row that fails, known or not, with what differs first
//
// Rows that are known to fail are listed in open.txt, by their names; they are counted apart. One
// that passes must not stand there.
//
// Exit 0 when all pass, 1 when not, 77 when the directory is not there.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "proto/exi/schema/schema_maker.h"
#include "proto/exi/schema/xsd_loader.h"
#include "proto/formats.h"
#include "proto/model/event_listing.h"
#include "tests/conformance/exi/vector_files.h"

namespace perfrelay::vectors {
namespace {

// Codecs with the schema that a row names: an XSD's path, "xsd-types", or "-".
class Schemas {
  public:
    // `whole_name`: streams name a schema by its whole path.
    Schemas(std::string directory, bool whole_name)
        : directory_(std::move(directory)), whole_name_(whole_name) {}

    std::unique_ptr<Codec> codec(const std::string& spec, const std::string& xsd,
                                 std::string& why) {
        CodecOptions options;
        if (xsd != "-") {
            options.schema = schema(xsd, why);
            if (options.schema == nullptr) return nullptr;
            if (xsd != "xsd-types")
                options.schema_name = whole_name_ ? xsd : xsd.substr(xsd.rfind('/') + 1);
        }
        return FormatTable::built_in().make(spec, options, why);
    }

  private:
    std::shared_ptr<const exi::Schema> schema(const std::string& xsd, std::string& why) {
        std::shared_ptr<const exi::Schema>& known = known_[xsd];
        if (known != nullptr) return known;
        if (xsd == "xsd-types") return known = exi::built_in_schema();
        const auto components = exi::load_xsd(directory_ + "/" + xsd, {}, why);
        if (!components) return nullptr;
        auto made = exi::make_schema(*components);
        if (!made) {
            why = describe(made.error());
            return nullptr;
        }
        return known = *made;
    }

    std::string directory_;
    bool whole_name_;
    std::map<std::string, std::shared_ptr<const exi::Schema>> known_;
};

bool has(const std::string& options, const std::string& word) {
    const std::vector<std::string> all = parts(options, ',');
    return std::find(all.begin(), all.end(), word) != all.end();
}

std::string first_difference(const std::string& expected, const std::string& actual) {
    const auto a = parts(expected, '\n');
    const auto b = parts(actual, '\n');
    for (std::size_t i = 0;; ++i) {
        const std::string x = i < a.size() ? a[i] : "nothing";
        const std::string y = i < b.size() ? b[i] : "nothing";
        if (x != y) return "line " + std::to_string(i + 1) + ": expected " + x + ", found " + y;
        if (i >= a.size() && i >= b.size()) return "";
    }
}

class Tally {
  public:
    explicit Tally(bool verbose) : verbose_(verbose) {
        std::ifstream list(PERFRELAY_OPEN_ROWS);
        for (std::string line; std::getline(list, line);) {
            if (!line.empty() && line[0] != '#') open_.insert(line);
        }
    }

    void passed(const std::string& check) { ++counts_[check].first; }
    void failed(const std::string& check, const std::string& row, const std::string& why) {
        if (open_.contains(row)) {
            still_open_.insert(row);
            if (verbose_) print("known to fail: ", row, check, why);
            return;
        }
        ++counts_[check].second;
        if (verbose_ || ++shown_ <= 20) print("", row, check, why);
    }
    void judge(const std::string& check, const std::string& row, const std::string& why) {
        if (open_.contains(row)) tried_.insert(row);
        why.empty() ? passed(check) : failed(check, row, why);
    }
    int finish() const {
        bool all = !counts_.empty();
        for (const auto& [check, count] : counts_) {
            std::printf("%s: %zu passed, %zu failed\n", check.c_str(), count.first, count.second);
            all = all && count.second == 0;
        }
        if (!still_open_.empty())
            std::printf("known to fail: %zu, of open.txt\n", still_open_.size());
        for (const std::string& row : tried_) {
            if (still_open_.contains(row)) continue;
            std::printf("%s: passes; open.txt need not name it any more\n", row.c_str());
            all = false;
        }
        return all ? 0 : 1;
    }

  private:
    static void print(const char* how, const std::string& row, const std::string& check,
                      const std::string& why) {
        std::printf("%s%s: %s: %s\n", how, row.c_str(), check.c_str(), why.substr(0, 400).c_str());
    }

    bool verbose_;
    std::size_t shown_ = 0;
    std::set<std::string> open_;
    std::set<std::string> tried_;  // of these
    std::set<std::string> still_open_;
    std::map<std::string, std::pair<std::size_t, std::size_t>> counts_;
};

std::string bytes_differ(Bytes expected, Bytes actual) {
    std::size_t at = 0;
    while (at < expected.size() && at < actual.size() && expected[at] == actual[at])
        ++at;
    if (at == expected.size() && at == actual.size()) return "";
    return "byte " + std::to_string(at) + " of " + std::to_string(expected.size()) + " differs, " +
           std::to_string(actual.size()) + " were written";
}

// "" and the listing, or why not.
std::string decoded(Codec& codec, Bytes bytes, XmlTape& tape) {
    if (const Result<> done = codec.decode(bytes, tape); !done) return describe(done.error());
    return "";
}

std::string listing_of(const XmlTape& tape, const Fidelity& fidelity) {
    Buffer out;
    EventListing listing(out, fidelity);
    tape.play(listing);
    return std::string(as_text(out.view()));
}

// ---- vectors/exi

// The oracle ends lists in a blank, and makes up prefixes for types.
std::string typed_listing(const std::string& listing) {
    std::string out;
    for (std::string line : parts(listing, '\n')) {
        if (line.size() > 2 && line.compare(line.size() - 2, 2, " \"") == 0 &&
            line.rfind("CM", 0) != 0) {
            line.erase(line.size() - 2, 1);
        }
        constexpr std::string_view k_type = "AT {http://www.w3.org/2001/XMLSchema-instance}type = ";
        if (line.rfind(k_type, 0) == 0) {
            const std::size_t colon = line.find(':', k_type.size());
            if (colon != std::string::npos) line.erase(k_type.size() + 1, colon - k_type.size());
        }
        out += line + "\n";
    }
    return out;
}

std::string spec_of(const std::string& options, bool informed) {
    std::string spec = "exi:" + (options == "-" ? "" : options + ",");
    // What the oracle leaves out unless told (and xsi:nil="false" where there is a schema).
    for (const std::string word : {"xsiloc", "er"}) {
        if (!has(options, word)) spec += word + "=drop,";
    }
    if (informed && !has(options, "nilinsig")) spec += "nilinsig=drop,";
    spec.pop_back();
    return spec;
}

void own_row(const Row& row, const std::string& directory, Schemas& schemas, Tally& tally) {
    const std::string options = row.at("options");
    const std::string name = row.at("exi") + " (" + options + ")";
    std::string why;
    const bool informed = row.at("xsd") != "-";
    const auto codec = schemas.codec(spec_of(options, informed), row.at("xsd"), why);
    if (codec == nullptr) return tally.failed("make", name, why);
    const auto exi = file_text(directory + "/" + row.at("exi"));
    const auto events = file_text(directory + "/" + row.at("events"));
    if (!exi || !events) return tally.failed("read", name, "the stream or its events are missing");

    Fidelity shown;
    shown.prefixes = has(options, "prefixes") || has(options, "all");
    XmlTape tape;
    why = decoded(*codec, as_bytes(*exi), tape);
    const std::string wanted = informed ? typed_listing(*events) : *events;
    const auto listed = [&](const XmlTape& of) {
        return informed ? typed_listing(listing_of(of, shown)) : listing_of(of, shown);
    };
    if (why.empty()) why = first_difference(wanted, listed(tape));
    tally.judge("decode", name, why);

    const bool keep = has(options, "lexical") || has(options, "all");
    std::unique_ptr<Document> loaded;
    // What an encoder changes for good, as UTC does: the events are what it made of the XML.
    const bool by_events =
        row.at("note").find("encode from the events file") != std::string::npos ||
        row.at("oracle_roundtrip") == "TYPED-NOTSTABLE";
    if (has(options, "er") || by_events) {
        // The loader puts in what the oracle was told to leave as references, and keeps whitespace
        // that it drops.
        loaded = std::make_unique<Document>();
        if (auto done = read_event_listing(*events, Limits{}, loaded->xml); !done)
            return tally.failed("load", name, describe(done.error()));
    } else {
        loaded = load(directory + "/" + row.at("xml"), has(options, "fragment"), keep,
                      codec->info().fidelity, why);
    }
    if (loaded == nullptr) return tally.failed("load", name, why);
    const auto document = std::make_unique<Document>();
    take_internal_subset(loaded->xml, tape, document->xml);
    Buffer out;
    if (auto done = codec->encode(*document, out); !done)
        return tally.failed("encode", name, describe(done.error()));
    why = bytes_differ(as_bytes(*exi), out.view());
    if (row.at("byte_exact") == "1") return tally.judge("encode: the bytes", name, why);
    if (why.empty()) tally.passed("encode: the bytes, though free");
    XmlTape again;
    why = decoded(*codec, out.view(), again);
    // EXI.md, quirk 10: with SC the oracle's own reader misplaces declarations.
    const bool misplaced = row.at("note").find("oracle does not round-trip") != std::string::npos;
    if (why.empty() && misplaced) {
        if (auto found = difference(document->xml, again, codec->info().fidelity)) why = *found;
    } else if (why.empty()) {
        why = first_difference(wanted, listed(again));
    }
    tally.judge("encode: the events again", name, why);
}

// ---- vectors/exi-interop

std::string suite_spec(const Row& row) {
    std::string spec = "exi:preview,";
    for (const std::string& option : parts(row.at("options"), ';')) {
        const std::size_t equals = option.find('=');
        const std::string key = option.substr(0, equals);
        const std::string value = option.substr(equals + 1);
        const std::pair<std::string, std::string> switches[] = {
            {"strict", "strict"},
            {"fragment", "fragment"},
            {"preserve.comments", "comments"},
            {"preserve.pis", "pis"},
            {"preserve.dtd", "dtds"},
            {"preserve.prefixes", "prefixes"},
            {"preserve.lexicalValues", "lexical"},
            {"cookie", "cookie"},
            {"options", "options"}};
        for (const auto& [from, to] : switches) {
            if (key == from && value == "1") spec += to + ",";
        }
        const std::pair<std::string, std::string> alignments[] = {
            {"byte-alignment", "byte"}, {"pre-compression", "pre"}, {"compression", "comp"}};
        for (const auto& [from, to] : alignments) {
            if (key == "alignment" && value == from) spec += "align=" + to + ",";
        }
        const std::pair<std::string, std::string> numbers[] = {
            {"blockSize", "blockSize"},
            {"valueMaxLength", "vmax"},
            {"valuePartitionCapacity", "vcap"},
            {"profile.maxBuiltInElementGrammars", "maxgr"},
            {"profile.maxBuiltInProductions", "maxprod"}};
        for (const auto& [from, to] : numbers) {
            if (key == from && value != "unbounded") spec += to + "=" + value + ",";
        }
        if (key == "profile.localValuePartitions" && value == "0") spec += "nolocal,";
        if (key == "selfContained" && value == "1" &&
            row.at("options").find("selfContainedQNames") == std::string::npos) {
            spec += "sc,";
        }
        if (key == "selfContainedQNames") spec += "sc=" + value + ",";
        if (key == "schemaId" && value == "1") spec += "schemaId,";
        if (key == "utcTime" && value == "1") spec += "utc,";
        if (key == "profile.inHeader" && value == "1" &&
            row.at("options").find("options=1") != std::string::npos) {
            spec += "profile,";
        }
        if (key == "dtrm" && value != "-") {
            std::string mapped = value;
            for (std::size_t at = 0; (at = mapped.find(",{", at)) != std::string::npos;)
                mapped[at] = ';';
            spec += "dtrm=" + mapped + ",";
        }
    }
    if (row.at("set") == "canonical") {
        const bool with_options = row.at("options").find("options=1") != std::string::npos;
        spec += with_options ? "canonical," : "canonical,omitOptionsDocument,";
    }
    spec.pop_back();
    return spec;
}

void suite_row(const Row& row, const std::string& directory, Schemas& schemas, Tally& tally) {
    const std::string& name = row.at("exi");
    std::string why;
    const auto codec = schemas.codec(suite_spec(row), row.at("xsd"), why);
    if (codec == nullptr) return tally.failed("make", name, why + " (" + suite_spec(row) + ")");
    const auto exi = file_text(directory + "/" + name);
    if (!exi) return tally.failed("read", name, "the stream is missing");
    XmlTape tape;
    why = decoded(*codec, as_bytes(*exi), tape);
    if (!why.empty()) return tally.failed("decode", name, why);
    const auto events = file_text(directory + "/expect/" + row.at("events") + ".ev");
    if (events) {
        const std::string& shown = row.at("fidelity");
        why = first_difference(suite_expected(*events, shown), suite_listing(tape, shown));
    }
    tally.judge(events ? "decode" : "decode, no events to compare", name, why);

    // What comes back from our own encoding of it must be the same, whatever the row.
    Document decoded_document;
    Buffer out;
    (void)codec->decode(as_bytes(*exi), decoded_document.xml);
    if (auto done = codec->encode(decoded_document, out); !done)
        return tally.failed("encode from events", name, describe(done.error()));
    XmlTape again;
    const auto other = schemas.codec(suite_spec(row), row.at("xsd"), why);
    why = decoded(*other, out.view(), again);
    if (why.empty()) {
        if (auto found = difference(decoded_document.xml, again, codec->info().fidelity))
            why = *found;
    }
    tally.judge("encode from events, events again", name, why);

    const bool compressed = row.at("options").find("alignment=compression") != std::string::npos;
    const bool from_xml = row.at("reencode") == "fromXml";
    const bool from_events = row.at("reencode") == "fromEvents";
    if (compressed || (!from_xml && !from_events)) return;
    // The version field of the header is another where a preview wrote it.
    std::string expected = *exi;
    const std::size_t at = expected.rfind("$EXI", 0) == 0 ? 4 : 0;
    if (row.at("headerVersion") != "final1")
        expected[at] = static_cast<char>(static_cast<unsigned char>(expected[at]) & 0xE0U);
    if (from_events) {
        why = bytes_differ(as_bytes(expected), out.view());
        return tally.judge("encode from events: the bytes", name, why);
    }
    const bool fragment = row.at("options").find("fragment=1") != std::string::npos;
    const auto document =
        load(directory + "/" + row.at("xml"), fragment, false, codec->info().fidelity, why,
             row.at("xsd") == "-" ? nullptr : &decoded_document.xml);
    if (document == nullptr) return tally.failed("load", name, why);
    out.clear();
    Document with_subset;
    take_internal_subset(document->xml, decoded_document.xml, with_subset.xml);
    if (auto done = codec->encode(with_subset, out); !done)
        return tally.failed("encode", name, describe(done.error()));
    why = bytes_differ(as_bytes(expected), out.view());
    tally.judge("encode from XML: the bytes", name, why);
}

// ---- corpus

// Sizes: equal but for DEFLATE, which may do two in a hundred worse.
void corpus_size(const Row& row, const std::string& directory, Schemas& schemas, Tally& tally) {
    const std::string spec = spec_of(row.at("options"), row.at("schema") != "-");
    const std::string name = row.at("document") + " (" + spec + ")";
    std::string why;
    const auto codec = schemas.codec(spec, row.at("schema"), why);
    if (codec == nullptr) return tally.failed("make", name, why);
    const auto document =
        load(directory + "/" + row.at("document"), false, false, codec->info().fidelity, why);
    if (document == nullptr) return tally.failed("load", name, why);
    Buffer out;
    if (auto done = codec->encode(*document, out); !done)
        return tally.failed("encode", name, describe(done.error()));
    const std::size_t wanted = std::stoul(row.at("exi_bytes"));
    const bool compressed = spec.find("comp") != std::string::npos;
    const std::size_t most = compressed ? wanted + wanted / 50 : wanted;
    const bool right = compressed ? out.size() <= most : out.size() == wanted;
    const std::string sizes =
        std::to_string(out.size()) + " bytes where " + std::to_string(wanted) + " were expected";
    tally.judge(compressed ? "size, compressed" : "size", name, right ? "" : sizes);
}

void corpus_round_trip(const std::string& path, const std::string& directory, Tally& tally) {
    std::string why;
    const auto document = load(directory + "/" + path, false, true, {}, why);
    if (document == nullptr) return tally.failed("load", path, why);
    for (const std::string alignment : {"bit", "byte", "pre", "comp"}) {
        for (const std::string keep :
             {"", ",comments", ",pis", ",dtds", ",prefixes", ",lexical", ",all"}) {
            const std::string spec = "exi:align=" + alignment + keep;
            const std::string name = path + " (" + spec + ")";
            const auto codec = FormatTable::built_in().make(spec, {}, why);
            if (auto unfit = codec->cannot_represent(*document, false)) {
                tally.failed("representable", name, *unfit);
                continue;
            }
            Buffer out;
            XmlTape again;
            if (auto done = codec->encode(*document, out); !done) {
                why = describe(done.error());
            } else if (why = decoded(*codec, out.view(), again); why.empty()) {
                if (auto found = difference(document->xml, again, codec->info().fidelity))
                    why = *found;
            }
            tally.judge("round trip", name, why);
            why.clear();
        }
    }
}

int run_corpus(const std::string& directory, bool verbose) {
    const auto sizes = read_manifest(directory + "/sizes.tsv");
    const auto index = read_manifest(directory + "/INDEX.tsv");
    if (!sizes || !index) {
        std::printf("SKIP: %s is not there\n", directory.c_str());
        return 77;
    }
    Tally tally(verbose);
    Schemas schemas(directory, false);
    for (const Row& row : *sizes)
        corpus_size(row, directory, schemas, tally);
    for (const Row& row : *index)
        corpus_round_trip(row.at("path"), directory, tally);
    return tally.finish();
}

int run(const std::string& kind, const std::string& directory, bool verbose) {
    if (kind == "corpus") return run_corpus(directory, verbose);
    const auto rows = read_manifest(directory + "/manifest.tsv");
    if (!rows) {
        std::printf("SKIP: %s is not there\n", directory.c_str());
        return 77;
    }
    Tally tally(verbose);
    Schemas schemas(directory, kind == "interop");
    for (const Row& row : *rows)
        kind == "own" ? own_row(row, directory, schemas, tally)
                      : suite_row(row, directory, schemas, tally);
    return tally.finish();
}

}  // namespace
}  // namespace perfrelay::vectors

int main(int argc, char** argv) {
    const std::string kind = argc > 1 ? argv[1] : "";
    if (argc < 3 || (kind != "own" && kind != "interop" && kind != "corpus")) {
        std::printf("usage: exi_vectors own|interop|corpus DIRECTORY [-v]\n");
        return 2;
    }
    return perfrelay::vectors::run(kind, argv[2], argc > 3);
}
