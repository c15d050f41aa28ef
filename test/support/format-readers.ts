import { parse as parseToml } from 'smol-toml';
import { parse as parseYaml } from 'yaml';
import type { SecretFormat } from '../../sdk/index.js';

/** Returns a value as a program reads it, and the length of its text; undefined if the program rejects the text. */
type Reader = (text: string) => { value: string; length: number } | undefined;

const restOfLine: Reader = (text) => {
  const [value = ''] = text.split('\n', 1);
  return { value, length: value.length };
};

/** Reads a quoted string. `one` gets the rest of the text and returns a character with its length. */
function between(quote: string, text: string, one: (rest: string) => [value: string, length: number]) {
  if (!text.startsWith(quote)) return undefined;
  let value = '';
  let at = 1;
  while (at < text.length) {
    const rest = text.slice(at);
    const [read, length] = one(rest);
    if (length === 0 && rest.startsWith(quote)) return { value, length: at + 1 };
    value += length === 0 ? (rest[0] ?? '') : read;
    at += length || 1;
  }
  return undefined;
}

const hexadecimal = (rest: string): [string, number] | undefined => {
  const [all, code] = /^\\x([0-9a-fA-F]{2})/.exec(rest) ?? [];
  return all === undefined ? undefined : [String.fromCharCode(Number.parseInt(code ?? '', 16)), all.length];
};

/** Reads escapes from a table, such as `{ '\\n': '\n' }`. */
const table =
  (escapes: Record<string, string>) =>
  (rest: string): [string, number] => {
    const found = Object.entries(escapes).find(([written]) => rest.startsWith(written));
    return found ? [found[1], found[0].length] : ['', 0];
  };

/** `parse_env_file` of systemd 252, src/basic/env-file.c. */
const systemdValue: Reader = (text) => {
  const single = between("'", text, () => ['', 0]);
  if (single) return single;
  return between('"', text, (rest) => {
    if (!rest.startsWith('\\')) return ['', 0];
    const next = rest[1] ?? '';
    if (next === '\n') return ['', 2];
    return '"\\`$'.includes(next) ? [next, 2] : [`\\${next}`, 2];
  });
};

const shellWord: Reader = (text) => {
  const [all] = /^(?:'[^']*'|\\')+/.exec(text) ?? [];
  if (all === undefined) return undefined;
  return { value: all.replace(/'([^']*)'|\\'/g, (_, inner?: string) => inner ?? "'"), length: all.length };
};

/** `sdssplitargs` of redis 7, src/sds.c. */
const redis: Reader = (text) =>
  between("'", text, table({ "\\'": "'" })) ??
  between('"', text, (rest) => hexadecimal(rest) ?? (rest.startsWith('\\') ? [rest[1] ?? '', 2] : ['', 0]));

/** `lexDubQuotedString` and `lexQuotedString` of nats-server 2.9, conf/lex.go. */
const nats: Reader = (text) =>
  between("'", text, () => ['', 0]) ??
  between(
    '"',
    text,
    (rest) => hexadecimal(rest) ?? table({ '\\"': '"', '\\\\': '\\', '\\n': '\n', '\\t': '\t', '\\r': '\r' })(rest),
  );

/** Reads a document in a data language in which a line end follows the string. */
const inDocument =
  (parse: (document: string) => unknown, before: string): Reader =>
  (text) => {
    // The string ends where the document can be parsed. The first line end is not within it.
    const end = text.indexOf('\n');
    const line = text.slice(0, end < 0 ? undefined : end);
    for (let length = line.length; length > 0; length -= 1) {
      if (!/["']/.test(line[length - 1] ?? '')) continue;
      try {
        const { key } = parse(`${before}${line.slice(0, length)}`) as { key: unknown };
        return typeof key === 'string' ? { value: key, length } : undefined;
      } catch {}
    }
    return undefined;
  };

/** Readers of each format: its real parser if one is available here, otherwise its rules. */
export const FORMAT_READERS: Record<SecretFormat, Reader> = {
  variable: restOfLine,
  line: restOfLine,
  'container-environment': restOfLine,
  memcached: restOfLine,
  mosquitto: restOfLine,
  // `strvec` of keepalived 2.2, lib/parser.c: a word ends at white space, a quote or a comment.
  keepalived: (text) => {
    const [value = ''] = /^[^\s"'#!\\]*/.exec(text) ?? [];
    return { value, length: value.length };
  },
  // Trailing white space of the key's name is dropped.
  postfix: (text) => {
    const { value = '', length = 0 } = restOfLine(text) ?? {};
    return { value: value.trimEnd(), length };
  },
  base64: (text) => {
    const [value = ''] = /^[^"]*/.exec(text) ?? [];
    return { value, length: value.length };
  },
  'ssh-public-key': restOfLine,
  ini: restOfLine,
  cron: restOfLine,
  shell: shellWord,
  'environment-file': systemdValue,
  victoriametrics: systemdValue,
  'systemd-unit': (text) => between('"', text, (rest) => hexadecimal(rest) ?? table({ '%%': '%', '\\"': '"', '\\\\': '\\' })(rest)),
  redis,
  nats,
  influxql: (text) => between("'", text, table({ "\\'": "'", '\\\\': '\\', '\\n': '\n', '\\"': '"' })),
  sql: (text) => between("'", text, table({ "''": "'" })),
  pgbouncer: (text) => between('"', text, table({ '""': '"' })),
  hcl: inDocument((document) => JSON.parse(document.replace('key: ', '{"key": ').concat('}')), 'key: '),
  json: inDocument((document) => JSON.parse(document.replace('key: ', '{"key": ').concat('}')), 'key: '),
  toml: inDocument((document) => parseToml(document), 'key = '),
  yaml: inDocument((document) => parseYaml(document), 'key: '),
  'yaml-line': inDocument((document) => parseYaml(document), 'key: '),
};
