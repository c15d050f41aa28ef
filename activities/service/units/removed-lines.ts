/**
 * Which removed lines of a file may be shown if the file may hold secrets. Former secrets are unknown: a line is shown only
 * if all in it is plain, such as `maxmemory 64mb`.
 */

/** Names of settings that contain a secret. */
const SECRET_KEY = /pass|pwd|secret|token|key|auth|cred|\bpin\b|psk|community|salt|phrase|private|session|cookie|hash/i;

/** A short number, a number with a unit, a switch, an address, or a path of plain words. */
const PLAIN = [
  /^-?\d{1,3}$/,
  /^-?\d{1,15}(\.\d{1,6})?(%|[a-zA-Z]{1,3})$/,
  /^(yes|no|on|off|true|false|none|null)$/i,
  /^\d{1,3}(\.\d{1,3}){3}(:\d{1,5})?(\/\d{1,2})?$/,
  /^(\/[a-z][a-z._-]{0,24}\d{0,3}){1,8}\/?$/,
];
/** A name, such as that of a policy, or a number. A longer number may be a code that opens something. */
const WORD = /^([a-z]+([-_.][a-z]+)*|-?\d{1,15}(\.\d{1,6})?)$/;

/** @param after the wanted content; a line of it with a secret has the secret's name */
export function plainLines(after: string): (line: string) => boolean {
  const secretKeys = new Set<string>();
  const plainKeys = new Set<string>();
  for (const line of after.split('\n')) {
    const { key } = partsOf(line);
    if (key !== undefined) (line.includes(SECRET) ? secretKeys : plainKeys).add(key);
  }
  return (line) => {
    const { key, values } = partsOf(line);
    if (key === undefined || SECRET_KEY.test(line) || secretKeys.has(key)) return line.trim() === '';
    // A word or a longer number is shown only as the former value of a setting that has a plain value now.
    return values.every((value) => PLAIN.some((form) => form.test(value)) || (plainKeys.has(key) && WORD.test(value)));
  };
}

/** Prefix of a secret's name in a diff. */
const SECRET = '(secret ';

/** The setting of a line and its values, without quotes and punctuation; a line without a setting and a value has none. */
function partsOf(line: string): { key?: string; values: string[] } {
  const [key, ...values] = line
    .trim()
    .split(/[\s=]+/)
    .map((part) => part.replace(/^["']+|["':;,]+$/g, ''))
    .filter(Boolean);
  return key !== undefined && values.length > 0 && /^[A-Za-z][\w.-]*$/.test(key) ? { key, values } : { values };
}
