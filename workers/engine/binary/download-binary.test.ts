import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { locateCachedBinary } from './build-binary.js';
import { downloadBinary } from './download-binary.js';
import { PINNED_VERSIONS } from './version.js';

/** Emulates Temporal's releases: an archive with a program that leaves a mark when it is run. */
let server: Server;
let place: string;
let archive: Buffer;
let asked = 0;
const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/temporal.tar.gz`;
const hash = () => createHash('sha256').update(archive).digest('hex');
const quiet = () => {};

beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'download-'));
  const says = `temporal version ${PINNED_VERSIONS.version} (Server ${PINNED_VERSIONS.serverVersion}, UI 2)`;
  await writeFile(join(place, 'temporal'), `#!/bin/sh\ntouch ${place}/was-run\necho "${says}"\n`);
  await chmod(join(place, 'temporal'), 0o755);
  execFileSync('tar', ['-czf', join(place, 'a.tar.gz'), '-C', place, 'temporal']);
  archive = await readFile(join(place, 'a.tar.gz'));
  server = createServer((_, answer) => {
    asked++;
    answer.end(archive);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
beforeEach(async () => {
  asked = 0;
  await rm(join(place, 'was-run'), { force: true });
});
afterAll(async () => {
  server.close();
  await rm(place, { recursive: true, force: true });
});

describe('a download', () => {
  const cache = () => join(place, 'cache');

  test('is had by its hash, and has no mutual TLS', async () => {
    const found = await downloadBinary(
      { cache: cache(), env: { PATH: process.env.PATH, PROVISIONING_ENGINE_SHA256: hash() }, url: url() },
      quiet,
    );
    expect(found).toEqual({
      path: locateCachedBinary(cache(), PINNED_VERSIONS.version),
      version: PINNED_VERSIONS.version,
      serverVersion: PINNED_VERSIONS.serverVersion,
      mutualTls: false,
    });
  });

  test('of another hash is refused, and nothing of it is run or kept', async () => {
    const other = join(place, 'other');
    const env = { PATH: process.env.PATH, PROVISIONING_ENGINE_SHA256: 'ab'.repeat(32) };
    const error = await downloadBinary({ cache: other, env, url: url() }, quiet).catch((thrown) => thrown);
    expect(error.details).toMatchObject({ code: 'engine-hash', blame: 'user' });
    expect(error.message).toContain(hash());
    expect(existsSync(join(place, 'was-run'))).toBe(false);
    expect(existsSync(locateCachedBinary(other, PINNED_VERSIONS.version))).toBe(false);
  });

  test('without a hash is not even asked for', async () => {
    const found = await downloadBinary({ cache: cache(), env: {}, url: url() }, quiet);
    expect(found).toEqual({ why: expect.stringContaining('PROVISIONING_ENGINE_SHA256') });
    expect(asked).toBe(0);
  });

  test('a hash that is none is one clear error', async () => {
    const env = { PROVISIONING_ENGINE_SHA256: 'latest' };
    await expect(downloadBinary({ cache: cache(), env, url: url() }, quiet)).rejects.toThrow('64 hexadecimal digits');
  });
});
