import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cacheOf } from '../../home/home.js';
import { readCertificates, readFingerprint } from '../../home/home-certificates.js';
import { findBinary } from '../../workers/engine/binary/find-binary.js';
import type { Binary } from '../../workers/engine/binary/version.js';
import { ensureCertificates, needRenewal } from '../../workers/engine/temporal-service/certificates.js';
import { warningsOf } from '../../workers/engine/temporal-service/warnings-of.js';

let place: string;
let folder: string;
let engine: Binary;
const read = (name: string) => readFile(join(folder, `${name}.pem`), 'utf8');

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'certificates-'));
  folder = join(place, 'certificates');
  const found = await findBinary({ env: process.env, cache: cacheOf() }, () => {});
  if (!found?.mutualTls) throw new Error('the engine cannot be built here');
  engine = found;
  await ensureCertificates(engine, folder, process.env);
});
afterAll(() => rm(place, { recursive: true, force: true }));

test('what is good stays as it is', async () => {
  const before = readFingerprint(folder);
  expect(needRenewal(folder)).toBe(false);
  await ensureCertificates(engine, folder, process.env);
  expect(readFingerprint(folder)).toBe(before);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
});

test('what ends soon is renewed by the same authority, so that what is in use stays good', async () => {
  const [authority, client, before] = [await read('ca'), await read('client'), readFingerprint(folder)];
  await execa(engine.path, ['certificates', '--folder', folder, '--renew-within', `${731 * 24}h`]);
  expect(await read('ca')).toBe(authority);
  expect(await read('client')).not.toBe(client);
  expect(readFingerprint(folder)).not.toBe(before);
});

test('one that is missing is said, and made again', async () => {
  const kept = await read('server');
  await rm(join(folder, 'client.pem'));
  expect(needRenewal(folder)).toBe(true);
  expect(() => readCertificates(folder)).toThrow('read the certificates of the engine');
  const [warning] = warningsOf({ kind: 'own', namespace: 'default', address: '127.0.0.1:1', certificates: folder });
  expect(warning).toContain('`provisioning up` renews them');
  await ensureCertificates(engine, folder, process.env);
  expect(needRenewal(folder)).toBe(false);
  expect(await read('server')).toBe(kept);
});
