/** What the exit code of any command says, for the end of each help text. */
export const EXIT_CODES = `Exit codes:
  0 done · 1 failed, or rolled back · 2 bad input · 3 cannot be reached
  4 waits for a person · 5 canceled, or a person said no
  6 superseded by a definition that was submitted later · 130 Ctrl-C`;
