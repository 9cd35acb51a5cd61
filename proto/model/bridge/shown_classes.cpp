#include "proto/model/bridge/shown_classes.h"

#include <algorithm>
#include <span>
#include <utility>

namespace perfrelay::bridge {

using graph::Class;
using graph::JavaClass;

ShownClass* ShownClasses::add(const std::string& key, ShownClass type) {
    const auto [at, fresh] = types_.emplace(key, std::move(type));
    return fresh ? &at->second : nullptr;
}

const Class* ShownClasses::find(const std::string& key) {
    constexpr std::size_t k_most_levels = 128;  // as the reader of Java's streams has it
    std::vector<ShownClass*> chain;
    const Class* made = nullptr;
    for (const std::string* name = &key; name != nullptr && made == nullptr;) {
        const auto found = types_.find(*name);
        if (found == types_.end() || chain.size() == k_most_levels) return nullptr;
        ShownClass& type = found->second;
        made = type.made;
        if (made == nullptr) chain.push_back(&type);
        name = type.super_key ? &*type.super_key : nullptr;
    }
    for (; !chain.empty(); chain.pop_back()) {
        if (made != nullptr && (!chain.back()->java || made->java == nullptr)) return nullptr;
        made = make(*chain.back(), made);
        if (made == nullptr) return nullptr;
    }
    return made;
}

// `super`: null when there is none. Null when the class above has fields that this one has not.
const Class* ShownClasses::make(ShownClass& type, const Class* super) {
    const std::size_t above = super == nullptr ? 0 : super->java->all_fields;
    if (type.names.size() < above) return nullptr;
    Class* const made =
        graph_.new_class(graph_.intern(type.name), std::span(type.names).subspan(above),
                         type.dynamic ? Class::k_dynamic : std::uint8_t{0});
    if (type.java) {
        JavaClass java;
        java.flags = JavaClass::k_serializable;
        if (type.writes) java.flags |= JavaClass::k_write_method;
        java.super = super;
        const std::size_t levels = super == nullptr ? 0 : super->java->levels.size();
        auto* const chain = graph_.array<const Class*>(levels + 1);
        if (super != nullptr) std::ranges::copy(super->java->levels, chain);
        chain[levels] = made;
        java.levels = {chain, levels + 1};
        java.all_fields = static_cast<std::uint32_t>(type.names.size());
        made->java = graph_.arena().create(java);
    }
    if (by_id_.size() <= made->id) by_id_.resize(made->id + std::size_t{1});
    by_id_[made->id] = &type;
    return type.made = made;
}

const Class* ShownClasses::external(const std::string& name) {
    const Class*& known = external_[name];
    if (known == nullptr) known = graph_.new_class(graph_.intern(name), {}, Class::k_external);
    return known;
}

}  // namespace perfrelay::bridge
