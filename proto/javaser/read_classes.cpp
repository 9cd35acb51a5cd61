// Reader's part for class descriptions.

#include <algorithm>

#include "proto/javaser/field_types.h"
#include "proto/javaser/meaning.h"
#include "proto/javaser/reader.h"
#include "proto/model/fast_out.h"

namespace perfrelay::javaser {

using graph::Annotation;
using graph::Class;
using graph::JavaClass;
using graph::JavaField;
using graph::Text;

// J 6.4.1 "classDesc": the result is in desc_, at once or when the frame that was pushed is done.
Reader::Step Reader::class_desc() {
    if (next_ == end_) {
        cut();
        return Step::failed;
    }
    switch (static_cast<Tc>(*next_++)) {
        case Tc::null: desc_ = nullptr; return Step::done;
        case Tc::class_desc: return new_class_desc();
        case Tc::proxy_class_desc: return new_proxy_desc();
        case Tc::reference: {
            std::uint32_t wire = 0;
            if (!number(wire)) return Step::failed;
            if (wire < k_first_handle || wire - k_first_handle >= handles_.size()) {
                return failed(Errc::malformed, "Java 6.4: a handle not given yet");
            }
            const Handle& handle = handles_[wire - k_first_handle];
            if (handle.kind != Handle::Kind::type) {
                return failed(Errc::malformed, "Java 6.4: a handle of no class description");
            }
            desc_ = handle.type;
            return Step::done;
        }
        default: break;
    }
    --next_;
    return failed(Errc::malformed, "Java 6.4: no class description where one is due");
}

Reader::Step Reader::new_class_desc() {
    const Text* const name = short_utf();
    if (name == nullptr) return Step::failed;
    JavaClass* const java = graph_->arena().create(JavaClass());
    Class* const type = graph_->new_class(name, {}, 0);
    type->java = java;
    if (!number(java->suid)) return Step::failed;
    // J 6.4: newHandle stands here, before the flags.
    Handle handle{};
    handle.kind = Handle::Kind::type;
    handle.type = type;
    handles_.push_back(handle);
    if (!number(java->flags) || !fields(*type, *java)) return Step::failed;
    const bool conflict =
        java->has(JavaClass::k_serializable) && java->has(JavaClass::k_externalizable);
    if (conflict) {
        return failed(Errc::malformed, "Java 6.4: a class both serializable and externalizable");
    }
    if (java->has(JavaClass::k_enum) && (java->suid != 0 || type->field_count != 0)) {
        return failed(Errc::malformed, "Java 1.12: an enum has no fields and no version");
    }
    Frame frame{.state = State::desc_annotation};
    frame.type = type;
    frame.java = java;
    frame.base = collected_.size();
    return push(frame);
}

bool Reader::fields(Class& type, JavaClass& java) {
    std::uint16_t count = 0;
    if (!number(count)) return false;
    names_.clear();
    field_types_.clear();
    for (std::uint16_t i = 0; i < count; ++i) {
        std::uint8_t code = 0;
        if (!number(code)) return false;
        JavaField field{.type = static_cast<char>(code)};
        if (is_primitive(field.type) && width_of(field.type) == 0) {
            return fail(Errc::malformed, "Java 6.4: an unknown field type");
        }
        const Text* const name = short_utf();
        if (name == nullptr) return false;
        if (!is_primitive(field.type) && string_content(field.signature) != Step::done) {
            return false;
        }
        names_.push_back(name);
        field_types_.push_back(field);
    }
    auto* const names = graph_->array<const Text*>(count);
    auto* const types = graph_->array<JavaField>(count);
    std::copy(names_.begin(), names_.end(), names);
    std::copy(field_types_.begin(), field_types_.end(), types);
    type.fields = names;
    type.field_count = count;
    java.fields = types;
    return true;
}

// J 6.4: the handle comes at once, before the names of the interfaces.
Reader::Step Reader::new_proxy_desc() {
    JavaClass* const java = graph_->arena().create(JavaClass());
    java->is_proxy = true;
    java->flags = JavaClass::k_serializable;
    Class* const type = graph_->new_class(graph_->empty_text(), {}, 0);
    type->java = java;
    Handle handle{};
    handle.kind = Handle::Kind::type;
    handle.type = type;
    handles_.push_back(handle);
    std::int32_t count = 0;
    if (!number(count)) return Step::failed;
    constexpr std::int32_t k_most_interfaces = 65535;  // as many as a class file can name
    if (count < 0 || count > k_most_interfaces) {
        return failed(Errc::malformed, "Java 6.4: a proxy of no possible number of interfaces");
    }
    names_.clear();
    std::string joined;
    for (std::int32_t i = 0; i < count; ++i) {
        const Text* const name = short_utf();
        if (name == nullptr) return Step::failed;
        names_.push_back(name);
        joined += (i == 0 ? "" : ",") + std::string(name->view());
    }
    auto* const names = graph_->array<const Text*>(names_.size());
    std::copy(names_.begin(), names_.end(), names);
    java->interfaces = {names, names_.size()};
    type->name = graph_->text(joined);
    Frame frame{.state = State::desc_annotation};
    frame.type = type;
    frame.java = java;
    frame.base = collected_.size();
    return push(frame);
}

// The superclass is in desc_: which levels instances have.
bool Reader::finish_desc(const Frame& frame) {
    JavaClass& java = *frame.java;
    const Class* const super = desc_;
    if (super != nullptr && super->java->levels.empty()) {
        return fail(Errc::malformed, "Java 6.4: a class that is its own superclass");
    }
    java.super = super;
    // Only the class itself writes when it is externalizable.
    const bool alone = super == nullptr || java.has(JavaClass::k_externalizable);
    const std::size_t above = alone ? 0 : super->java->levels.size();
    if (above >= k_most_levels) {
        return fail(Errc::limit_exceeded, "Java: too long a chain of superclasses");
    }
    auto* const levels = graph_->array<const Class*>(above + 1);
    bool annotated = java.annotates();
    for (std::size_t i = 0; i < above; ++i) {
        levels[i] = super->java->levels[i];
        annotated = annotated || levels[i]->java->annotates();
    }
    levels[above] = frame.type;
    java.all_fields = frame.type->own_values() + (alone ? 0 : super->java->all_fields);
    java.meaning = static_cast<std::uint8_t>(meaning_of(frame.type->name->view()));
    if (!annotated) {
        auto* const none = graph_->array<Annotation>(above + 1);
        std::fill(none, none + above + 1, Annotation());
        java.none = none;
    }
    java.levels = {levels, above + 1};
    desc_ = frame.type;
    return true;
}

bool Reader::usable(const Class* type) {
    if (type == nullptr) return fail(Errc::malformed, "Java 6.4: an object of no class");
    return !type->java->levels.empty() ||
           fail(Errc::malformed, "Java 6.4: a class used before its description is complete");
}

}  // namespace perfrelay::javaser
