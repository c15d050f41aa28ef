import { expect, it } from 'vitest';
import { ProvisioningError } from '../../errors.js';
import { isSecretRef, reveal, secretAs, text } from '../secret.js';
import { encode, encodeSecret, listEncodedForms, SECRET_FORMATS, type SecretFormat } from './encoders.js';

const PLAIN = 'Ab0-x.y_Z/9+=@';
const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExampleExampleExampleExampleExampleExampleExam';

it.each<[SecretFormat, string]>([
  ['environment-file', `'${PLAIN}'`],
  ['redis', `'${PLAIN}'`],
  ['nats', `'${PLAIN}'`],
  ['influxql', `'${PLAIN}'`],
  ['yaml', `'${PLAIN}'`],
  ['pgbouncer', `"${PLAIN}"`],
  ['memcached', PLAIN],
  ['line', PLAIN],
])('%s writes what needs no escape as former releases did', (format, expected) => {
  expect(encode(format, PLAIN, 'x')).toBe(expected);
});

it.each<[SecretFormat, string, string]>([
  ['environment-file', `a'b\\c"d$e\`f`, '"a\'b\\\\c\\"d\\$e\\`f"'],
  ['redis', "it's\\", `"it's\\x5c"`],
  ['redis', 'a\\b"c', `'a\\b"c'`],
  ['redis', 'ab\\', `"ab\\x5c"`],
  ['ssh-public-key', `${KEY}\n`, KEY],
  ['ssh-public-key', `${KEY} it's "Ann" # $HOME\r\n`, `${KEY} it's "Ann" # $HOME`],
  ['nats', `a'b"c\\d\n`, `"a'b\\"c\\\\d\\x0a"`],
  ['influxql', "x'TAIL\\\n", "'x\\'TAIL\\\\\\n'"],
  ['yaml', "it's\n", `"it's\\n"`],
  ['toml', 'a\u007f"', '"a\\u007f\\""'],
  ['hcl', '${a}%{b}$c\\b', '"\\u0024{a}\\u0025{b}$c\\\\b"'],
  ['pgbouncer', 'a"b', '"a""b"'],
  ['sql', "a'b\\", "'a''b\\'"],
  ['shell', "a'b", `'a'\\''b'`],
  ['systemd-unit', 'a%b"\\\n', '"a%%b\\"\\\\\\x0a"'],
  ['cron', 'date +%F', 'date +\\%F'],
  ['cron', 'date +\\%F', 'date +\\\\\\%F'],
  ['cron', 'a\\\\b \\. c\\', 'a\\\\\\b \\. c\\'],
])('%s escapes %j', (format, value, expected) => expect(encodeSecret(format, value)).toBe(expected));

it.each<[SecretFormat, string, string]>([
  ['environment-file', 'a\0', 'NUL'],
  ['environment-file', 'x'.repeat(140_000), '130,000'],
  ['environment-file', '\uffff', 'character'],
  ['variable', 'a\0', 'NUL'],
  ['line', 'a\nb', 'line'],
  ['memcached', 'a b', 'space'],
  ['memcached', 'ü'.repeat(91), '180'],
  ['container-environment', 'a\r', 'line'],
  ['postfix', 'a ', 'white space'],
  ['influxql', 'a\rb', 'carriage return'],
  ['nats', '$2a$11$abc', 'bcrypt'],
  ['pgbouncer', `md5${'0'.repeat(32)}`, 'hash'],
  ['victoriametrics', 'file:///etc/shadow', 'URL'],
  ['victoriametrics', 'a%{HOME}', 'variable'],
  ['base64', 'a"; };', 'base64'],
  ['ssh-public-key', `${KEY}\n${KEY}\n`, 'a secret for each key'],
  ['ssh-public-key', `${KEY}\n\n`, 'more than one line'],
  ['ssh-public-key', `${KEY} a\rb`, 'more than one line'],
  ['ssh-public-key', `restrict ${KEY}`, 'public SSH key'],
  ['ssh-public-key', 'Zq7wPlainValue', 'public SSH key'],
  ['ssh-public-key', '', 'public SSH key'],
  ['redis', 'x'.repeat(140_000), '130,000'],
  ['ini', 'a;b', 'INI'],
  ['yaml-line', 'a\nb', 'line'],
  ['yaml-line', 'a ', 'white space'],
  ['yaml-line', 'x'.repeat(8_001), '8,000'],
  ['nats', 'x'.repeat(3_500), '3,500'],
  ['mosquitto', 'x'.repeat(65_001), '65,000'],
  ['keepalived', '123456789', '8 bytes'],
  ['keepalived', 'a#b', 'letters'],
  ['keepalived', '', 'letters'],
])('%s refuses %j, by the name of the secret and without its value', (format, value, why) => {
  const thrown = (() => {
    try {
      return encode(format, value, 'db-password');
    } catch (error) {
      return error;
    }
  })();
  expect(thrown).toBeInstanceOf(ProvisioningError);
  const { details, message } = thrown as ProvisioningError;
  expect(details).toMatchObject({ code: 'secret-not-expressible', blame: 'user', on: 'db-password' });
  expect(details.why).toContain(why);
  if (value.trim().length > 3) expect(message).not.toContain(value);
});

it('a reference that names a format is revealed in it, and one without is the value as it is', () => {
  const value = `a'b`;
  const said = text`x ${{ $secret: 'p' }} ${secretAs('yaml', { $secret: 'p' })}`;
  expect(reveal(said, () => value)).toBe(`x a'b "a'b"`);
  expect(JSON.parse(JSON.stringify(said))).toEqual(['x ', { $secret: 'p' }, ' ', { $secret: 'p', as: 'yaml' }]);
});

it('a format of a later release is a reference all the same, and is not written raw', () => {
  const later = { $secret: 'p', as: 'of-2030' };
  expect(isSecretRef(later)).toBe(true);
  expect(isSecretRef({ $secret: 'p', as: 5 })).toBe(false);
  expect(() => reveal([later] as never, () => 'value')).toThrow('is not a format');
});

it('knows each form in which a value stands in files', () => {
  const value = `a'b\\c"d$e%f`;
  for (const format of SECRET_FORMATS) {
    try {
      const form = encode(format, value, 'x');
      expect([value, ...listEncodedForms(value)]).toContain(form.replace(/^(["'])(.*)\1$/s, '$2'));
    } catch (error) {
      expect(error).toBeInstanceOf(ProvisioningError);
    }
  }
});
