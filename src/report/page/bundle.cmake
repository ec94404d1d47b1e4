# Makes PAGE of the sources in WEB: script and style, bundled by ESBUILD with the D3 modules under MODULES, stand in the
# place of @script@ and @style@ in page.html. Run by cmake -P when the program is built.
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
