import { SopsFault } from './fault.js';
import { type Leaf, leaf, textLeaf } from './tree.js';

/** Values of unquoted YAML words, as `sops` reads them in Go. */
const WORDS: Readonly<Record<string, Leaf>> = {
  ...Object.fromEntries(['true', 'True', 'TRUE'].map((word) => [word, leaf('bool', 'True')])),
  ...Object.fromEntries(['false', 'False', 'FALSE'].map((word) => [word, leaf('bool', 'False')])),
  ...Object.fromEntries(['', '~', 'null', 'Null', 'NULL'].map((word) => [word, leaf('null', '')])),
};
const INFINITE = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const INTEGER = /^[-+]?(?:0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9][0-9]*)$/;
const MOST = 2n ** 63n;

/** Returns the value of an unquoted YAML text. @throws SopsFault for a number that SOPS files cannot represent */
export function plainLeaf(text: string): Leaf {
  const word = Object.hasOwn(WORDS, text) ? WORDS[text] : undefined;
  if (word) return word;
  if (!/^[-+.0-9]/.test(text)) return textLeaf(text);
  if (INFINITE.test(text)) throw new SopsFault('sops-file', 'a number is infinite or not a number: put it in quotes');
  const time = timeOf(text);
  if (time !== undefined) return leaf('time', time);
  const plain = text.startsWith('.') ? text : text.replaceAll('_', '');
  if (INTEGER.test(plain)) {
    const whole = integerOf(plain);
    if (whole >= -MOST && whole < MOST) return leaf('int', String(whole));
    if (whole > 0n && whole < 2n * MOST) throw new SopsFault('sops-file', 'a whole number has more than 63 bits: put it in quotes');
  }
  return FLOAT.test(plain) && Number.isFinite(Number(plain)) ? leaf('float', formatDecimal(Number(plain))) : textLeaf(text);
}

function integerOf(text: string): bigint {
  const [, sign, digits = ''] = /^([-+]?)(.*)$/.exec(text) ?? [];
  // A leading zero means octal, as in Go.
  const amount = BigInt(/^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits.toLowerCase());
  return sign === '-' ? -amount : amount;
}

/** Returns the value of a JSON number. */
export function numberLeaf(text: string): Leaf {
  if (/^-?[0-9]+$/.test(text)) {
    const whole = BigInt(text);
    if (whole >= -MOST && whole < MOST) return leaf('int', String(whole));
  }
  const number = Number(text);
  if (!Number.isFinite(number)) throw new SopsFault('sops-file', 'a number is too large: write it as a text');
  return leaf('float', formatDecimal(number));
}

/** Returns the shortest text of a number without an exponent, which is encrypted and part of the checksum. */
export function formatDecimal(number: number): string {
  if (Object.is(number, -0)) return '-0';
  const [, sign = '', whole = '', rest = '', power = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:e([-+]\d+))?$/.exec(String(number)) ?? [];
  const digits = whole + rest;
  const point = whole.length + Number(power);
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  if (point >= digits.length) return `${sign}${digits}${'0'.repeat(point - digits.length)}`;
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** Returns a fraction for a file: with a point, so that it is not read as a whole number. */
export const fractionText = (data: string): string => (data.includes('.') ? data : `${data}.0`);

const TIME = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:(?:[Tt]| )(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d{1,9}))?(Z|[-+]\d{2}:\d{2})?)?$/;

/** Returns a time in the format of RFC 3339; undefined for any other text. */
function timeOf(text: string): string | undefined {
  const [match, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', zone] = TIME.exec(text) ?? [];
  if (match === undefined || (zone === undefined) === /[Tt]/.test(text)) return undefined;
  if (zone !== undefined && text.includes(' ')) return undefined;
  const two = (part = '') => part.padStart(2, '0');
  const date = `${year}-${two(month)}-${two(day)}`;
  const clock = `${two(hour)}:${two(minute)}:${two(second)}`;
  const read = new Date(`${date}T${clock}Z`);
  if (Number.isNaN(read.getTime()) || !read.toISOString().startsWith(`${date}T${clock}`)) return undefined;
  const tail = fraction.replace(/0+$/, '');
  const offset = zone === undefined || /^[-+]00:00$/.test(zone) ? 'Z' : zone;
  return `${date}T${clock}${tail ? `.${tail}` : ''}${offset}`;
}
