# Makes PAGE from the sources in WEB. ESBUILD bundles script and style with the D3 modules under MODULES. They replace
# @script@ and @style@ in page.html. The build runs this file by cmake -P.
set(ENV{NODE_PATH} ${MODULES})
foreach(part main.js page.css)
  execute_process(COMMAND ${ESBUILD} ${WEB}/${part} --bundle --minify --charset=utf8 --log-level=warning
                  OUTPUT_VARIABLE bundled COMMAND_ERROR_IS_FATAL ANY)
  set(${part} "${bundled}")
endforeach()
file(READ ${WEB}/page.html page)
string(REPLACE "@script@" "${main.js}" page "${page}")
string(REPLACE "@style@" "${page.css}" page "${page}")
file(WRITE ${PAGE} "${page}")
