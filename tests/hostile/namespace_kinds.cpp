#include "tests/hostile/kinds.h"

namespace perfrelay::hostile {

std::vector<Kind> namespace_kinds() {
    using enum Verdict;
    return {
        kind("prefix_undeclared", malformed, "<p:a/>"),
        kind("prefix_undeclared_on_an_attribute", malformed, "<a p:b='1'/>"),
        kind("prefix_out_of_scope", malformed, "<a><b xmlns:p='u'/><p:c/></a>"),
        kind("prefix_undeclared_in_an_end", malformed, "<p:a xmlns:p='u'></q:a>"),
        kind("prefix_declared_empty", malformed, "<a xmlns:p=''/>"),
        kind("prefix_redeclared_empty", malformed, "<a xmlns:p='u'><b xmlns:p=''/></a>"),
        kind("attribute_twice_by_namespace", malformed,
             "<a xmlns:p='u' xmlns:q='u' p:b='1' q:b='2'/>"),
        kind("prefix_declared_twice", malformed, "<a xmlns:p='u' xmlns:p='v'/>"),
        kind("default_namespace_declared_twice", malformed, "<a xmlns='u' xmlns='v'/>"),
        kind("prefix_xmlns_used", malformed, "<xmlns:a/>"),
        kind("prefix_xmlns_declared", malformed,
             "<a xmlns:xmlns='http://www.w3.org/2000/xmlns/'/>"),
        kind("namespace_xmlns_bound", malformed, "<a xmlns:p='http://www.w3.org/2000/xmlns/'/>"),
        kind("namespace_xmlns_as_default", malformed, "<a xmlns='http://www.w3.org/2000/xmlns/'/>"),
        kind("prefix_xml_rebound", malformed, "<a xmlns:xml='u'/>"),
        kind("namespace_xml_bound_to_another", malformed,
             "<a xmlns:p='http://www.w3.org/XML/1998/namespace'/>"),
        kind("namespace_xml_as_default", malformed,
             "<a xmlns='http://www.w3.org/XML/1998/namespace'/>"),
        kind("two_colons", malformed, "<a:b:c xmlns:a='u'/>"),
        kind("leading_colon", malformed, "<:a/>"),
        kind("trailing_colon", malformed, "<a: xmlns:a='u'/>"),
        kind("colon_alone", malformed, "<:/>"),
        kind("attribute_with_a_leading_colon", malformed, "<a :b='1'/>"),
        kind("declared_prefix_with_a_digit", malformed, "<a xmlns:1='u'/>"),
        kind("local_part_starts_with_a_digit", malformed, "<p:1 xmlns:p='u'/>"),
        kind("declared_prefix_empty", malformed, "<a xmlns:='u'/>"),
        kind("colon_in_an_instruction", malformed, "<a><?p:q?></a>"),
        kind("colon_in_an_entity", malformed, "<!DOCTYPE a [<!ENTITY p:q 'x'>]><a/>"),
        kind("doctype_with_two_colons", malformed, "<!DOCTYPE a:b:c><a/>"),
        kind("default_undeclared_again", loaded, "<a xmlns='u'><b xmlns=''/></a>"),
        kind("same_local_names_apart", loaded,
             "<a xmlns:p='u' xmlns:q='v' b='0' p:b='1' q:b='2'/>"),
        kind("prefix_xml_declared_rightly", loaded,
             "<a xmlns:xml='http://www.w3.org/XML/1998/namespace' xml:lang='en'/>"),
        kind("prefix_starts_with_xml", loaded, "<xmla:b xmlns:xmla='u' xmla:c='1'/>"),
        kind("declared_after_its_use", loaded, "<p:a p:b='1' xmlns:p='u'/>"),
        kind("shadowed", loaded, "<p:a xmlns:p='u'><p:a xmlns:p='v'/><p:a/></p:a>"),
        kind("namespace_is_no_uri", loaded, "<a xmlns='{}| not a uri'/>"),
        kind("namespace_with_a_reference", loaded, "<p:a xmlns:p='a&#38;b'/>"),
        {"declarations_10000_on_one_element", loaded,
         [] { return "<a" + numbered(" xmlns:p", 10'000, "='u'") + "/>"; }},
        {"declarations_on_10000_levels", loaded,
         [] {
             std::string text;
             for (int i = 0; i < 10'000; ++i) {
                 const std::string p = std::to_string(i);
                 text += "<a xmlns:p" + p + "='u" + p + "'>";
             }
             return text + repeated("</a>", 10'000);
         }},
        {"collisions_by_namespace_10000", malformed,
         [] {
             return "<a xmlns:p='u' xmlns:q='u'" + numbered(" p:b", 10'000, "='1'") +
                    " q:b9999='2'/>";
         }},
    };
}

}  // namespace perfrelay::hostile
