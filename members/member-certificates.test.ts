import { X509Certificate } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { certificatesIn, makeCertificate, renewClients } from './member-certificates.js';

let place: string;
const folder = () => join(place, 'certificates');
beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'member-certificates-'));
  await makeCertificate(folder(), 'ann', process.env);
  await makeCertificate(folder(), 'bob', process.env);
});
afterAll(() => rm(place, { recursive: true, force: true }));

const authority = async () => new X509Certificate(await readFile(join(folder(), 'authority/clients.pem')));
async function contents(): Promise<Record<string, string>> {
  const entries = (await readdir(folder(), { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  const read = entries.map(async ({ parentPath, name }) => [
    join(parentPath, name),
    await readFile(join(parentPath, name), 'utf8'),
  ]);
  return Object.fromEntries(await Promise.all(read));
}

test('people are listed with the end of their certificates, programs are not', async () => {
  const two = certificatesIn(folder());
  expect(two.map(({ name }) => name)).toEqual(['ann', 'bob']);
  // Two years.
  for (const { ends } of two) expect(Date.parse(ends) - Date.now()).toBeGreaterThan(720 * 24 * 3_600_000);
  expect(() => certificatesIn(place)).toThrow('it is not a folder that deploy/certificates.sh made');
});

test('what fails on the way changes nothing', async () => {
  const before = await contents();
  const openssl = join(place, 'openssl');
  await writeFile(openssl, '#!/bin/sh\necho "no room" >&2\nexit 1\n');
  await chmod(openssl, 0o755);
  const env = { ...process.env, PATH: `${place}:${process.env.PATH}` };
  await expect(renewClients(folder(), ['ann'], env)).rejects.toMatchObject({ details: { code: 'member-certificates' } });
  expect(await contents()).toEqual(before);
});

test('a new authority signs for those who stay; servers keep theirs', async () => {
  const former = await authority();
  const server = await readFile(join(folder(), 'server/server.pem'), 'utf8');
  const trusted = await readFile(join(folder(), 'ann/ca.pem'), 'utf8');
  await renewClients(folder(), ['ann'], process.env);
  const now = await authority();
  expect(now.fingerprint256).not.toBe(former.fingerprint256);
  expect((await readdir(folder())).sort()).toEqual(['ann', 'api', 'authority', 'namespace', 'server', 'ui', 'worker']);
  const ann = new X509Certificate(await readFile(join(folder(), 'ann/client.pem')));
  expect([ann.verify(now.publicKey), ann.verify(former.publicKey)]).toEqual([true, false]);
  expect(await readFile(join(folder(), 'server/clients.pem'), 'utf8')).toBe(now.toString());
  expect(await readFile(join(folder(), 'server/server.pem'), 'utf8')).toBe(server);
  expect(await readFile(join(folder(), 'ann/ca.pem'), 'utf8')).toBe(trusted);
});
