import { escapeHidden, findHiddenCharacter } from '../../core/text.js';

/** Destination of text: a terminal or a pipe. */
export interface Screen {
  /** Prints a text. The text can only be displayed and colored, whatever it contains. */
  write(text: string): void;
  /** Writes a value unchanged to a pipe or a file. On a terminal, works like `write`. */
  data(text: string | Uint8Array): void;
  /** Moves the cursor. Only for our own sequences, never for external text. */
  control(sequence: string): void;
  /** Whether the output is interactive and may be redrawn. */
  live: boolean;
  colours: boolean;
  columns(): number;
  rows(): number;
}

/** Properties of an output stream. */
export interface Output {
  isTTY?: boolean;
  columns?: number;
  rows?: number;
  write(text: string | Uint8Array): boolean;
}

/** Creates a screen. It has colors only on a terminal, and never with `NO_COLOR`. */
export function createScreen(stream: Output, env: NodeJS.ProcessEnv): Screen {
  const live = Boolean(stream.isTTY) && env.TERM !== 'dumb';
  return {
    write: (text) => void stream.write(printable(text)),
    data: (text) => void stream.write(stream.isTTY ? printable(Buffer.from(text).toString()) : text),
    control: (sequence) => void stream.write(sequence),
    live,
    colours: live && !env.NO_COLOR,
    columns: () => stream.columns || 80,
    rows: () => stream.rows || 24,
  };
}

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;
export type Colour = keyof typeof CODES;

export type Paint = (colour: Colour, text: string) => string;

/** Returns a function that colors text or leaves it unchanged. */
export const paintFor =
  ({ colours }: Pick<Screen, 'colours'>): Paint =>
  (colour, text) =>
    colours && text !== '' ? `\u001b[${CODES[colour]}m${text}\u001b[0m` : text;

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control characters
const COLOURED = /\u001b\[[0-9;]*m/g;

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control characters
const OUR_COLOURS = /(\u001b\[(?:0|1|2|31|32|33|36)m)/;

/**
 * Makes a text from hosts, definitions or Temporal safe for a terminal. Our own colours stay. Other control,
 * zero-width and direction characters are escaped, such as `\u001b` for an escape.
 */
export const printable = (text: string): string =>
  findHiddenCharacter(text) === undefined
    ? text
    : text
        .split(OUR_COLOURS)
        .map((part, index) => (index % 2 === 1 ? part : escapeHidden(part)))
        .join('');

/** Returns the width of a text in columns. */
export const measureWidth = (text: string): number => [...text.replace(COLOURED, '')].length;

/** Cuts a text to a width in columns. Colors stay. */
export function cut(text: string, width: number): string {
  if (measureWidth(text) <= width) return text;
  let room = Math.max(0, width - 1);
  let kept = '';
  for (const part of text.split(new RegExp(`(${COLOURED.source})`))) {
    if (part.startsWith('\u001b')) kept += part;
    else {
      const shown = [...part].slice(0, room);
      room -= shown.length;
      kept += shown.join('');
    }
  }
  return `${kept}…`;
}

/** Aligns rows in columns, except the last column. Lines have no trailing blanks. */
export function columns(rows: readonly (readonly string[])[], gap = '  '): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, measureWidth(cell));
  }
  return rows.map((row) =>
    row
      .map((cell, index) => (index === row.length - 1 ? cell : cell + ' '.repeat((widths[index] ?? 0) - measureWidth(cell))))
      .join(gap)
      .trimEnd(),
  );
}
