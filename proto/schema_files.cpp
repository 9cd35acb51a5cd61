#include "proto/schema_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>

#include "proto/exi/header.h"
#include "proto/exi/schema/compiled_schema.h"
#include "proto/exi/schema/schema_maker.h"
#include "proto/exi/schema/xsd_loader.h"
#include "proto/exi/typer.h"

namespace perfrelay {

namespace {

// Nothing and `why`.
std::optional<Buffer> file_bytes(const std::string& path, std::string& why) {
    constexpr std::size_t k_most = std::size_t{256} << 20U;
    constexpr std::size_t k_piece = std::size_t{1} << 16U;
    std::ifstream file(path, std::ios::binary);
    Buffer out;
    while (file && out.size() <= k_most) {
        file.read(reinterpret_cast<char*>(out.prepare(k_piece)), k_piece);
        out.commit(static_cast<std::size_t>(file.gcount()));
    }
    if (file.eof() && !out.empty()) return out;
    why = path +
          (out.size() > k_most ? ": larger than a schema is" : ": cannot be read, or is empty");
    return std::nullopt;
}

std::shared_ptr<const exi::Schema> load(const std::vector<std::string>& paths,
                                        const SchemaCatalogue& catalogue, std::string& why) {
    if (paths.front() == k_built_in_types) return exi::built_in_schema();
    for (const std::string& path : paths) {
        const std::optional<Buffer> bytes = file_bytes(path, why);
        if (!bytes) return nullptr;
        if (!exi::is_compiled_schema(bytes->view())) continue;
        if (paths.size() > 1) {
            why = path + ": a compiled schema, and there are others beside it";
            return nullptr;
        }
        auto read = exi::read_compiled_schema(bytes->view());
        if (read) return *read;
        why = path + ": " + describe(read.error());
        return nullptr;
    }
    const auto components = exi::load_xsds(paths, catalogue, why);
    if (!components) return nullptr;
    auto made = exi::make_schema(*components);
    if (made) return *made;
    why = paths.front() + ": " + describe(made.error());
    return nullptr;
}

// A schema's location, and the namespace that it is for; "" where that is not said.
struct Location {
    std::string location;
    std::string uri;
};

std::vector<std::string> words_of(std::string_view text) {
    constexpr std::string_view k_blank = " \t\n\r";
    std::vector<std::string> words;
    for (std::size_t at = text.find_first_not_of(k_blank); at != std::string_view::npos;
         at = text.find_first_not_of(k_blank, at)) {
        const std::size_t end = std::min(text.find_first_of(k_blank, at), text.size());
        words.emplace_back(text.substr(at, end - at));
        at = end;
    }
    return words;
}

// Of the root element's attributes. False and `why`.
bool root_locations(const XmlTape& tape, std::vector<Location>& out, std::string& by,
                    std::string& why) {
    bool in_root = false;
    for (const XmlTape::Event& event : tape.events()) {
        if (event.kind() == XmlTape::Kind::start_element) {
            if (in_root) return true;
            in_root = true;
        }
        if (event.kind() == XmlTape::Kind::end_element) return true;
        if (event.kind() != XmlTape::Kind::attribute || event.name->uri != exi::k_xsi_uri) continue;
        const std::string_view name = event.name->local;
        const bool pairs = name == "schemaLocation";
        if (!pairs && name != "noNamespaceSchemaLocation") continue;
        by += (by.empty() ? "xsi:" : ", xsi:") + std::string(name);
        const std::vector<std::string> words = words_of(event.text_view());
        if (pairs && words.size() % 2 != 0) {
            why =
                "its xsi:schemaLocation is no list of namespaces and locations; -schema FILE.xsd "
                "or -noschema says what to take";
            return false;
        }
        for (std::size_t i = 0; i < words.size(); i += pairs ? 2 : 1)
            out.push_back(pairs ? Location{words[i + 1], words[i]} : Location{words[i], ""});
    }
    return true;
}

// Of an EXI stream's header: one, or several with blanks between, as `choose_named` calls them.
void header_locations(Bytes stream, std::vector<Location>& out, std::string& by) {
    exi::BitReader<exi::Packing::bits> reader(exi::Input::of(stream));
    const auto header = exi::read_header(reader, Limits{}, true);
    if (!header || !header->options) return;
    const exi::SchemaId& id = header->options->schema_id;
    if (id.kind != exi::SchemaId::Kind::named) return;
    by = "schemaId";
    for (std::string& word : words_of(id.name))
        out.push_back({std::move(word), ""});
}

// The file that a location means. "" and `why`.
std::string file_of(const Location& named, const std::string& document,
                    const SchemaCatalogue& catalogue, std::string& why) {
    namespace fs = std::filesystem;
    constexpr const char* k_remedy =
        "; --catalogue LOCATION=FILE says where it is, -schema FILE.xsd takes another";
    for (const std::string& key : {named.location, named.uri}) {
        if (key.empty()) continue;
        if (const auto found = catalogue.find(key); found != catalogue.end()) return found->second;
    }
    std::string path = named.location;
    if (path.rfind("file://", 0) == 0) path.erase(0, 7);
    if (path.find("://") != std::string::npos || path.rfind("urn:", 0) == 0) {
        why = "its schema " + named.location + " is not fetched" + k_remedy;
        return "";
    }
    path = (fs::path(document).parent_path() / path).string();
    std::error_code error;
    if (fs::is_regular_file(path, error)) return path;
    why = "there is no " + path + ", which it names as its schema" + k_remedy;
    return "";
}

}  // namespace

bool compile_schema(const std::string& path, const SchemaCatalogue& catalogue, Buffer& out,
                    std::string& why) {
    const std::shared_ptr<const exi::Schema> schema = load({path}, catalogue, why);
    if (schema != nullptr) exi::write_compiled_schema(*schema, out);
    return schema != nullptr;
}

namespace {

using Kind = bridge::ValueType::Kind;

Kind kind_of(const exi::Datatypes& datatypes, const exi::Datatype& datatype) {
    using R = exi::Representation;
    switch (datatype.representation) {
        case R::boolean:
        case R::boolean_pattern: return Kind::boolean;
        case R::integer:
        case R::unsigned_integer:
        case R::n_bit: return Kind::integer;
        case R::decimal: return Kind::decimal;
        case R::floating: return Kind::floating;
        case R::date_time:
        case R::date: return Kind::date;
        case R::base64_binary: return Kind::base64;
        case R::hex_binary: return Kind::hex;
        case R::enumeration: return kind_of(datatypes, datatypes.enumeration(datatype).base);
        default: return Kind::text;
    }
}

// Notes of each typed value what it is, at its place.
class TypeNotes {
  public:
    TypeNotes(const exi::Datatypes& datatypes, std::vector<bridge::ValueType>& types)
        : datatypes_(datatypes), types_(types) {}

    void start_document() {}
    void end_document() {}
    void start_element(const QName*) {}
    void end_element(const QName*) {}
    void attribute(const QName*, std::string_view, std::uint32_t) {}
    void type_attribute(const QName*, std::string_view, std::string_view) {}
    void characters(std::string_view) {}
    void typed_attribute(const QName*, std::uint32_t type, const exi::Value&, std::uint32_t place) {
        note(type, place);
    }
    void typed_characters(std::uint32_t type, const exi::Value&, std::uint32_t place) {
        note(type, place);
    }

  private:
    void note(std::uint32_t type, std::uint32_t place) {
        const exi::Datatype& datatype = datatypes_[type];
        const bool list = datatype.representation == exi::Representation::list;
        types_[place] = {kind_of(datatypes_, list ? datatypes_[datatype.other] : datatype), list};
    }

    const exi::Datatypes& datatypes_;
    std::vector<bridge::ValueType>& types_;
};

}  // namespace

void type_values(Document& document, const CodecOptions& codecs) {
    document.types.clear();
    if (codecs.schema == nullptr) return;
    const auto& events = document.xml.events();
    document.types.resize(events.size());
    exi::TyperTables tables(*codecs.schema);
    TypeNotes notes(codecs.schema->datatypes, document.types);
    exi::Typer<TypeNotes> typer(tables, false, notes);
    typer.start_document();
    for (std::size_t i = 0; i < events.size(); ++i) {
        const XmlTape::Event& event = events[i];
        typer.place = static_cast<std::uint32_t>(i);
        switch (event.kind()) {
            case XmlTape::Kind::start_element: typer.start_element(event.name); break;
            case XmlTape::Kind::namespace_declaration:
                typer.namespace_declaration(event.first_view(), event.text_view());
                break;
            case XmlTape::Kind::attribute: typer.attribute(event.name, event.text_view()); break;
            case XmlTape::Kind::characters: typer.characters(event.text_view()); break;
            case XmlTape::Kind::end_element: typer.end_element(event.name); break;
            default: break;
        }
    }
    typer.end_document();
}

bool SchemaShelf::choose(const std::string& path, CodecOptions& codecs, std::string& why) {
    return choose(path.empty() ? std::vector<std::string>() : std::vector<std::string>{path},
                  codecs, why);
}

bool SchemaShelf::choose(const std::vector<std::string>& paths, CodecOptions& codecs,
                         std::string& why) {
    codecs.schema = nullptr;
    codecs.schema_name.clear();
    if (paths.empty()) return true;
    std::shared_ptr<const exi::Schema>& known = known_[paths];
    if (known == nullptr) known = load(paths, catalogue_, why);
    codecs.schema = known;
    for (const std::string& path : paths) {
        if (path == k_built_in_types) break;
        if (!codecs.schema_name.empty()) codecs.schema_name += ' ';
        codecs.schema_name += path.substr(path.rfind('/') + 1);
    }
    return known != nullptr;
}

bool SchemaShelf::choose_named(const Document& document, CodecOptions& codecs, Named& named,
                               std::string& why) {
    std::vector<Location> locations;
    named = {};
    if (!root_locations(document.xml, locations, named.by, why)) {
        why = document.name + ": " + why;
        return false;
    }
    if (spec_name(document.source_spec) == "exi")
        header_locations(document.source.view(), locations, named.by);
    for (const Location& location : locations) {
        const std::string path = file_of(location, document.name, catalogue_, why);
        if (path.empty()) {
            why = document.name + ": " + why;
            return false;
        }
        if (std::find(named.paths.begin(), named.paths.end(), path) == named.paths.end())
            named.paths.push_back(path);
    }
    if (named.paths.empty()) named.by = "the document names none";
    return choose(named.paths, codecs, why);
}

}  // namespace perfrelay
