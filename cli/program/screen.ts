import { escapeHidden, findHiddenCharacter } from '../../core/text.js';

/** Where text goes: a terminal, or a pipe. */
export interface Screen {
  /** Prints a text. Whatever it holds, a terminal does no more than print and colour it. */
  write(text: string): void;
  /** Gives a value to a pipe or a file byte for byte; on a terminal as `write` does. */
  data(text: string | Uint8Array): void;
  /** Moves the cursor: only for sequences of our own, never for what came from elsewhere. */
  control(sequence: string): void;
  /** Whether a person looks at it, so that it may be redrawn. */
  live: boolean;
  colours: boolean;
  columns(): number;
  rows(): number;
}

/** What is known of a stream that text goes to. */
export interface Output {
  isTTY?: boolean;
  columns?: number;
  rows?: number;
  write(text: string | Uint8Array): boolean;
}

/** Colours only on a terminal, and never against `NO_COLOR`. */
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

/** Colours text, or leaves it as it is. */
export const paintFor =
  ({ colours }: Pick<Screen, 'colours'>): Paint =>
  (colour, text) =>
    colours && text !== '' ? `\u001b[${CODES[colour]}m${text}\u001b[0m` : text;

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control characters
const COLOURED = /\u001b\[[0-9;]*m/g;

// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control characters
const OUR_COLOURS = /(\u001b\[(?:0|1|2|31|32|33|36)m)/;

/**
 * A text from hosts, definitions or Temporal as a terminal may get it: colours of ours stay, every
 * other control, zero-width or direction character is written out, `\u001b` for an escape.
 */
export const printable = (text: string): string =>
  findHiddenCharacter(text) === undefined
    ? text
    : text
        .split(OUR_COLOURS)
        .map((part, index) => (index % 2 === 1 ? part : escapeHidden(part)))
        .join('');

/** How many columns a text takes. */
export const measureWidth = (text: string): number => [...text.replace(COLOURED, '')].length;

/** A text cut to a width in columns, colours kept. */
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

/** Rows as aligned columns, the last one ragged; no line ends in blanks. */
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
