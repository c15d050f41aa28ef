import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { absentValues, FoundFile } from '../host/facts.js';
import { reveal } from './secret.js';
import { ensureTls, type FoundTls, tlsFacts } from './service-tls.js';
import { CHECK_PAIR } from './service-tls-scripts.js';

/** A key and a certificate of it, PEM, which ends in so many days. */
function pair(days: number): { KEY: string; CERTIFICATE: string } {
  const made = 'openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=a -keyout /dev/stdout 2>/dev/null';
  // `req` makes none that is over already.
  const script = `both=$(${made}); echo "$both"; echo "$both" | openssl x509 -signkey <(echo "$both") -days ${days} 2>/dev/null`;
  const { stdout } = spawnSync('bash', ['-c', script], { encoding: 'utf8' });
  const parts = stdout.split(/(?=-----BEGIN )/);
  return { KEY: parts[0] ?? '', CERTIFICATE: parts.at(-1) ?? '' };
}

function check(env: { KEY: string; CERTIFICATE: string }) {
  const { status, stderr } = spawnSync('bash', ['--norc', '-euo', 'pipefail', '-c', CHECK_PAIR], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  return { status, stderr: stderr.trim() };
}

test('a pair is checked by the host, and nothing of it is told', () => {
  const [one, other, over] = [pair(2), pair(2), pair(-1)];
  expect(check(one)).toEqual({ status: 0, stderr: '' });
  expect(check({ ...one, KEY: other.KEY })).toEqual({ status: 1, stderr: 'the key does not belong to the certificate' });
  expect(check({ ...one, CERTIFICATE: 'none' })).toEqual({ status: 1, stderr: 'the certificate is not one in PEM' });
  expect(check({ ...one, KEY: one.CERTIFICATE }).stderr).toBe('the key is not a private key in PEM without a passphrase');
  expect(check(over).stderr).toMatch(/^the certificate ended on .* GMT$/);
});

const service = { name: 'echo', unit: 'echo', group: 'echo' };
const given = { certificate: { $secret: 'c' }, key: { $secret: 'k' }, minimum: 'TLSv1.2', warnBefore: 1 } as const;
const known = (more: Partial<FoundTls> = {}): FoundTls => ({ ...absentValues(tlsFacts(service, given)), ...more });
const there = (path: string, content: string) =>
  new FoundFile(path, { exists: true, content, mode: '0640', owner: 'root:echo' }, (text) => reveal(text, (name) => name));
const titles = ({ first, files }: ReturnType<typeof ensureTls>) => [first, files].map((steps) => steps.map(({ title }) => title));

test('a pair that the host knows to be wrong is refused before there are any steps', () => {
  expect(() => ensureTls(service, given, known({ tlsFault: 'the key does not belong to the certificate' }))).toThrow(
    'cannot use the certificate: echo: the key does not belong to the certificate',
  );
});

test('what is checked comes before what is written, and nothing is done where all is as wanted', () => {
  const openssl = { name: 'openssl', version: '3' };
  expect(titles(ensureTls(service, given, known()))).toEqual([
    ['Install the package openssl', 'Check the certificate of echo'],
    ['Write /etc/tls/echo/certificate.pem', 'Write /etc/tls/echo/key.pem'],
  ]);
  const files = { tlsCertificate: there('/etc/tls/echo/certificate.pem', 'c\n'), tlsKey: there('/etc/tls/echo/key.pem', 'k\n') };
  expect(titles(ensureTls(service, given, known({ ...files, tlsOpenssl: openssl })))).toEqual([[], []]);
  const acme = { acme: 'shop', minimum: 'TLSv1.2', warnBefore: 1 } as const;
  expect(titles(ensureTls(service, acme, known({ ...files, tlsOpenssl: openssl })))).toEqual([
    [],
    [
      'Write /etc/acme/deploy.d/echo',
      'Remove /etc/tls/echo/certificate.pem',
      'Remove /etc/tls/echo/key.pem',
      'Take the certificate shop of acme for echo',
    ],
  ]);
});
