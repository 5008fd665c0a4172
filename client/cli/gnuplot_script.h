// Pictures as scripts for gnuplot, in which all text is quoted and none is interpreted.
#ifndef ACTIVATION_CLIENT_CLI_GNUPLOT_SCRIPT_H_
#define ACTIVATION_CLIENT_CLI_GNUPLOT_SCRIPT_H_

#include <string>

#include "client/cli/picture.h"
#include "client/cli/picture_type.h"

namespace activation::cli {

// `text_columns` is the width of kText.
std::string GnuplotScript(const Picture& picture, PictureType type, int text_columns);

}  // namespace activation::cli

#endif  // ACTIVATION_CLIENT_CLI_GNUPLOT_SCRIPT_H_
