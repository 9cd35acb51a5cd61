#include "tests/hostile/kinds.h"

namespace perfrelay::hostile {

namespace {

using namespace std::string_literals;

Kind good(const char* name, std::string text) {
    return kind(name, Verdict::loaded, std::move(text));
}
Kind bad(const char* name, std::string text, std::uint32_t line = 0, std::uint32_t column = 0) {
    Kind made = kind(name, Verdict::malformed, std::move(text));
    made.line = line;
    made.column = column;
    return made;
}

}  // namespace

std::vector<Kind> markup_kinds() {
    return {
        // 2.1, 3: the document as a whole
        bad("empty_file", ""),
        bad("only_white_space", " \n\t "),
        bad("only_a_declaration", "<?xml version='1.0'?>"),
        bad("only_a_comment", "<!-- nothing else -->"),
        bad("plain_text", "just text", 1, 1),
        bad("text_before_the_root", "x<a/>"),
        bad("text_after_the_root", "<a/>x", 1, 5),
        bad("reference_after_the_root", "<a/>&#32;", 1, 5),
        bad("cdata_after_the_root", "<a/><![CDATA[x]]>"),
        bad("two_roots", "<a/><b/>", 1, 5),
        bad("mismatched_end", "<a></b>", 1, 6),
        bad("mismatched_end_on_line_3", "<a>\n<b>\n  </c></b></a>", 3, 5),
        bad("end_without_start", "</a>"),
        bad("crossed_elements", "<a><b></a></b>"),
        bad("unclosed_root", "<a>text"),
        bad("unclosed_tag", "<a"),
        bad("unclosed_attribute", "<a b='c"),
        bad("unclosed_comment", "<a><!-- "),
        bad("unclosed_cdata", "<a><![CDATA[ ]] "),
        bad("unclosed_instruction", "<a><?p "),
        bad("unclosed_doctype", "<!DOCTYPE a [ <!ENTITY b 'c'>"),
        bad("cut_in_a_character", "<a>\xE2\x82"),
        bad("cut_in_a_reference", "<a>&am"),
        bad("only_a_bracket", "<"),
        bad("case_matters", "<a></A>"),
        good("white_space_after_the_root", "<a/>\n\n \t\n"),
        good("comment_after_the_root", "<a/><!--c-->\n<?p?>"),
        good("end_tag_with_blanks", "<a></a \n>"),

        // 2.2: characters
        bad("nul_in_text", "<a>\0</a>"s, 1, 4),
        bad("nul_in_an_attribute", "<a b='\0'/>"s),
        bad("nul_in_a_name", "<a\0b/>"s),
        bad("nul_in_a_comment", "<a><!--\0--></a>"s),
        bad("nul_after_the_root", "<a/>\0"s),
        bad("nul_first", "\0<a/>"s),
        bad("nul_in_the_doctype", "<!DOCTYPE a [<!ENTITY b '\0'>]><a/>"s),
        bad("control_01", "<a>\x01</a>"),
        bad("control_08", "<a>x\x08</a>"),
        bad("control_0B", "<a>\x0B</a>"),
        bad("control_1F", "<a b='\x1F'/>"),
        bad("control_in_cdata", "<a><![CDATA[\x0C]]></a>"),
        bad("control_in_a_comment", "<a><!--\x0E--></a>"),
        bad("control_in_an_instruction", "<a><?p \x02?></a>"),
        good("delete_7F", "<a>\x7F</a>"),
        good("c1_control_85", "<a>\xC2\x85</a>"),
        bad("fffe_in_text", "<a>\xEF\xBF\xBE</a>"),
        bad("ffff_in_text", "<a>\xEF\xBF\xBF</a>"),
        good("replacement_character", "<a>\xEF\xBF\xBD</a>"),
        good("astral_noncharacter", "<a>\xF0\x9F\xBF\xBF</a>"),

        // 2.3: names
        bad("name_starts_with_a_digit", "<1/>"),
        bad("name_starts_with_a_hyphen", "<-a/>"),
        bad("name_starts_with_a_dot", "<.a/>"),
        bad("name_with_a_dollar", "<a$b/>"),
        bad("name_with_a_slash", "<a/b></a>"),
        bad("name_starts_with_a_combining_mark", "<\xCC\x80/>"),
        bad("name_with_a_multiplication_sign", "<a\xC3\x97/>"),
        bad("blank_before_the_name", "< a/>"),
        bad("blank_in_an_end_tag", "<a></ a>"),
        bad("element_without_a_name", "<></>"),
        good("names_beyond_ascii", "<\xC3\xA4\xC3\xB6 \xE5\x80\xBC='1'/>"),

        // 2.4: < & ]]>
        bad("bare_ampersand", "<a>a & b</a>"),
        bad("ampersand_without_semicolon", "<a>&amp b</a>"),
        bad("ampersand_alone", "<a>&;</a>"),
        bad("less_than_in_an_attribute", "<a b='<'/>"),
        bad("less_than_in_text", "<a>1 < 2</a>"),
        bad("cdata_end_in_text", "<a>x]]>y</a>"),
        good("greater_than_anywhere", "<a b='>'>]]&gt; > ]></a>"),
        good("cdata_holds_markup", "<a><![CDATA[<b>&amp;]] ]>]]></a>"),
        good("cdata_end_split", "<a><![CDATA[]]]]><![CDATA[>]]></a>"),
        good("empty_cdata", "<a><![CDATA[]]></a>"),
        bad("cdata_in_lower_case", "<a><![cdata[x]]></a>"),
        bad("cdata_in_an_attribute", "<a b='<![CDATA[x]]>'/>"),
        bad("cdata_before_the_root", "<![CDATA[x]]><a/>"),

        // 2.5, 2.6: comments, instructions
        bad("double_hyphen_in_a_comment", "<a><!-- -- --></a>"),
        bad("comment_ends_in_three_hyphens", "<a><!-- ---></a>"),
        bad("comment_in_a_tag", "<a <!-- --> b='1'/>"),
        good("comment_holds_markup", "<a><!-- <b> & ]]> ?> --></a>"),
        good("empty_comment", "<a><!----></a>"),
        bad("instruction_without_a_target", "<a><? p?></a>"),
        bad("instruction_named_xml", "<a><?xml version='1.0'?></a>"),
        bad("instruction_named_XmL", "<a><?XmL ?></a>"),
        good("instruction_named_xml_stylesheet", "<?xml-stylesheet href='a'?><a/>"),
        good("instruction_holds_markup", "<a><?p <b> & ' \" > ?></a>"),
        good("instruction_after_the_root", "<a/><?p?>"),
        good("instruction_inside", "<a><?p d?></a>"),

        // 2.8: the declaration
        bad("declaration_not_first", " <?xml version='1.0'?><a/>", 1, 2),
        bad("declaration_twice", "<?xml version='1.0'?><?xml version='1.0'?><a/>"),
        bad("declaration_without_a_version", "<?xml encoding='UTF-8'?><a/>"),
        bad("declaration_in_the_wrong_order",
            "<?xml version='1.0' standalone='yes' encoding='UTF-8'?><a/>"),
        bad("declaration_with_rubbish", "<?xml version='1.0' x='y'?><a/>"),
        bad("declaration_unquoted", "<?xml version=1.0?><a/>"),
        bad("declaration_in_upper_case", "<?XML version='1.0'?><a/>"),
        bad("standalone_maybe", "<?xml version='1.0' standalone='maybe'?><a/>"),
        {"version_2", Verdict::refused, [] { return "<?xml version='2.0'?><a/>"s; }},
        {"version_nonsense", Verdict::refused, [] { return "<?xml version='1.x'?><a/>"s; }},
        good("version_1_1", "<?xml version='1.1'?><a/>"),
        good("version_1_9", "<?xml version='1.9'?><a/>"),

        // 3.1: tags
        bad("attribute_twice", "<a b='1' c='2' b='3'/>"),
        bad("attribute_without_a_value", "<a b/>"),
        bad("attribute_without_an_equals", "<a b 'c'/>"),
        bad("attribute_unquoted", "<a b=c/>"),
        bad("attributes_without_a_blank", "<a b='1'c='2'/>"),
        bad("attribute_in_an_end_tag", "<a></a b='1'>"),
        bad("attribute_with_mixed_quotes", "<a b='1\"/>"),
        bad("slash_in_the_middle", "<a / b='1'>"),
        bad("quote_in_nothing", "<a '/>"),
        good("attribute_quotes", "<a b=\"'\" c='\"'/>"),
        good("attribute_line_ends", "<a b='1\r\n2\t3&#13;&#10;&#9;'/>"),
        good("line_ends", "<a>\r\n\r\r\n&#13;\n</a>"),
        good("equals_with_blanks", "<a b \n= '1'/>"),

        // 4.1: character references
        bad("reference_to_0", "<a>&#0;</a>"),
        bad("reference_to_hexadecimal_0", "<a>&#x0;</a>"),
        bad("reference_to_1", "<a>&#1;</a>"),
        bad("reference_to_a_surrogate", "<a>&#xD800;</a>"),
        bad("reference_to_ffff", "<a>&#xFFFF;</a>"),
        bad("reference_beyond_unicode", "<a>&#x110000;</a>"),
        bad("reference_that_overflows", "<a>&#4294967361;</a>"),
        bad("reference_of_many_digits", "<a>&#" + repeated("9", 100'000) + ";</a>"),
        bad("reference_without_digits", "<a>&#;</a>"),
        bad("reference_with_an_upper_case_x", "<a>&#X41;</a>"),
        bad("reference_with_a_sign", "<a>&#-65;</a>"),
        bad("reference_in_a_name", "<a&#65;/>"),
        bad("reference_to_a_control_in_an_attribute", "<a b='&#x1;'/>"),
        good("reference_to_the_last_character", "<a>&#x10FFFF;&#1114109;</a>"),
        good("reference_with_leading_zeros", "<a>&#" + repeated("0", 10'000) + "65;</a>"),
        good("reference_to_markup", "<a b='&#60;&#38;'>&#60;b&#62;&#38;amp;</a>"),
    };
}

}  // namespace perfrelay::hostile
