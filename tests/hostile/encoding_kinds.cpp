#include "tests/hostile/kinds.h"

namespace perfrelay::hostile {

namespace {

using namespace std::string_literals;

// ASCII text in 16 or 32 bits a character, without a mark.
std::string wide(std::string_view text, std::size_t width, bool big_endian) {
    std::string out;
    for (const char c : text) {
        const std::string zeros(width - 1, '\0');
        out += big_endian ? zeros + c : c + zeros;
    }
    return out;
}

const std::string k_mark_8 = "\xEF\xBB\xBF";
const std::string k_mark_16le = "\xFF\xFE";
const std::string k_mark_16be = "\xFE\xFF";
const std::string k_mark_32le = "\xFF\xFE\0\0"s;
const std::string k_mark_32be = "\0\0\xFE\xFF"s;

std::string declared(const std::string& encoding, const std::string& root = "<a>x</a>") {
    return "<?xml version='1.0' encoding='" + encoding + "'?>" + root;
}

}  // namespace

std::vector<Kind> encoding_kinds() {
    using enum Verdict;
    return {
        // 2.2 and RFC 3629: what is no UTF-8
        kind("utf8_ff", malformed, "<a>\xFF</a>"),
        kind("utf8_fe", malformed, "<a>\xFE</a>"),
        kind("utf8_lone_continuation", malformed, "<a>\x80</a>"),
        kind("utf8_cut_short", malformed, "<a>\xE2\x82</a>"),
        kind("utf8_lead_then_ascii", malformed, "<a>\xC3x</a>"),
        kind("utf8_overlong_slash", malformed, "<a>\xC0\xAF</a>"),
        kind("utf8_overlong_nul", malformed, "<a>\xC0\x80</a>"),
        kind("utf8_overlong_three", malformed, "<a>\xE0\x80\xAF</a>"),
        kind("utf8_overlong_four", malformed, "<a>\xF0\x80\x80\xAF</a>"),
        kind("utf8_overlong_less_than", malformed,
             "<a>\xC0\xBC"
             "b></a>"),
        kind("utf8_surrogate", malformed, "<a>\xED\xA0\x80</a>"),
        kind("utf8_surrogate_pair", malformed, "<a>\xED\xA0\xBD\xED\xB8\x80</a>"),
        kind("utf8_beyond_unicode", malformed, "<a>\xF4\x90\x80\x80</a>"),
        kind("utf8_five_bytes", malformed, "<a>\xF8\x88\x80\x80\x80</a>"),
        kind("utf8_bad_in_a_name", malformed, "<a\xFF/>"),
        kind("utf8_bad_in_an_attribute", malformed, "<a b='\xC0\xAF'/>"),
        kind("utf8_bad_in_a_comment", malformed, "<a><!--\xFF--></a>"),
        kind("utf8_bad_in_an_instruction", malformed, "<a><?p \xC3(?></a>"),
        kind("utf8_bad_in_cdata", malformed, "<a><![CDATA[\x80]]></a>"),
        kind("utf8_bad_in_the_subset", malformed, "<!DOCTYPE a [<!ENTITY e '\xFF'>]><a/>"),
        kind("latin1_undeclared", malformed, "<a>caf\xE9</a>"),
        kind("utf8_astral", loaded, "<a>\xF0\x9F\x98\x80</a>"),
        kind("utf8_declared_in_lower_case", loaded, declared("utf-8")),

        // Marks
        kind("mark_utf8", loaded, k_mark_8 + "<a/>"),
        kind("mark_utf8_and_declaration", loaded, k_mark_8 + declared("UTF-8")),
        kind("mark_utf8_against_latin1", loaded, k_mark_8 + declared("ISO-8859-1")),
        kind("mark_utf8_against_utf16", malformed, k_mark_8 + declared("UTF-16")),
        kind("mark_twice", malformed, k_mark_8 + k_mark_8 + "<a/>"),
        kind("mark_alone", malformed, k_mark_8),
        kind("mark_cut_short", malformed, "\xEF\xBB<a/>"),
        kind("mark_inside", loaded, "<a>" + k_mark_8 + "</a>"),
        kind("mark_utf16_alone", malformed, k_mark_16le),
        kind("mark_utf16_twice", malformed, k_mark_16le + k_mark_16le + wide("<a/>", 2, false)),
        kind("mark_utf7", malformed, "+/v8-<a/>"),

        // Wide encodings
        kind("utf16le", loaded, k_mark_16le + wide("<a>x</a>", 2, false)),
        kind("utf16be", loaded, k_mark_16be + wide("<a>x</a>", 2, true)),
        kind("utf16le_unmarked", loaded, wide(declared("UTF-16LE"), 2, false)),
        kind("utf16be_unmarked", loaded, wide(declared("UTF-16BE"), 2, true)),
        kind("utf32le", loaded, k_mark_32le + wide("<a>x</a>", 4, false)),
        kind("utf32be", loaded, k_mark_32be + wide("<a>x</a>", 4, true)),
        kind("utf16_odd_length", malformed, k_mark_16le + wide("<a/>", 2, false) + "x"),
        kind("utf16_lone_high_surrogate", malformed,
             k_mark_16le + wide("<a>", 2, false) + "\x3D\xD8" + wide("</a>", 2, false)),
        kind("utf16_lone_low_surrogate", malformed,
             k_mark_16le + wide("<a>", 2, false) + "\x00\xDE"s + wide("</a>", 2, false)),
        kind("utf16_surrogates_swapped", malformed,
             k_mark_16le + wide("<a>", 2, false) + "\x00\xDE\x3D\xD8"s + wide("</a>", 2, false)),
        kind("utf16_calls_itself_utf8", malformed, k_mark_16le + wide(declared("UTF-8"), 2, false)),
        kind("utf16_calls_itself_utf32", malformed,
             k_mark_16le + wide(declared("UTF-32"), 2, false)),
        kind("utf16_null", malformed, k_mark_16le + wide("<a>\0</a>"s, 2, false)),
        kind("utf32_beyond_unicode", malformed,
             k_mark_32le + wide("<a>", 4, false) + "\0\0\x11\0"s + wide("</a>", 4, false)),
        kind("utf32_cut_short", malformed, k_mark_32le + wide("<a/>", 4, false) + "\0\0"s),
        kind("narrow_calls_itself_utf16", malformed, declared("UTF-16")),
        kind("narrow_calls_itself_ucs4", malformed, declared("ISO-10646-UCS-4")),

        // Declared encodings
        kind("latin1", loaded, declared("ISO-8859-1", "<a>caf\xE9</a>")),
        kind("windows_1252", loaded, declared("windows-1252", "<a>\x80</a>")),
        kind("shift_jis", loaded, declared("Shift_JIS", "<a>\x83\x5C</a>")),
        kind("gb18030", loaded, declared("GB18030", "<a>\x81\x30\x81\x30</a>")),
        kind("koi8", loaded, declared("KOI8-R", "<a>\xC1</a>")),
        kind("ascii_with_high_bytes", malformed, declared("US-ASCII", "<a>\xC3\xA4</a>")),
        kind("shift_jis_cut_short", malformed, declared("Shift_JIS", "<a>\x83</a>")),
        kind("euc_jp_malformed", malformed, declared("EUC-JP", "<a>\xFF\xFF</a>")),
        kind("utf7_declared", loaded, declared("UTF-7", "<a>+AGI-</a>")),
        kind("utf7_hides_markup", malformed, declared("UTF-7", "<a>+ADw-b+AD4-</a>")),
        kind("iso2022_shift_state", loaded, declared("ISO-2022-JP", "<a>\x1B$B$\"\x1B(B</a>")),
        kind("unknown_encoding", refused, declared("X-NO-SUCH-CODE")),
        kind("encoding_with_an_option", malformed, declared("CP-1//TRANSLIT", "<a>\xE9</a>")),
        kind("encoding_empty", malformed, declared("")),
        kind("encoding_name_of_100000", refused, declared(repeated("X", 100'000))),
        kind("encoding_far_into_the_declaration", loaded,
             "<?xml version='1.0'" + std::string(5000, ' ') + "encoding='ISO-8859-1'?><a>\xE9</a>"),
        kind("encoding_in_a_comment_only", malformed, "<!-- encoding='ISO-8859-1' --><a>\xE9</a>"),
        kind(
            "ebcdic", loaded,
            // <?xml version='1.0' encoding='IBM037'?><a/>
            "\x4C\x6F\xA7\x94\x93\x40\xA5\x85\x99\xA2\x89\x96\x95\x7E\x7D\xF1\x4B\xF0\x7D\x40\x85"
            "\x95"
            "\x83\x96\x84\x89\x95\x87\x7E\x7D\xC9\xC2\xD4\xF0\xF3\xF7\x7D\x6F\x6E\x4C\x81\x61\x6E"),
        kind("gzip_for_xml", malformed, "\x1F\x8B\x08\0\0\0\0\0\0\x03"s),
        kind("exi_for_xml", malformed, "$EXI\x80\x40"),
        kind("random_bytes", malformed, "\x93\x1A\xF0\x7C\x05\xEE\x81\x42\x99\x3C\x3E\xA7"),
    };
}

}  // namespace perfrelay::hostile
