import { type Encoder, hex, isLonger, NONCHARACTER, refuseNul, refuseVariable } from './encoder.js';

const CONTROL = '\\u0000-\\u001f\\u007f';
/** Signs that YAML, TOML or HCL do not take as they are, though JSON does. */
const UNPRINTABLE = '\\u007f-\\u009f\\u2028\\u2029\\ufeff\\ufffe\\uffff';

const any = (signs: string): RegExp => new RegExp(`[${signs}]`, 'g');

/**
 * Uses single quotes if the value has none of these characters and no such end, because files of former releases have
 * them and must not change. Otherwise it uses double quotes with escapes.
 */
const quoted =
  (inSingle: string, special: string, toEscape: (sign: string) => string, end?: RegExp): Encoder['write'] =>
  (value) =>
    value.search(any(inSingle)) >= 0 || end?.test(value) ? `"${value.replace(any(special), toEscape)}"` : `'${value}'`;

const byBackslash = (sign: string): string => `\\${sign}`;
const byHex = (sign: string): string => `\\x${hex(sign, 2)}`;
const isQuote = (sign: string): boolean => sign === '"' || sign === '\\';

/** A string that JSON, TOML and YAML read alike. */
const jsonString = (value: string): string => JSON.stringify(value).replace(any(UNPRINTABLE), (sign) => `\\u${hex(sign, 4)}`);

const refuseSystemd = (value: string): string | undefined =>
  refuseVariable(value) ?? (NONCHARACTER.test(value) ? 'it has a code point that is not a character' : undefined);

const environmentFile: Encoder = {
  refuses: refuseSystemd,
  write: quoted("'", '\\\\"$`', byBackslash),
};

const yaml: Encoder = {
  refuses: () => undefined,
  write: (value) => (value.search(any(`'${CONTROL}${UNPRINTABLE}`)) >= 0 ? jsonString(value) : `'${value}'`),
};

/** Formats in which a value stands between quotes; the encoder writes the quotes too. */
export const QUOTE_ENCODERS = {
  /** A word of a POSIX shell. */
  shell: { refuses: refuseNul, write: (value) => `'${value.replaceAll("'", `'\\''`)}'` },

  /** A value in a file for `EnvironmentFile=` of systemd, which shells read alike. It may have several lines. */
  'environment-file': environmentFile,

  /** The same for VictoriaMetrics, which expands variables in it, and reads a file or a URL in its place. */
  victoriametrics: {
    refuses(value) {
      if (value.includes('%{')) return 'VictoriaMetrics takes "%{" for the beginning of a variable';
      if (/^(file|https?):\/\//.test(value)) return 'VictoriaMetrics reads the password from what looks like a URL';
      return environmentFile.refuses(value);
    },
    write: environmentFile.write,
  },

  /** A word in a setting of a systemd unit, such as `Environment=`. Not for commands, which also expand `$`. */
  'systemd-unit': {
    refuses: refuseSystemd,
    write(value) {
      const escaped = (sign: string) => (sign === '%' ? '%%' : isQuote(sign) ? byBackslash(sign) : byHex(sign));
      return `"${value.replace(any(`"\\\\%${CONTROL}`), escaped)}"`;
    },
  },

  /**
   * An argument in redis.conf. Clients get the value by their environment. Between single quotes a backslash is a character
   * like any other, unless a quote follows.
   */
  redis: {
    refuses: refuseVariable,
    write: quoted(`'${CONTROL}`, `"\\\\${CONTROL}`, byHex, /\\$/),
  },

  /** A string in the configuration of NATS. */
  nats: {
    refuses(value) {
      if (/^\$2[abxy]?\$/.test(value)) return 'NATS takes a password that begins like a hash of bcrypt for a hash';
      // A client sends it as JSON.
      return isLonger(jsonString(value), 3_500) ? 'it is longer than 3,500 bytes, and NATS takes no more' : refuseNul(value);
    },
    write: quoted(`'${CONTROL}`, `"\\\\${CONTROL}`, (sign) => (isQuote(sign) ? byBackslash(sign) : byHex(sign))),
  },

  /** A string of InfluxQL. */
  influxql: {
    refuses: (value) => (value.includes('\r') ? 'InfluxQL cannot write a carriage return' : refuseNul(value)),
    write: (value) => `'${value.replace(/[\\']/g, byBackslash).replaceAll('\n', '\\n')}'`,
  },

  /** A string of standard SQL, to which a backslash is a character like any other. */
  sql: { refuses: refuseNul, write: (value) => `'${value.replaceAll("'", "''")}'` },

  /** A password in PgBouncer's list of users. */
  pgbouncer: {
    refuses(value) {
      if (/^md5[0-9a-f]{32}$/.test(value) || value.startsWith('SCRAM-SHA-256$')) return 'PgBouncer takes it for a hash';
      return isLonger(value, 1_900) ? 'it is longer than 1,900 bytes, and PgBouncer takes no more' : refuseNul(value);
    },
    write: (value) => `"${value.replaceAll('"', '""')}"`,
  },

  /** A string of HCL, in which nothing is interpolated. */
  hcl: {
    refuses: refuseNul,
    write(value) {
      const signs = new RegExp(`["\\\\${CONTROL}${UNPRINTABLE}]|[$%](?=\\{)`, 'g');
      return `"${value.replace(signs, (sign) => (isQuote(sign) ? byBackslash(sign) : `\\u${hex(sign, 4)}`))}"`;
    },
  },

  json: { refuses: () => undefined, write: jsonString },
  toml: { refuses: refuseNul, write: jsonString },
  yaml,

  /** The same, if the program sends the value in a header of HTTP. */
  'yaml-line': {
    refuses(value) {
      if (/^\s|\s$/.test(value)) return 'it has white space at an end, which a header of HTTP cannot have';
      if (isLonger(value, 8_000)) return 'it is longer than 8,000 bytes, and servers take no longer header of HTTP';
      return value.search(any(CONTROL)) >= 0 ? 'it has a line break or a control character' : undefined;
    },
    write: yaml.write,
  },
} as const satisfies Record<string, Encoder>;
