#include "proto/amf3/format.h"

namespace perfrelay::amf3 {

Result<> Amf3Format::lower(const ObjectGraph& document, ObjectGraph& own) {
    if (auto done = amf3::lower(document, profile_, own); !done) return done;
    // What the writer writes, the reader of the same format knows: enumerations of graniteds.
    for (const graph::Class* const type : own.classes()) {
        if (type->is_external()) reader_.add_one_value_class(type->name->view());
    }
    return {};
}

}  // namespace perfrelay::amf3
