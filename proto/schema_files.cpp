#include "proto/schema_files.h"

#include <fstream>
#include <optional>

#include "proto/exi/schema/compiled_schema.h"
#include "proto/exi/schema/schema_maker.h"
#include "proto/exi/schema/xsd_loader.h"

namespace perfrelay {

namespace {

constexpr const char* k_built_in = "xsd-types";

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

std::shared_ptr<const exi::Schema> load(const std::string& path, const SchemaCatalogue& catalogue,
                                        std::string& why) {
    if (path == k_built_in) return exi::built_in_schema();
    if (const std::optional<Buffer> bytes = file_bytes(path, why)) {
        if (exi::is_compiled_schema(bytes->view())) {
            auto read = exi::read_compiled_schema(bytes->view());
            if (read) return *read;
            why = path + ": " + describe(read.error());
            return nullptr;
        }
    } else {
        return nullptr;
    }
    const auto components = exi::load_xsd(path, catalogue, why);
    if (!components) return nullptr;
    auto made = exi::make_schema(*components);
    if (made) return *made;
    why = path + ": " + describe(made.error());
    return nullptr;
}

}  // namespace

bool compile_schema(const std::string& path, const SchemaCatalogue& catalogue, Buffer& out,
                    std::string& why) {
    const std::shared_ptr<const exi::Schema> schema = load(path, catalogue, why);
    if (schema != nullptr) exi::write_compiled_schema(*schema, out);
    return schema != nullptr;
}

bool SchemaShelf::choose(const std::string& path, CodecOptions& codecs, std::string& why) {
    codecs.schema = nullptr;
    codecs.schema_name.clear();
    if (path.empty()) return true;
    std::shared_ptr<const exi::Schema>& known = known_[path];
    if (known == nullptr) known = load(path, catalogue_, why);
    codecs.schema = known;
    if (path != k_built_in) codecs.schema_name = path.substr(path.rfind('/') + 1);
    return known != nullptr;
}

}  // namespace perfrelay
