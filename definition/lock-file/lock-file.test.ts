import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadFiles } from '../fixtures.js';
import type { LockOptions } from '../load-definition.js';
import { problemText } from '../source/problem.js';
import { lockText } from './lock-text.js';
import { lockPathOf, readLockFile } from './read-lock-file.js';

const HASH = 'a'.repeat(64);
const DEFINITION = "infra: shop\nservers: [{ name: db }]\ntaskservs:\n  - { name: redis, version: '>=1' }\n";
const locked = (version: string, more = {}) => lockText({ shop: { redis: [{ asked: '>=1', version, ...more }] } }) as string;

async function loaded(files: Record<string, string>, lock?: LockOptions, environment?: string) {
  const found = await loadFiles(files, environment === undefined ? undefined : { environment }, undefined, lock);
  if (!found.definition) return found.problems.map(problemText);
  return { version: found.definition.servers[0]?.taskservs[0]?.version, after: found.lock?.after };
}

describe('a lock file', () => {
  test('is written in one order, begins with what it is, and says nothing where there is nothing to say', () => {
    const infras = {
      shop: { web: [{ asked: '^2', version: '2' }], redis: [{ asked: '>=1', version: '2', sha256: { arm64: HASH, amd64: HASH } }] },
      blog: {
        redis: [
          { asked: '>=7', release: 'debian-13', version: '8.0' },
          { asked: '>=7', release: 'debian-12', version: '7.0' },
        ],
      },
      none: {},
    };
    expect(
      lockText(infras),
    ).toBe(`# The versions that constraints of the definitions in this folder came to. Written by \`provisioning apply\` and
# \`provisioning taskserv upgrade\`. Keep it in version control, and do not edit it.
lockfile: 1
infras:
  blog:
    redis:
      - asked: ">=7"
        release: debian-12
        version: "7.0"
      - asked: ">=7"
        release: debian-13
        version: "8.0"
  shop:
    redis:
      - asked: ">=1"
        version: "2"
        sha256:
          amd64: ${HASH}
          arm64: ${HASH}
    web:
      - asked: ^2
        version: "2"
`);
    expect(lockText({ none: {} })).toBeUndefined();
  });

  test('lies beside the definition, each environment has its own, and a program has none', () => {
    expect(lockPathOf('a/shop.yaml')).toBe('a/provisioning.lock');
    expect(lockPathOf('shop.toml', 'prod')).toBe('provisioning.prod.lock');
    expect(lockPathOf('a/shop.ts')).toBeUndefined();
  });

  test('says the version of a constraint, whatever newer ones there are; another constraint is chosen for again', async () => {
    expect(await loaded({ 'shop.yaml': DEFINITION })).toEqual({ version: '2', after: { redis: [{ asked: '>=1', version: '2' }] } });
    expect(await loaded({ 'shop.yaml': DEFINITION, 'provisioning.lock': locked('1.20') })).toEqual({
      version: '1.20',
      after: { redis: [{ asked: '>=1', version: '1.20' }] },
    });
    const other = DEFINITION.replace('>=1', '>=1 <9');
    expect(await loaded({ 'shop.yaml': other, 'provisioning.lock': locked('1.20') })).toMatchObject({ version: '2' });
  });

  test('of another environment says nothing', async () => {
    const files = { 'shop.yaml': DEFINITION, 'shop.prod.yaml': 'protect: true\n', 'provisioning.lock': locked('1.20') };
    expect(await loaded(files, {}, 'prod')).toMatchObject({ version: '2' });
    expect(await loaded({ ...files, 'provisioning.prod.lock': locked('1.20') }, {}, 'prod')).toMatchObject({ version: '1.20' });
  });

  test('has no entries for versions that are named, and for none', async () => {
    const named = await loaded({ 'shop.yaml': DEFINITION.replace('>=1', '1.20') });
    expect(named).toEqual({ version: '1.20', after: {} });
    expect(await loaded({ 'shop.yaml': DEFINITION.replace(", version: '>=1'", '') })).toMatchObject({ after: {} });
  });

  test('with a version that this release does not support is a problem of the definition', async () => {
    const [version, why] = ['1.5', 'which this release of the platform does not support'];
    expect(await loaded({ 'shop.yaml': DEFINITION, 'provisioning.lock': locked(version) })).toEqual([
      `shop.yaml:4:29: taskservs[0].version: provisioning.lock has ${version} of "redis" for ">=1", ${why}; provisioning taskserv upgrade redis --to 2`,
    ]);
    const renewed = await loaded({ 'shop.yaml': DEFINITION, 'provisioning.lock': locked(version) }, { renewed: 'redis' });
    expect(renewed).toMatchObject({ version: '2' });
  });

  test('with a version that is not what is asked for', async () => {
    const text = lockText({ shop: { redis: [{ asked: '^2', version: '1.20' }] } }) as string;
    const files = { 'shop.yaml': DEFINITION.replace('>=1', '^2'), 'provisioning.lock': text };
    expect(await loaded(files)).toEqual([expect.stringContaining('has 1.20 of "redis" for "^2", which is not what is asked for')]);
  });

  test('that is frozen has to have all, and no more', async () => {
    const frozen = { frozen: true };
    expect(await loaded({ 'shop.yaml': DEFINITION, 'provisioning.lock': locked('1.20') }, frozen)).toMatchObject({
      version: '1.20',
    });
    expect(await loaded({ 'shop.yaml': DEFINITION }, frozen)).toEqual([
      'shop.yaml:4:29: taskservs[0].version: provisioning.lock has no version for ">=1" of "redis"; apply without --frozen-lock, which writes 2 there',
    ]);
    const more = lockText({
      shop: {
        redis: [
          { asked: '>=1', version: '2' },
          { asked: '^1', version: '1.20' },
        ],
      },
    }) as string;
    expect(await loaded({ 'shop.yaml': DEFINITION, 'provisioning.lock': more }, frozen)).toEqual([
      expect.stringMatching(
        /^provisioning\.lock:6:5: infras\.shop: it has entries that the infra "shop" does not use, or hashes are missing/,
      ),
    ]);
    expect(await loaded({ 'shop.yaml': DEFINITION.replace('>=1', '2') }, frozen)).toMatchObject({ version: '2' });
  });

  test('with the hash of another artifact is refused', async () => {
    const text = DEFINITION.replace('redis', 'web').replace('>=1', '^2');
    const lock = (sha256: string) =>
      lockText({ shop: { web: [{ asked: '^2', version: '2', sha256: { amd64: sha256 } }] } }) as string;
    const artifact = { url: 'https://example.org/web', sha256: HASH };
    const published = {
      upstream: { datasource: 'releases', repository: 'a/web', asset: 'web' },
      versions: { 2: { amd64: artifact, arm64: artifact } },
    };
    const load = (files: Record<string, string>) => loadFiles(files, undefined, undefined, {}, { web: published });
    const good = await load({ 'shop.yaml': text, 'provisioning.lock': lock(HASH) });
    expect(good.lock?.after).toEqual({ web: [{ asked: '^2', version: '2', sha256: { amd64: HASH, arm64: HASH } }] });
    const bad = await load({ 'shop.yaml': text, 'provisioning.lock': lock('b'.repeat(64)) });
    expect(bad.problems.map(problemText)).toEqual([
      expect.stringMatching(
        /^shop\.yaml:4:27: .*the artifact of "web" 2 for amd64 is another one: .* SHA-256 bbbbbbbbbbbb…, this release has aaaaaaaaaaaa…/,
      ),
    ]);
  });
});

describe('a lock file that is none', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'lock-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  async function read(text: string): Promise<string> {
    const path = join(folder, 'provisioning.lock');
    await writeFile(path, text);
    const found = await readLockFile(path);
    return 'message' in found ? problemText(found).replace(`${folder}/`, '') : 'read';
  }

  test.each([
    ['lockfile: 1\ninfras: {}\n', /^read$/],
    ['lockfile: 1\ninfras:\n  shop: [\n', /^provisioning\.lock:\d+:\d+: .*; take it from version control/],
    ['lockfile: 2\ninfras: {}\n', /^provisioning\.lock:1:11: it has the form 2, which a newer release writes; use that release$/],
    [
      'lockfile: 1\ninfras:\n  shop:\n    redis:\n      - { asked: ^1, version: 1.2 }\n',
      /^provisioning\.lock:5:31: infras\.shop\.redis\[0\]\.version/,
    ],
    ['# yarn lockfile v1\nabbrev@1:\n  version: "1"\n', /^provisioning\.lock:2:1: it is not a lock file of this platform/],
    ['lockfile: 1\n<<<<<<< HEAD\ninfras: {}\n=======\n', /^provisioning\.lock:2:1: it contains a merge conflict/],
    ['', /^provisioning\.lock:1:1: /],
  ])('is told of with its line: %j', async (text, said) => expect(await read(text)).toMatch(said));

  test('where it is a link, which is not followed', async () => {
    const path = join(folder, 'provisioning.lock');
    await writeFile(join(folder, 'other'), 'lockfile: 1\ninfras: {}\n');
    await symlink(join(folder, 'other'), path);
    expect(await readLockFile(path)).toMatchObject({ message: 'it is a symbolic link, which is not followed', line: 1 });
  });
});
