import { createSecretKey, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { FeedEntry } from '../../core/infra/feed.js';
import { createCipher } from '../../encryption/cipher.js';
import { loadKeyring } from '../../encryption/keyring.js';
import { syncedIn } from '../../test/support/synced.js';
import { feedFiles } from './feed-files.js';

const place = await mkdtemp(join(tmpdir(), 'feeds-'));
afterAll(() => rm(place, { recursive: true, force: true }));

const cipher = createCipher(
  await loadKeyring(async () => [{ id: 'k', secret: createSecretKey(randomBytes(32)), source: 'a test' }]),
);
const sealer = async () => cipher;
const life = { workspace: 'w', infra: 'shop', uuid: 'life' };
const folder = (root: string) => join(root, 'w', 'shop', 'life');
const change = (sequence: number, name = `web-${sequence}`): FeedEntry => ({
  sequence,
  at: '2026-01-01T00:00:00.000Z',
  content: { kind: 'changes', operation: 'o', actor: 'ada', grant: 1, changes: [{ change: 'server-gone', name }] },
});
const fileOf = async (root: string) => join(folder(root), (await readdir(folder(root)))[0] ?? '');

test('what a crash cut off in the midst of a line is appended again, and nothing before it is lost', async () => {
  const root = join(place, 'torn');
  const feeds = feedFiles(root, sealer);
  await feeds.append(life, [change(1), change(2)]);
  const file = await fileOf(root);
  const { length } = await readFile(file);
  await truncate(file, length - 20);
  // The process that comes after the crash, and one that lived on.
  for (const store of [feedFiles(root, sealer), feeds]) await store.append(life, [change(2), change(3)]);
  expect(await feeds.read(life)).toEqual([{ uuid: 'life', entries: [change(1), change(2), change(3)] }]);
});

test('who comes back after another has written appends behind that', async () => {
  const root = join(place, 'two');
  const [former, present] = [feedFiles(root, sealer), feedFiles(root, sealer)];
  await former.append(life, [change(1)]);
  await present.append(life, [change(2)]);
  await former.append(life, [change(2), change(3)]);
  await expect(present.append(life, [change(3, 'other')])).rejects.toMatchObject({ details: { code: 'feed-conflict' } });
  expect((await present.read(life))[0]?.entries).toHaveLength(3);
});

test('a snapshot is a new file, and the one before it goes; a crash between the two costs nothing', async () => {
  const root = join(place, 'snapshot');
  const feeds = feedFiles(root, sealer);
  await feeds.append(life, [change(1), change(2)]);
  const before = await fileOf(root);
  const text = await readFile(before, 'utf8');
  const ended: FeedEntry = { sequence: 3, at: '', content: { kind: 'ended' } };
  await feeds.append(life, [ended]);
  expect(await readdir(folder(root))).toEqual(['0000000000000003.feed']);
  await writeFile(before, text);
  expect(await feedFiles(root, sealer).read(life)).toEqual([{ uuid: 'life', entries: [ended] }]);
  await feedFiles(root, sealer).append(life, [change(4)]);
  expect(await feeds.read(life)).toEqual([{ uuid: 'life', entries: [ended, change(4)] }]);
});

test('a feed in which a change is missing says so, and is not taken for a whole one', async () => {
  const root = join(place, 'damaged');
  const feeds = feedFiles(root, sealer);
  await feeds.append(life, [change(1), change(2), change(3)]);
  const [first, , third] = (await readFile(await fileOf(root), 'utf8')).split('\n');
  await writeFile(await fileOf(root), `${first}\n${third}\n`);
  await expect(feeds.read(life)).rejects.toMatchObject({ details: { code: 'feed-damaged' } });
});

test('nothing of a change can be read in its file, and none can be put in another one’s place', async () => {
  const [one, two] = [join(place, 'sealed'), join(place, 'moved')];
  await feedFiles(one, sealer).append(life, [change(1, 'canary')]);
  const text = await readFile(await fileOf(one), 'utf8');
  expect(text).not.toContain('canary');
  const other = { ...life, uuid: 'other' };
  await feedFiles(two, sealer).append(other, [change(1)]);
  await writeFile(join(two, 'w', 'shop', 'other', '0000000000000001.feed'), text);
  const read = feedFiles(two, sealer).read(other);
  await expect(read).rejects.toMatchObject({ details: { code: 'sealed-altered' } });
});

test('without a key that opens, nothing can be appended, and the check says so', async () => {
  const feeds = feedFiles(join(place, 'no-key'), () => Promise.reject(new Error('no key')));
  await expect(feeds.check()).rejects.toThrow('no key');
});

test('what another process wrote and may not have kept is kept before it counts as appended, once', async () => {
  const root = join(place, 'killed');
  await feedFiles(root, sealer).append(life, [change(1)]);
  const after = feedFiles(root, sealer);
  const append = () => after.append(life, [change(1)]);
  expect((await syncedIn(append)).sort()).toEqual([folder(root), await fileOf(root)]);
  expect(await syncedIn(append)).toEqual([]);
});

test('nothing is appended to a file that has given way to a snapshot', async () => {
  const root = join(place, 'overtaken');
  const other = feedFiles(root, sealer);
  let meanwhile = async () => {};
  const slow = feedFiles(root, async () => {
    await meanwhile();
    return cipher;
  });
  await slow.append(life, [change(1)]);
  const ended: FeedEntry = { sequence: 3, at: '', content: { kind: 'ended' } };
  meanwhile = async () => {
    meanwhile = async () => {};
    await other.append(life, [change(2)]);
    await other.append(life, [ended]);
  };
  await expect(slow.append(life, [change(2)])).rejects.toMatchObject({ details: { code: 'feed-conflict' } });
  expect(await readdir(folder(root))).toEqual(['0000000000000003.feed']);
});
