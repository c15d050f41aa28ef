import { EXIT, EXIT_TEXTS } from '../../core/exit-codes.js';

const said = Object.entries(EXIT).map(([name, code]) => `${code} ${EXIT_TEXTS[name as keyof typeof EXIT]}`);

/** Meanings of the exit codes for the end of each help text, wrapped at 80 columns. */
export const EXIT_CODES = said.reduce((text, one) => {
  const last = text.slice(text.lastIndexOf('\n') + 1);
  return last.length + one.length + 3 > 72 || last === 'Exit codes:' ? `${text}\n  ${one}` : `${text} · ${one}`;
}, 'Exit codes:');
