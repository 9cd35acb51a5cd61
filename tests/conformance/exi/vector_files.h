#pragma once
// What the runner of EXI vectors reads: manifests, documents, and the two notations of events.

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proto/codec/document.h"

namespace perfrelay::vectors {

// One row of a manifest, by column.
using Row = std::map<std::string, std::string>;

std::optional<std::string> file_text(const std::string& path);

// Nothing when there is no such file.
std::optional<std::vector<Row>> read_manifest(const std::string& path);

std::vector<std::string> parts(std::string_view text, char separator);

// An XML file, or a `fragment` of several elements; `keep_whitespace`, or the oracle's policy where
// `shown` is what the format keeps, and what a schema has it keep besides: where its own decoding,
// `seen`, has some. Null and `why`.
std::unique_ptr<Document> load(const std::string& path, bool fragment, bool keep_whitespace,
                               const Fidelity& shown, std::string& why,
                               const XmlTape* seen = nullptr);

// `from` with the DOCTYPE's internal subset that `like` has: the oracle's is rebuilt from
// declarations, not the source's text.
void take_internal_subset(const XmlTape& from, const XmlTape& like, XmlTape& out);

// The interoperability suite's notation of `document`, in which `shown` of comments, pis, dtds and
// prefixes are there.
std::string suite_listing(const XmlTape& document, std::string_view shown);
// The suite's own listing, without what is not shown or says how values were coded.
std::string suite_expected(std::string_view listing, std::string_view shown);

}  // namespace perfrelay::vectors
