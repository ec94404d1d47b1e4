// The bytes of the bundled page, for html.cpp.
  .section .rodata
  .global spillway_page_begin, spillway_page_end
spillway_page_begin:
  .incbin SPILLWAY_PAGE
spillway_page_end:
  .section .note.GNU-stack, "", %progbits
