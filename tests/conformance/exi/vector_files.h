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

// An XML file; `keep_whitespace`, or the policy of perfrelay's own loader. Null and `why`.
std::unique_ptr<Document> load(const std::string& path, bool keep_whitespace, std::string& why);

// The interoperability suite's notation of `document`, in which `shown` of comments, pis, dtds and
// prefixes are there.
std::string suite_listing(const XmlTape& document, std::string_view shown);
// The suite's own listing, without what is not shown or says how values were coded.
std::string suite_expected(std::string_view listing, std::string_view shown);

}  // namespace perfrelay::vectors
