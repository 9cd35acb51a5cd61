#include "tests/hostile/kinds.h"

namespace perfrelay::hostile {

std::vector<Kind> size_kinds() {
    using enum Verdict;
    constexpr std::size_t k_million = 1'000'000;
    return {
        {"levels_100", loaded, [] { return repeated("<a>", 100) + repeated("</a>", 100); }},
        {"levels_10000", loaded, [] { return repeated("<a>", 10'000) + repeated("</a>", 10'000); }},
        {"levels_1000000", loaded,
         [] { return repeated("<a>", k_million) + repeated("</a>", k_million); }},
        {"levels_1000001", refused,
         [] { return repeated("<a>", k_million + 1) + repeated("</a>", k_million + 1); }},
        {"levels_1000000_unclosed", malformed, [] { return repeated("<a>", k_million); }},
        {"levels_with_text_between", loaded,
         [] { return repeated("<a>x", 50'000) + repeated("y</a>", 50'000); }},
        {"attributes_100000", loaded,
         [] {
             std::string text = "<a";
             for (int i = 0; i < 100'000; ++i)
                 text += " b" + std::to_string(i) + "='1'";
             return text + "/>";
         }},
        {"attributes_200001", refused,
         [] {
             std::string text = "<a";
             for (int i = 0; i < 200'001; ++i)
                 text += " b" + std::to_string(i) + "='1'";
             return text + "/>";
         }},
        {"attributes_20000_the_last_twice", malformed,
         [] {
             std::string text = "<a";
             for (int i = 0; i < 20'000; ++i)
                 text += " b" + std::to_string(i) + "='1'";
             return text + " b19999='2'/>";
         }},
        {"names_20000", loaded,
         [] {
             std::string text = "<a>";
             for (int i = 0; i < 20'000; ++i)
                 text += "<b" + std::to_string(i) + "/>";
             return text + "</a>";
         }},
        {"siblings_100000", loaded, [] { return "<a>" + repeated("<b/>", 100'000) + "</a>"; }},
        {"text_of_64_megabytes", loaded,
         [] { return "<a>" + std::string(64'000'000, 'x') + "</a>"; }},
        {"text_of_5_megabytes_of_references", loaded,
         [] { return "<a>" + repeated("&#65;", k_million) + "</a>"; }},
        {"text_of_blanks_3_megabytes", loaded,
         [] { return "<a>" + std::string(3 * k_million, ' ') + "</a>"; }},
        {"text_of_returns_2_megabytes", loaded,
         [] { return "<a>" + repeated("\r\n", k_million) + "</a>"; }},
        {"attribute_of_4_megabytes", loaded,
         [] { return "<a b='" + std::string(4 * k_million, 'x') + "'/>"; }},
        {"comment_of_4_megabytes", loaded,
         [] { return "<a><!--" + std::string(4 * k_million, 'x') + "--></a>"; }},
        {"instruction_of_4_megabytes", loaded,
         [] { return "<a><?p " + std::string(4 * k_million, 'x') + "?></a>"; }},
        {"cdata_of_3_megabytes", loaded,
         [] { return "<a><![CDATA[" + std::string(3 * k_million, ']') + "]]></a>"; }},
        {"cdata_sections_50000", loaded,
         [] { return "<a>" + repeated("<![CDATA[]]>", 50'000) + "</a>"; }},
        {"name_of_1_megabyte", loaded, [] { return "<" + std::string(k_million, 'n') + "/>"; }},
        {"target_of_1_megabyte", loaded,
         [] { return "<a><?" + std::string(k_million, 't') + "?></a>"; }},
        {"namespace_of_1_megabyte", loaded,
         [] { return "<a xmlns='" + std::string(k_million, 'u') + "'/>"; }},
        {"blanks_in_a_tag_10_megabytes", loaded,
         [] { return "<a" + std::string(10 * k_million, ' ') + "/>"; }},
        {"prolog_of_100000_comments", loaded, [] { return repeated("<!---->", 100'000) + "<a/>"; }},
        {"epilog_of_100000_instructions", loaded,
         [] { return "<a/>" + repeated("<?p?>", 100'000); }},
        {"doctype_of_3_megabytes", loaded,
         [] { return "<!DOCTYPE a [<!--" + std::string(3 * k_million, 'x') + "-->]><a/>"; }},
        {"less_than_1000000", malformed, [] { return std::string(k_million, '<'); }},
        {"ampersands_1000000", malformed, [] { return "<a>" + std::string(k_million, '&'); }},
        {"comment_never_ends_10_megabytes", malformed,
         [] { return "<a><!--" + std::string(10 * k_million, '-'); }},
        {"tag_never_ends_5_megabytes", malformed,
         [] { return "<" + std::string(5 * k_million, 'a'); }},
        {"nul_of_1_megabyte", malformed, [] { return std::string(k_million, '\0'); }},
    };
}

}  // namespace perfrelay::hostile
