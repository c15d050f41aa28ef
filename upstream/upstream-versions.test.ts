import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readVersions } from '../core/versions/published.js';
import { releasesPage, serveVendor, type Vendor } from '../test/support/vendor/vendor.js';
import { createWeb } from './asking/web.js';
import { openKeptAnswers, openKeptAnswersOrNone } from './kept-answers.js';
import type { ListedService } from './look-upstream.js';
import { upstreamVersions } from './upstream-versions.js';

const HOUR_MS = 60 * 60_000;
const START = Date.parse('2026-11-27T12:00:00Z');

let vendor: Vendor;
let root: string;
let now: number;
beforeEach(async () => {
  [vendor, root, now] = [await serveVendor(), await mkdtemp(join(tmpdir(), 'upstream-')), START];
});
afterEach(() => Promise.all([vendor.close(), rm(root, { recursive: true })]));

const RELEASES = '/github/repos/o/thing/releases';
const artifact = { url: 'https://github.com/o/thing/thing.tar.gz', sha256: 'a'.repeat(64) };
const both = { amd64: artifact, arm64: artifact };

const GITHUB = { datasource: 'releases', repository: 'o/thing', asset: 'x' };
const service = (name = 'thing', upstream: object = GITHUB, versions: object = { '1.2.0': both }): ListedService => {
  const file = readVersions(name, {
    upstream,
    versions,
  });
  const supported = Object.entries(file.versions).flatMap(([version, one]) => (one.withdrawn === undefined ? [version] : []));
  return { name, file, supported, load: () => Promise.reject(new Error('it is not to be loaded')) };
};
async function ask(services: ListedService[] = [service()], refresh = false) {
  const mirrors = [vendor.mirror('https://api.github.com', 'github'), vendor.mirror('https://vendor.example', 'vendor')];
  return upstreamVersions(services, {
    web: createWeb({ mirrors, silentMs: 60_000, now: () => now }),
    kept: await openKeptAnswers(join(root, 'versions')),
    ...{ goodMs: 24 * HOUR_MS, graceMs: 7 * 24 * HOUR_MS, by: mirrors, refresh, now: () => now },
  });
}
const release = (...tags: Parameters<typeof releasesPage>) =>
  vendor.answers.set(RELEASES, { body: releasesPage(...tags), headers: { etag: `"${tags.length}"` } });

test('what is newer is told, and a second call asks nobody', async () => {
  release('v2.0.0', 'v1.3.0', 'v1.2.4', 'v1.2.0', { tag_name: 'v3.0.0', prerelease: true }, 'v2.1.0-rc1');
  const newer = { patch: ['1.2.4'], minor: ['1.3.0'], major: ['2.0.0'] };
  const [first] = await ask();
  expect(first).toMatchObject({ service: 'thing', source: 'o/thing at api.github.com', supported: ['1.2.0'], newer, gone: [] });
  expect([first?.at, first?.ageMs, first?.failure]).toEqual(['2026-11-27T12:00:00.000Z', undefined, undefined]);
  now += 23 * HOUR_MS;
  expect(await ask()).toMatchObject([{ newer, ageMs: 23 * HOUR_MS }]);
  expect(vendor.asked).toHaveLength(1);
});

test('after its time an answer is asked for by what it is known by; --refresh asks for all of it', async () => {
  release('v1.2.0');
  await ask();
  now += 25 * HOUR_MS;
  expect(await ask()).toMatchObject([{ newer: { patch: [] }, at: '2026-11-28T13:00:00.000Z' }]);
  expect(vendor.asked[1]?.headers['if-none-match']).toBe('"1"');
  await ask([service()], true);
  expect(vendor.asked[2]?.headers).not.toHaveProperty('if-none-match');
});

test('further pages are read until all supported versions were seen', async () => {
  const more = { link: '<https://evil.example/2>; rel="next"' };
  vendor.answers.set(`${RELEASES}?per_page=100&limit=100&page=1`, { body: releasesPage('v1.3.0'), headers: more });
  vendor.answers.set(`${RELEASES}?per_page=100&limit=100&page=2`, { body: releasesPage('v1.2.0'), headers: more });
  expect(await ask()).toMatchObject([{ newer: { minor: ['1.3.0'] }, gone: [] }]);
  expect(vendor.asked).toHaveLength(2);
});

test('a version that is not listed any more, one that is withdrawn, and one that came to its end are told', async () => {
  release('v1.3.0', 'v1.2.0', 'v1.2.9');
  const versions = {
    '1.2.0': { ...both, endOfLife: '2026-01-01' },
    '1.2.9': { ...both, withdrawn: 'it loses data' },
    '1.1.0': both,
  };
  expect(await ask([service('thing', GITHUB, versions)])).toMatchObject([
    {
      newer: { patch: [], minor: ['1.3.0'] },
      gone: ['1.1.0'],
      withdrawn: [{ version: '1.2.9', why: 'it loses data' }],
      ended: [{ version: '1.2.0', endOfLife: '2026-01-01' }],
    },
  ]);
});

test('where a source cannot be reached a kept answer is used for a while, and then nothing is known', async () => {
  release('v1.3.0', 'v1.2.0');
  await ask();
  vendor.answers.set(RELEASES, { status: 503 });
  now += 25 * HOUR_MS;
  const failure = { code: 'versions-not-answered', why: expect.stringContaining('503') };
  expect(await ask()).toMatchObject([{ newer: { minor: ['1.3.0'] }, ageMs: 25 * HOUR_MS, failure }]);
  now = START + 8 * 24 * HOUR_MS;
  const [gone] = await ask();
  expect(gone).toMatchObject({ failure });
  expect(gone).not.toHaveProperty('newer');
});

test('what a source says that must not be believed is not made up for by what it said before', async () => {
  release('v1.3.0', 'v1.2.0');
  await ask();
  now += 25 * HOUR_MS;
  vendor.answers.set(RELEASES, { status: 302, headers: { location: 'http://evil.example/' } });
  const [one] = await ask();
  expect(one?.failure?.code).toBe('versions-not-genuine');
  expect(one).not.toHaveProperty('newer');
});

test('a limit of requests is kept to by the next call as well', async () => {
  release('v1.2.0');
  await ask();
  now += 25 * HOUR_MS;
  const reset = String(now / 1_000 + 3_600);
  vendor.answers.set(RELEASES, { status: 403, headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': reset } });
  expect(await ask()).toMatchObject([{ failure: { code: 'versions-limited' } }]);
  const count = vendor.asked.length;
  expect(await ask()).toMatchObject([
    { failure: { code: 'versions-limited', why: expect.stringContaining('until 2026-11-28 14:00 UTC') } },
  ]);
  expect(vendor.asked).toHaveLength(count);
  now += 2 * HOUR_MS;
  release('v1.2.0', 'v1.2.1');
  expect(await ask()).toMatchObject([{ newer: { patch: ['1.2.1'] } }]);
});

test('a limit is kept to also where the source never answered', async () => {
  vendor.answers.set(RELEASES, { status: 429, headers: { 'retry-after': '3600' } });
  for (let turn = 0; turn < 2; turn++) {
    const [one] = await ask();
    expect(one?.failure?.code).toBe('versions-limited');
    expect(one).not.toHaveProperty('newer');
  }
  expect(vendor.asked).toHaveLength(1);
  await ask([service()], true);
  expect(vendor.asked).toHaveLength(2);
});

test('one that fails does not keep the others from their answers', async () => {
  release('v1.2.0');
  vendor.answers.set('/vendor/list', { body: '<html>Please log in</html>' });
  const index = {
    datasource: 'index',
    index: 'https://vendor.example/list',
    pattern: 'v(?<version>[0-9.]+)',
    asset: 'x',
  };
  const charts = { datasource: 'charts', repository: 'https://vendor.example/charts', chart: 'app' };
  vendor.answers.set('/vendor/charts/index.yaml', { body: 'entries:\n  app:\n  - version: 1.2.1\n  - version: 2.0.0-rc.1\n' });
  const found = await ask([service(), service('other', index), service('chart', charts, { '1.2': {} })]);
  expect(found).toMatchObject([
    { newer: { patch: [] } },
    { failure: { code: 'versions-missing' } },
    { newer: { patch: [], minor: [], major: [] } },
  ]);
  expect(found[1]).not.toHaveProperty('newer');
  vendor.answers.set('/vendor/list', { body: '{"versions":["v1.2.0","v1.2.7"]}' });
  expect(await ask([service('other', index)])).toMatchObject([{ newer: { patch: ['1.2.7'] } }]);
});

test('HTML in place of JSON is told as what it is', async () => {
  vendor.answers.set(RELEASES, { body: '<html>Please log in</html>' });
  expect(await ask()).toMatchObject([
    { failure: { code: 'versions-unreadable', why: expect.stringContaining('not a list of releases') } },
  ]);
});

test('a damaged answer, one of another question and one of the future are asked for again', async () => {
  release('v1.2.1', 'v1.2.0');
  await ask();
  const file = join(root, 'versions', 'thing.json');
  for (const damaged of ['', '{"at":', '[]', (await readFile(file, 'utf8')).replace('1.2.1', '1.2.1\\u001b[2J')]) {
    await writeFile(file, damaged);
    expect(await ask()).toMatchObject([{ newer: { patch: ['1.2.1'] } }]);
  }
  expect(vendor.asked).toHaveLength(5);
  await ask([service('thing', GITHUB, { '1.2.0': both, '1.2.1': both })]);
  expect(vendor.asked).toHaveLength(6);
  now -= 48 * HOUR_MS;
  await ask();
  expect(vendor.asked).toHaveLength(7);
});

test('answers are kept where nobody else reads or writes them; else they are not kept, which is said', async () => {
  release('v1.2.0');
  await ask();
  const modes = [root, join(root, 'versions'), join(root, 'versions', 'thing.json')].map(
    async (path) => (await stat(path)).mode & 0o777,
  );
  expect(await Promise.all(modes)).toEqual([0o700, 0o700, 0o600]);
  expect(await readdir(join(root, 'versions'))).toEqual(['thing.json']);
  const notes: string[] = [];
  await writeFile(join(root, 'file'), '');
  const none = await openKeptAnswersOrNone(join(root, 'file', 'x'), (text) => notes.push(text));
  expect(await none.read('thing', {})).toBeUndefined();
  expect(notes).toEqual([expect.stringContaining('answers are not kept')]);
});
