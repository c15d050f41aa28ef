import { type Encoder, isLonger, refuseNul, refuseVariable } from './encoder.js';

const asItIs = (value: string): string => value;

const refuseLines = (value: string): string | undefined => (/[\r\n]/.test(value) ? 'it has more than one line' : refuseNul(value));

/** `bufio.Scanner` of Go takes lines up to this, and the name of the variable is one part of the line. */
const MOST_OF_PODMAN = 65_000;

/** A public key of SSH in a line, as in `id_ed25519.pub`: a type, the key in base64, a comment. */
export const SSH_PUBLIC_KEY =
  /^(ssh-(ed25519|rsa)|ecdsa-sha2-nistp(256|384|521)|sk-(ssh-ed25519|ecdsa-sha2-nistp256)@openssh\.com) [A-Za-z0-9+/]+={0,3}( [^\p{C}\p{Zl}\p{Zp}]*)?$/u;

/** A file with a key ends with a line end, which is not a part of the key. */
const withoutLineEnd = (value: string): string => value.replace(/\r?\n$/, '');

/** Formats without quotes: a value is written as it is, or is refused. */
export const PLAIN_ENCODERS = {
  /** A variable that a program gets by its environment. */
  variable: { refuses: refuseVariable, write: asItIs },

  /** A line, or the rest of a line, that a program takes as it is. */
  line: { refuses: refuseLines, write: asItIs },

  /** A password of MQTT, which a client sends with its length in two bytes. */
  mosquitto: {
    refuses: (value) => (isLonger(value, 65_000) ? 'it is longer than 65,000 bytes, and MQTT takes no more' : refuseLines(value)),
    write: asItIs,
  },

  /** A value in a file for `--env-file` of Podman and Docker. */
  'container-environment': {
    refuses: (value) => refuseLines(value) ?? (isLonger(value, MOST_OF_PODMAN) ? 'it is longer than 65,000 bytes' : undefined),
    write: asItIs,
  },

  /** A password in memcached's file of users. A client sends it between blanks. */
  memcached: {
    refuses(value) {
      if (value.includes(' ')) return 'memcached takes no password with a space';
      return isLonger(value, 180) ? 'it is longer than 180 bytes, and memcached takes no more' : refuseLines(value);
    },
    write: asItIs,
  },

  /** A word of keepalived.conf. VRRP has eight bytes for a password, and keepalived cuts off the rest. */
  keepalived: {
    refuses(value) {
      if (isLonger(value, 8)) return 'it is longer than 8 bytes, and VRRP has room for no more';
      return /^[A-Za-z0-9_.,:+=/-]+$/.test(value) ? undefined : 'it has a character other than letters, digits and _.,:+=/-';
    },
    write: asItIs,
  },

  /** The end of a line in a lookup table of Postfix. */
  postfix: {
    refuses: (value) => (/\s$/.test(value) ? 'Postfix drops white space at the end' : refuseLines(value)),
    write: asItIs,
  },

  /** A key in base64, such as that of TSIG. */
  base64: {
    refuses: (value) => (/^[A-Za-z0-9+/]+={0,2}$/.test(value) ? undefined : 'it is not base64'),
    write: asItIs,
  },

  /**
   * A public key in `authorized_keys`. One line end at the end of the value is removed. Options before a key apply
   * only to the key of their line, so a value of several keys is refused: the others would have no options.
   */
  'ssh-public-key': {
    refuses(value) {
      const key = withoutLineEnd(value);
      if (/[\r\n]/.test(key)) return 'it has more than one line, and a key is one line: use a secret for each key';
      return SSH_PUBLIC_KEY.test(key) ? undefined : 'it is not a public SSH key as in id_ed25519.pub';
    },
    write: withoutLineEnd,
  },

  /** A value of an INI file: their dialects agree on no quotes and no escapes. */
  ini: {
    refuses(value) {
      if (/^\s|\s$/.test(value)) return 'an INI file drops white space at both ends';
      if (/["'#;%\\$]/.test(value)) return 'it has one of "\'#;%\\$, which mean something else in some INI files';
      return refuseLines(value);
    },
    write: asItIs,
  },

  /** The command of a line in a crontab; cron ends it at a percent sign without a backslash. */
  cron: {
    refuses: refuseLines,
    write: (value) => value.replace(/\\(?=[\\%])|%/g, '\\$&'),
  },
} as const satisfies Record<string, Encoder>;
