#pragma once
// Xerces-C++'s schema component model (XSModel) as Components.

#include <string>

#include <xercesc/framework/psvi/XSModel.hpp>
#include <xercesc/util/XercesDefs.hpp>

#include "proto/exi/schema/components.h"

namespace perfrelay::exi {

std::string utf8_of(const XMLCh* text);
std::basic_string<XMLCh> wide_of(const std::string& text);

Components components_of(xercesc::XSModel& model);

}  // namespace perfrelay::exi
