#pragma once
// ExpatSession: what every reader built on expat needs: the parser, the first error with its place,
// the entities that are declared, the bounds on expansion.
//
// External entities are never read. Parameter entities of the internal subset are (XML 1.0 section
// 5.1); references to external general entities, and to undeclared ones that may be declared where
// nobody has looked, come to `on_reference`.
// Tested by tests/unit/proto/xml/loader_test.cpp and engines_test.cpp.

#ifndef XML_DTD
#define XML_DTD  // expat.h shows the limits of expansion only then; every build of it has them
#endif
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>

#include <expat.h>

#include "common/base/limits.h"
#include "common/base/result.h"
#include "proto/xml/text_source.h"

namespace perfrelay::xml {

class ExpatSession {
  public:
    explicit ExpatSession(const Limits& limits) : limits_(limits) {}
    ExpatSession(const ExpatSession&) = delete;
    ExpatSession& operator=(const ExpatSession&) = delete;

  protected:
    ~ExpatSession() = default;

    using OnReference = void (*)(void* user, std::string_view name);

    // For a parser that has just been made or reset. `user` is an ExpatSession, and what handlers
    // get.
    void start(XML_Parser parser, OnReference on_reference);
    // Parses the UTF-8 `text` as a whole.
    Result<> parse(std::string_view text);
    // Parses `head`, and what comes after it.
    Result<> parse(std::string_view head, TextSource& rest);

    // Stops at the place where the parser is; the first fault counts.
    void fail(const Error& fault);
    void fail(Errc code, const char* where) { fail(Error{.code = code, .where = where}); }
    bool failed() const { return error_.where[0] != '\0'; }

    // Bounds what an internal subset may add to elements, by each attribute or declaration of one,
    // `bytes` long; expat bounds entities itself.
    void deliver(std::size_t bytes);
    // Counts text up to the next event of another kind. False at the limit.
    bool take_text(std::size_t bytes);
    void end_text() { text_run_ = 0; }

    static std::string_view view(const char* text) {
        return text == nullptr ? std::string_view() : std::string_view(text);
    }

    XML_Parser parser() const { return parser_; }
    const Limits& limits() const { return limits_; }
    // Names of the internal general entities declared so far.
    bool is_declared(std::string_view name) const;

  private:
    Result<> feed(std::string_view text, bool last);
    void check_version(const char* version);
    // `value`: null for an external entity.
    void declare_entity(std::string_view name, bool is_parameter, const char* value,
                        std::size_t size, const char* system_id);
    void external_reference(const char* context, const char* system_id);
    Error place(const Error& fault) const;
    Error rejection(std::string_view text, std::size_t before) const;

    Limits limits_;
    XML_Parser parser_ = nullptr;
    OnReference on_reference_ = nullptr;
    std::set<std::string, std::less<>> declared_;
    std::map<const char*, std::string> external_;  // by system identifier
    std::size_t input_size_ = 0;
    std::size_t fed_ = 0;  // of it, to the parser
    std::size_t text_run_ = 0;
    std::size_t delivered_ = 0;
    std::size_t compound_entities_ = 0;
    Error error_;
};

struct FreeExpat {
    void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
};
using ExpatParser = std::unique_ptr<std::remove_pointer_t<XML_Parser>, FreeExpat>;

}  // namespace perfrelay::xml
