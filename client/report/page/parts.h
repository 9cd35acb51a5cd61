#pragma once
// The parts of the HTML report, put into the program when it is built (embed.cmake): page.html with
// places for the others, page.css, the script, and Debian's Chart.js (package libjs-chart.js).

#include <string_view>

namespace perfrelay::client::page {

struct Part {
    std::string_view content;
    std::string_view sha256;  // hexadecimal
};

extern const Part k_html;
extern const Part k_css;
extern const Part k_js;
extern const Part k_chart;

}  // namespace perfrelay::client::page
