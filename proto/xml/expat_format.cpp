#include "proto/xml/expat_format.h"

#include "proto/xml/survey.h"

namespace perfrelay::xml {

namespace {

constexpr char k_separator = '\x01';
constexpr std::size_t k_many_names = 65536;

std::string version() {
    const XML_Expat_Version version = XML_ExpatVersionInfo();
    return std::to_string(version.major) + "." + std::to_string(version.minor) + "." +
           std::to_string(version.micro);
}

}  // namespace

ExpatFormat::ExpatFormat(std::string spec, const Limits& limits)
    : ExpatSession(limits), parser_(XML_ParserCreateNS("UTF-8", k_separator)) {
    info_.spec = std::move(spec);
    info_.title = "XML:EXPAT";
    info_.reader = "expat " + version() + " namespace parser";
    info_.notes = {"names as in XML 1.0's fourth edition; others are refused, here and on loading"};
    info_.writer = "perfrelay streaming writer (expat has none)";
    info_.text_xml = true;
}

std::optional<std::string> ExpatFormat::cannot_represent(const Document& document, bool) const {
    const Survey found = survey(document.xml);
    if (found.unwritable != nullptr) return found.unwritable;
    return std::nullopt;
}

Result<> ExpatFormat::encode(const Document& document, Buffer& out) {
    writer_.write_to(out);
    document.xml.play(writer_);
    return writer_.finish();
}

Result<> ExpatFormat::begin(std::string_view text, bool streamed, OnReference reference) {
    if (parser_ == nullptr || XML_ParserReset(parser_.get(), "UTF-8") != XML_TRUE) {
        return Error{.code = Errc::limit_exceeded, .where = "out of memory"};
    }
    const XML_Parser expat = parser_.get();
    XML_SetReturnNSTriplet(expat, 1);
    start(expat, reference);
    XML_SetStartNamespaceDeclHandler(expat, [](void* user, const char* prefix, const char* uri) {
        // Both live until the start tag has been dealt with.
        self(user).declarations_.push_back({prefix, uri});
    });
    XML_SetEndDoctypeDeclHandler(expat, [](void* user) { self(user).in_doctype_ = false; });
    if (names_.size() > k_many_names) forget_names();
    names_before_ = names_.size();
    known_.restart();
    input_ = text;
    streamed_ = streamed;
    doctype_found_ = streamed && doctype_.find(text);
    open_.clear();
    declarations_.clear();
    in_doctype_ = false;
    return {};
}

bool ExpatFormat::enter(const char** attributes) {
    if (failed()) return false;
    end_text();
    std::size_t count = declarations_.size();
    for (const char** attribute = attributes; *attribute != nullptr; attribute += 2)
        ++count;
    if (open_.size() >= limits().max_depth) {
        fail(Errc::limit_exceeded, "elements nested deeper than the limit");
    } else if (count > limits().max_attributes) {
        fail(Errc::limit_exceeded, "more attributes on an element than the limit");
    }
    return !failed();
}

bool ExpatFormat::find_doctype() {
    in_doctype_ = true;
    const bool found = streamed_ ? doctype_found_ : doctype_.find(input_);
    if (!found) fail(Errc::malformed, "a DOCTYPE that is not well-formed");
    return !failed();
}

bool ExpatFormat::check_target(const char* target) {
    // Namespaces section 7.
    if (view(target).find(':') != std::string_view::npos) {
        fail(Errc::malformed, "a colon in the target of a processing instruction");
    }
    return !failed();
}

std::pair<ExpatFormat::Glued, const QName*> ExpatFormat::new_name(std::string_view glued) {
    // [uri SEP] local [SEP prefix]
    std::string_view parts[3];
    std::size_t count = 0;
    for (std::string_view rest = glued; count < 3;) {
        const std::size_t end = rest.find(k_separator);
        parts[count++] = rest.substr(0, end);
        if (end == std::string_view::npos) break;
        rest.remove_prefix(end + 1);
    }
    const QName* name =
        count == 1 ? names_.intern("", parts[0], "") : names_.intern(parts[0], parts[1], parts[2]);
    if (names_.size() - names_before_ > limits().max_names) {
        fail(Errc::limit_exceeded, k_too_many_names);
        return {};
    }
    return {{arena_.copy(glued)}, name};
}

void ExpatFormat::forget_names() {
    known_.forget();
    arena_.clear();
    names_.clear();
}

}  // namespace perfrelay::xml
