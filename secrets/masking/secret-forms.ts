import { listEncodedForms } from '../../core/taskserv/encoders/encoders.js';

/** Minimum length of masked values, lines and forms: shorter ones occur in any text. */
export const SHORTEST = 4;
/** Minimum length of masked words and other parts of a value. */
const SHORTEST_PART = 8;
/** Minimum length of a masked piece between quotes or backslashes. */
const SHORTEST_CUT = 6;
/** Minimum length of a part that may be an ordinary word. */
const SHORTEST_WORD = 16;
/** Minimum length of a part with lower and upper case letters, such as base64. */
const SHORTEST_MIXED = 12;
/** Columns at which programs break base64 (`base64`, `openssl`) and hexadecimal text (`xxd -p`). */
const COLUMNS = [76, 64, 60];

/** First and last line of every key and certificate, which are not secret. */
const FRAME = /^-----(?:BEGIN|END) [A-Z0-9 ]+-----$/;

/**
 * Returns the texts that reveal a secret in the output of programs: the value, its lines, and the parts from a parser.
 * Parts are words, the strings of a JSON document, the value behind `NAME=`, and the password of a URL. Each is
 * included as it is, and as programs print it: in hexadecimal, in base64 from any byte on, in a URL, in JSON. Forms in
 * the quotes of a shell, SQL and XML are included too.
 */
export function formsOfSecret(value: string): string[] {
  const lines = value.split(/\r?\n/).filter((line) => !FRAME.test(line.trim()));
  const wholes = new Set([...(FRAME.test(value.trim()) ? [] : [value]), ...lines, ...leavesOf(value)]);
  const parts = new Set(lines.flatMap(partsOf).filter(isTelling));
  const forms = new Set([...[...wholes, ...parts].flatMap(writtenForms), ...listEncodedForms(value), ...cutForms(value)]);
  return [...forms].filter((form) => form.length >= SHORTEST && !FRAME.test(form));
}

/**
 * Returns the pieces between quotes and backslashes of a value, which a program with other quoting rules may print.
 * Ordinary words are excluded: they would be masked in every text.
 */
function cutForms(value: string): string[] {
  if (!/['"\\`]/.test(value) || /^\s*[[{]/.test(value)) return [];
  return value.split(/[\s'"\\`]+/).filter((piece) => piece.length >= SHORTEST_CUT && !isWord(piece));
}

const isWord = (piece: string): boolean => piece.length < SHORTEST_WORD && /^[A-Z]?[a-z_-]*[.,:;!?=]*$/.test(piece);

/** Returns the parts that a program may extract from a line and print separately. */
function partsOf(line: string): string[] {
  const words = line.split(/\s+/).map((word) => word.replace(/^[("'`[{<]+|[)"'`\]}>,;:]+$/g, ''));
  const assigned = words.flatMap((word) => /^[A-Za-z_][\w.-]*[=:](.+)$/.exec(word)?.[1]?.replace(/^["']|["']$/g, '') ?? []);
  return [...(words.length > 1 ? words : []), ...assigned, ...words.flatMap(passwordIn)];
}

function passwordIn(word: string): string[] {
  const [, password] = /^[a-z][a-z0-9+.-]*:\/\/[^/\s:@]*:([^/\s]+)@/i.exec(word) ?? [];
  if (password === undefined) return [];
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}

/** Returns the strings in a JSON document, such as the key in the credentials of a service account. */
function leavesOf(value: string): string[] {
  if (!/^\s*[[{]/.test(value)) return [];
  try {
    const leaves: string[] = [];
    JSON.parse(value, (_, one) => {
      if (typeof one === 'string') leaves.push(one, ...one.split(/\r?\n/));
      return one;
    });
    return leaves.filter(isTelling);
  } catch {
    return [];
  }
}

/** Reports whether a part reveals something: names of settings and keywords occur in other texts too. */
const isTelling = (part: string): boolean =>
  part.length >= SHORTEST_WORD ||
  (part.length >= SHORTEST_PART && /[^A-Za-z_.:-]/.test(part)) ||
  (part.length >= SHORTEST_MIXED && /[A-Z].*[A-Z].*[A-Z]/.test(part) && /[a-z].*[a-z].*[a-z]/.test(part));

function writtenForms(value: string): string[] {
  const plain = value.trim();
  if (plain.length < SHORTEST) return [];
  const bytes = Buffer.from(value);
  const url = encodeURIComponent(Buffer.from(plain).toString('utf8'));
  const json = JSON.stringify(plain).slice(1, -1);
  return [
    value,
    plain,
    ...encoded(bytes),
    ...(plain === value ? [] : encoded(Buffer.from(plain))),
    ...[url, new URLSearchParams({ v: plain }).toString().slice(2), url.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())],
    ...[json, json.replaceAll('/', '\\/'), json.replace(/[<>&]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`)],
    plain.replaceAll("'", `'\\''`),
    plain.replaceAll("'", `'"'"'`),
    plain.replace(/[\\"$`]/g, '\\$&'),
    plain.replace(/[^\w@%+=:,./-]/g, '\\$&'),
    plain.replaceAll("'", "\\'"),
    plain.replaceAll("'", "''"),
    plain.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
  ];
}

/**
 * Returns base64 and hexadecimal forms, also broken into lines. Base64 is included from any byte of three on, because
 * preceding bytes shift it.
 */
function encoded(bytes: Buffer): string[] {
  if (bytes.length < 6) return [];
  const forms: string[] = [bytes.toString('hex'), bytes.toString('hex').toUpperCase()];
  for (const before of [0, 1, 2]) {
    const whole = Buffer.concat([Buffer.alloc(before), bytes]);
    const from = before === 0 ? 0 : before + 1;
    // Only characters that depend on nothing but these bytes.
    const to = Math.floor((whole.length * 8) / 6);
    for (const encoding of ['base64', 'base64url'] as const) forms.push(whole.toString(encoding).slice(from, to));
  }
  const broken = [forms[0] ?? '', bytes.toString('base64').replace(/=+$/, '')].flatMap((text) =>
    COLUMNS.flatMap((columns) => (text.length > columns ? (text.match(new RegExp(`.{1,${columns}}`, 'g')) ?? []) : [])),
  );
  return [...forms, ...broken].filter((form) => form.length >= SHORTEST_PART);
}
