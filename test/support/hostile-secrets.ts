/** Key as in a file: several lines, each with a line end. */
const PEM = `-----BEGIN PRIVATE KEY-----\n${'MC4CAQAwBQYDK2VwBCIEIHdVq/9wK3q+ZkX0pT7yA1sL8eGmR5uJ2nYbCfPoWxQd\n'.repeat(3)}-----END PRIVATE KEY-----`;

/** Values that end a string, begin another, or have a special meaning in some format. */
export const HOSTILE_SECRETS: readonly string[] = [
  'Zq7wPlainValue',
  "it's-Zq7wTail",
  "x'; DROP USER zq7w; --",
  'say-"Zq7wTail"',
  '"Zq7wQuoted"',
  "'Zq7wQuoted'",
  'Zq7w\\',
  'a\\d\\\\Zq7wTail',
  '\\n\\t\\x41\\u0041Zq7w',
  '$Zq7wHome$$',
  '${Zq7wBrace}',
  '`touch /tmp/zq7w`',
  '$(touch /tmp/zq7w)',
  '%{Zq7wPercent}',
  '%n%%i%hZq7w',
  '{{Zq7wTemplate}}',
  '#Zq7wComment',
  'Zq7w #comment;semi',
  ' Zq7wSpaces ',
  'Zq7w\tTab',
  'Zq7wFirst\nsecond=Zq7w',
  'Zq7w\r\nZq7wCr',
  'Zq7wEnd\n',
  'Zq7w\0Nul',
  'Zq7w-ü-€-😀',
  'Zq7w\u2028Separator',
  'Zq7w\ufffeZq7w',
  '-Zq7wDash',
  '!Zq7wTag',
  '{Zq7w: map}',
  '[Zq7wList]',
  '*Zq7wAlias',
  '&Zq7wAnchor',
  'yes',
  'null',
  '123',
  '0x1',
  '1e400',
  '~',
  'a: b # c, Zq7w',
  'https://user:Zq7w@host.example.org/?q=1&b=%20',
  '{"type": "service_account", "key": "Zq7w\\n"}',
  PEM,
  `Zq7w${'0123456789abcdef'.repeat(9_000)}`,
  'md5Zq7w',
  '$2a$10$Zq7wNotAHash',
  '\u0001\u001b[31mZq7w\u007f',
];

/** Minimum length of a value's piece that must not be in an error. */
const PIECE = 6;

/**
 * Returns a piece of the value, at least six characters long, that the text contains. Returns undefined if there is no
 * such piece.
 *
 * @param ours text that may contain such pieces, since it does not contain the value
 */
export function pieceIn(text: string, value: string, ours = ''): string | undefined {
  for (let at = 0; at + PIECE <= Math.min(value.length, 2_000); at += 1) {
    const piece = value.slice(at, at + PIECE);
    if (text.includes(piece) && !ours.includes(piece)) return piece;
  }
  return undefined;
}
