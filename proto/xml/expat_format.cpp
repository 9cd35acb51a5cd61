#include "proto/xml/expat_format.h"

#include "proto/xml/survey.h"

namespace perfrelay::xml {

namespace {

constexpr char k_separator = '\x01';
constexpr std::size_t k_first_slots = 1024;
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
    forget_names();
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
    last_ = 0;
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

const ExpatFormat::Known* ExpatFormat::find_name(std::string_view glued) {
    const std::uint64_t hash = hash_text(glued, 0);
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = hash & mask;
    for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
        const Known& known = known_[slots_[slot]];
        if (known.hash != hash || known.glued != glued) continue;
        known_[last_].next = slots_[slot];
        return &known;
    }
    return new_name(glued, hash, slot);
}

const ExpatFormat::Known* ExpatFormat::new_name(std::string_view glued, std::uint64_t hash,
                                                std::size_t slot) {
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
        return nullptr;
    }
    const auto index = static_cast<std::uint32_t>(known_.size());
    known_.push_back({arena_.copy(glued), hash, name, 0});
    known_[last_].next = index;
    slots_[slot] = index;
    if (known_.size() * 2 > slots_.size()) {
        slots_.assign(slots_.size() * 2, 0);
        const std::size_t mask = slots_.size() - 1;
        for (std::uint32_t i = 1; i < known_.size(); ++i) {
            std::size_t at = known_[i].hash & mask;
            while (slots_[at] != 0)
                at = (at + 1) & mask;
            slots_[at] = i;
        }
    }
    return &known_.back();
}

void ExpatFormat::forget_names() {
    known_.assign(1, Known{});
    slots_.assign(k_first_slots, 0);
    last_ = 0;
    arena_.clear();
    names_.clear();
}

}  // namespace perfrelay::xml
