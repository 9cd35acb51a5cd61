#include "proto/model/declare_namespaces.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace perfrelay {
namespace {

using Kind = XmlTape::Kind;
using Event = XmlTape::Event;

constexpr std::string_view k_xml_uri = "http://www.w3.org/XML/1998/namespace";
constexpr std::string_view k_xsi_uri = "http://www.w3.org/2001/XMLSchema-instance";

class Declarer {
  public:
    explicit Declarer(XmlTape& to) : sink_(to) {}

    void run(const XmlTape& from) {
        const std::vector<Event>& events = from.events();
        sink_.start_document();
        for (std::size_t i = 0; i < events.size();) {
            if (events[i].kind() != Kind::start_element) {
                other(events[i++]);
                continue;
            }
            std::size_t end = i + 1;
            while (end < events.size() && belongs_to_tag(events[end].kind()))
                ++end;
            start_tag(*events[i].name, std::span(events).subspan(i + 1, end - i - 1));
            i = end;
        }
        sink_.end_document();
    }

  private:
    struct Binding {
        std::string prefix;
        std::string_view uri;
    };
    struct Element {
        const QName* name;
        std::size_t bindings;  // in scope outside of it
    };

    static bool belongs_to_tag(Kind kind) {
        return kind == Kind::namespace_declaration || kind == Kind::attribute;
    }

    void start_tag(const QName& name, std::span<const Event> rest) {
        const std::size_t outside = scope_.size();
        for (const Event& event : rest) {
            if (event.kind() == Kind::namespace_declaration)
                scope_.push_back({std::string(event.first_view()), event.text_view()});
        }
        std::string prefix(name.prefix);
        if (uri_of(prefix) != name.uri) {
            // A prefix that the element itself binds to another namespace is taken.
            if (name.uri.empty()) prefix.clear();
            if (declared_since(outside, prefix)) prefix = free_prefix();
            scope_.push_back({prefix, name.uri});
        }
        std::vector<const QName*> attributes;
        for (const Event& event : rest) {
            if (event.kind() == Kind::attribute) attributes.push_back(attribute_name(*event.name));
        }

        open_.push_back({names_.intern(name.uri, name.local, prefix), outside});
        sink_.start_element(open_.back().name);
        for (std::size_t i = outside; i < scope_.size(); ++i)
            sink_.namespace_declaration(scope_[i].prefix, scope_[i].uri);
        auto attribute = attributes.begin();
        for (const Event& event : rest) {
            if (event.kind() == Kind::attribute) sink_.attribute(*attribute++, event.text_view());
        }
    }

    const QName* attribute_name(const QName& name) {
        const bool bound = !name.prefix.empty() && uri_of(name.prefix) == name.uri;
        if (name.uri.empty()) return names_.intern("", name.local, "");
        if (bound) return names_.intern(name.uri, name.local, name.prefix);
        return names_.intern(name.uri, name.local, prefix_for(name.uri));
    }

    // That is bound to `uri`; declared if there is none.
    std::string prefix_for(std::string_view uri) {
        if (uri == k_xml_uri) return "xml";
        for (auto it = scope_.rbegin(); it != scope_.rend(); ++it) {
            if (!it->prefix.empty() && it->uri == uri && uri_of(it->prefix) == uri)
                return it->prefix;
        }
        const bool xsi = uri == k_xsi_uri && !bound("xsi");
        return scope_.emplace_back(Binding{xsi ? "xsi" : free_prefix(), uri}).prefix;
    }

    std::string free_prefix() const {
        for (std::size_t i = 1;; ++i) {
            std::string prefix = "ns" + std::to_string(i);
            if (!bound(prefix)) return prefix;
        }
    }

    bool bound(std::string_view prefix) const { return declared_since(0, prefix); }
    bool declared_since(std::size_t first, std::string_view prefix) const {
        return std::any_of(scope_.begin() + static_cast<std::ptrdiff_t>(first), scope_.end(),
                           [&](const Binding& binding) { return binding.prefix == prefix; });
    }

    // What the prefix stands for, innermost first; "" also for one that is not bound.
    std::string_view uri_of(std::string_view prefix) const {
        if (prefix == "xml") return k_xml_uri;
        for (auto it = scope_.rbegin(); it != scope_.rend(); ++it) {
            if (it->prefix == prefix) return it->uri;
        }
        return {};
    }

    void other(const Event& event) {
        switch (event.kind()) {
            case Kind::doctype: sink_.doctype(*event.doctype); break;
            case Kind::characters: sink_.characters(event.text_view()); break;
            case Kind::comment: sink_.comment(event.text_view()); break;
            case Kind::processing_instruction:
                sink_.processing_instruction(event.first_view(), event.text_view());
                break;
            case Kind::entity_reference: sink_.entity_reference(event.text_view()); break;
            case Kind::end_element:
                sink_.end_element(open_.back().name);
                scope_.resize(open_.back().bindings);
                open_.pop_back();
                break;
            case Kind::start_element:
            case Kind::namespace_declaration:
            case Kind::attribute: break;  // of a start tag
        }
    }

    TapeSink<true> sink_;
    NameTable names_;
    std::vector<Binding> scope_;
    std::vector<Element> open_;
};

}  // namespace

void declare_namespaces(const XmlTape& from, XmlTape& to) {
    Declarer(to).run(from);
}

}  // namespace perfrelay
