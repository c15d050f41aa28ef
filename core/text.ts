/**
 * Characters that names and texts must not have: C0 and C1 controls except tab and line feed, zero-width characters,
 * marks that change the text's direction, line and paragraph separators, and halves of surrogate pairs. Some control a
 * terminal, and the others hide text.
 */
const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udfff]/u;
const ALL_HIDDEN = new RegExp(HIDDEN.source, 'gu');

/** Returns the first forbidden character of a text, as `U+001B`. Undefined without one. */
export function findHiddenCharacter(text: string): string | undefined {
  const code = HIDDEN.exec(text)?.[0].charCodeAt(0);
  return code === undefined ? undefined : `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

/**
 * A text with each hidden character written out as `\u001b`, as JSON writes it, so that a document
 * in JSON stays the same document. Line ends of Windows become ours.
 */
export function escapeHidden(text: string): string {
  return HIDDEN.test(text)
    ? text
        .replaceAll('\r\n', '\n')
        .replace(ALL_HIDDEN, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
    : text;
}

/** A text for an error: written out, and cut where it is longer than `most` characters. */
export function clipText(text: string, most = 80): string {
  const whole = escapeHidden(text).replaceAll('\n', ' ');
  return whole.length > most ? `${whole.slice(0, most)}…` : whole;
}
