import { randomBytes, randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { bundleRecord } from '../../../../core/definition/bundle.js';
import { LIMITS } from '../../../../core/limits.js';
import { addressOfFile } from '../../../../definition/source/file-address.js';
import type { StoreRecord } from '../../../../stores/records.js';
import { workspaceTransfers } from '../../../../stores/rows/workspaces/workspace-transfers.js';
import { type AccessFixture, openFixture } from '../../../../test/support/access-fixture.js';
import { failure } from '../../../../test/support/secret-client.js';
import type { Engine } from '../../../engine.js';
import { readEnvironments } from '../../../limits/environments/find-environments.js';
import { readBundleRecord, recordEnvironments } from '../record-environments.js';
import type { TakenInfra } from '../workspace-content.js';
import { createPartRemover, endUpload, hashBytes, keepExport, readExportPart, readUpload, takeParts } from './keep-parts.js';
import { readContent, writeContent } from './stream-content.js';
import { sweepTransfers } from './transfer-slots.js';

let fixture: AccessFixture;
let engine: Engine;
beforeEach(async () => {
  fixture = await openFixture();
  const { stores, home } = fixture;
  engine = { stores, beside: { home, env: { HOME: home.root } } } as unknown as Engine;
});
afterEach(() => fixture.remove());

const rows = () => fixture.stores.rows();
const [first, last] = [randomBytes(LIMITS.workspacePart), randomBytes(1_000)];
const listed = [first, last].map((bytes) => ({ hash: hashBytes(bytes), size: bytes.length }));
const data = (...parts: Buffer[]) => Object.fromEntries(parts.map((bytes) => [hashBytes(bytes), bytes.toString('base64')]));
const take = (sent: Record<string, string> = {}, workspace = 'shop', parts = listed) =>
  takeParts(engine, { workspace, by: 'ann', parts }, sent);
const texts = async () => (await fixture.stores.blobs.size()).count;

async function collect(parts: AsyncIterable<Buffer>): Promise<Buffer> {
  const all: Buffer[] = [];
  for await (const part of parts) all.push(part);
  return Buffer.concat(all);
}

test('an upload goes on with what is missing, is read as a whole, and leaves nothing', async () => {
  const begun = await take();
  expect(begun.missing).toEqual(listed.map(({ hash }) => hash));
  expect(await take(data(last))).toEqual({ upload: begun.upload, missing: [listed[0]?.hash] });
  await expect(collect(readUpload(engine, 'shop', begun.upload))).rejects.toMatchObject(failure('upload-unfinished'));
  expect(await take(data(first, last))).toEqual({ upload: begun.upload, missing: [] });
  expect((await collect(readUpload(engine, 'shop', begun.upload))).equals(Buffer.concat([first, last]))).toBe(true);
  await endUpload(engine, 'shop', begun.upload);
  expect([await texts(), (await (await rows()).table(workspaceTransfers).list()).rows]).toEqual([0, []]);
});

test('a part that lies about its hash or size is refused, and one of another workspace is not there', async () => {
  const { upload } = await take(data(first, last));
  await expect(collect(readUpload(engine, 'blog', upload))).rejects.toMatchObject(failure('unknown-transfer'));
  // Who knows the hashes of a content does not get it.
  expect((await take({}, 'blog')).missing).toHaveLength(2);
  const lying = [{ hash: hashBytes(last), size: 999 }];
  await expect(take(data(last), 'wiki', lying)).rejects.toMatchObject(failure('bad-export'));
  await expect(take({ [hashBytes(last)]: first.toString('base64') }, 'wiki')).rejects.toMatchObject(failure('bad-export'));
  await expect(take(data(first), 'wiki', [{ hash: hashBytes(last), size: last.length }])).rejects.toMatchObject(
    failure('bad-export'),
  );
  const small = Array.from({ length: 3 }, () => ({ hash: hashBytes(last), size: 1 }));
  await expect(take({}, 'wiki', small)).rejects.toMatchObject(failure('bad-export'));
  const large = Array.from({ length: 342 }, () => ({ hash: hashBytes(first), size: LIMITS.workspacePart }));
  await expect(take({}, 'wiki', large)).rejects.toMatchObject(failure('too-large'));
});

test('eight transfers are open at most; another one of a workspace replaces the former, and idle ones end', async () => {
  await Promise.all(Array.from({ length: 8 }, (_, at) => take(data(last), `w${at}`, listed.slice(1))));
  expect(await texts()).toBe(8);
  await expect(take({}, 'more')).rejects.toMatchObject(failure('too-many-transfers'));
  await take({}, 'w0');
  expect(await texts()).toBe(7);
  const later = Date.now() + 25 * 60 * 60_000;
  expect(await sweepTransfers(await rows(), createPartRemover(engine), later)).toBe(8);
  expect([await texts(), (await (await rows()).table(workspaceTransfers).list()).rows]).toEqual([0, []]);
});

/** Returns the engine whose store does something else before or after it keeps a text, the first time. */
function during(work: { before?: () => Promise<unknown>; after?: () => Promise<unknown> }): Engine {
  const { blobs } = engine.stores;
  let isFirst = true;
  const put = async (kept: string) => {
    const { before, after } = isFirst ? work : {};
    isFirst = false;
    await before?.();
    const address = await blobs.put(kept);
    await after?.();
    return address;
  };
  return { ...engine, stores: { ...engine.stores, blobs: { ...blobs, put } } } as Engine;
}
const sweep = async () => sweepTransfers(await rows(), createPartRemover(engine), Date.now() + 25 * 60 * 60_000);
const listedBy = { workspace: 'shop', by: 'ann', parts: listed };

test('a call that is killed while it keeps a part leaves a text that the end of the upload removes', async () => {
  const killed = async () => {
    throw new Error('killed');
  };
  await expect(takeParts(during({ after: killed }), listedBy, data(last))).rejects.toThrow('killed');
  expect(await texts()).toBe(1);
  expect((await take()).missing).toHaveLength(2);
  await sweep();
  expect(await texts()).toBe(0);
});

test.each<[string, () => Promise<unknown>]>([
  ['ends', sweep],
  ['is replaced', () => take({}, 'shop', listed.slice(1))],
])('a part that comes after its upload %s is not kept', async (_, before) => {
  await expect(takeParts(during({ before }), listedBy, data(last))).rejects.toMatchObject(failure('unknown-transfer'));
  expect(await texts()).toBe(0);
});

test('a part of an export that is swept while it is kept is removed', async () => {
  async function* content() {
    yield last;
  }
  const kept = keepExport(during({ before: sweep }), { workspace: 'shop', by: 'ann' }, content());
  await expect(kept).rejects.toMatchObject(failure('unknown-transfer'));
  expect(await texts()).toBe(0);
});

test('a call for an upload that ended does not note its parts in the next upload of the same file', async () => {
  const { upload } = await take();
  const again = async () => {
    await endUpload(engine, 'shop', upload);
    expect((await take()).upload).toBe(upload);
  };
  for (const moment of ['before', 'after'])
    await expect(takeParts(during({ [moment]: again }), listedBy, data(last))).rejects.toMatchObject(failure('unknown-transfer'));
  expect([await texts(), (await take()).missing.length]).toEqual([0, 2]);
  expect((await take(data(first, last))).missing).toEqual([]);
  expect((await collect(readUpload(engine, 'shop', upload))).equals(Buffer.concat([first, last]))).toBe(true);
});

const head = {
  ...{ id: randomUUID(), workspace: 'shop', at: '2026-11-29T10:00:00Z', by: 'ann', setUp: 'cafe', frozen: true },
  ...{ infras: [], secrets: 1, operations: 0, sources: 1, records: [], ended: [] },
};
const record = (workspace: string): StoreRecord => ({
  kind: 'secret',
  name: [workspace, '', 'token'],
  bytes: Buffer.from('s3cret'),
});
const text = `file of shop\n${randomBytes(LIMITS.workspacePart).toString('base64')}`;
const source: StoreRecord = { kind: 'blob', name: [addressOfFile('shop', text.slice(13))], bytes: Buffer.from(text) };

async function* listOf(...records: StoreRecord[]): AsyncGenerator<StoreRecord> {
  yield* records;
}

async function* cut(content: AsyncIterable<Uint8Array>, change: (bytes: Buffer) => Buffer): AsyncGenerator<Buffer> {
  yield change(await collect(content as AsyncIterable<Buffer>));
}

async function read(parts: AsyncIterable<Buffer>) {
  const found: unknown[] = [];
  for await (const one of readContent(parts, (summary) => found.push(summary.workspace))) found.push(one);
  return found;
}

test('an export in parts is read as it was written', async () => {
  const { id, parts } = await keepExport(
    engine,
    { workspace: 'shop', by: 'ann' },
    writeContent(head, listOf(source, record('shop'))),
  );
  expect(parts.length).toBeGreaterThan(1);
  async function* download(): AsyncGenerator<Buffer> {
    for (const { hash } of parts)
      yield Buffer.from(await readExportPart(engine, { workspace: 'shop', download: id, part: hash }), 'base64');
  }
  const [workspace, whole, ...others] = await read(download());
  expect([workspace, others]).toEqual(['shop', [{ record: record('shop') }]]);
  const { bytes, ...named } = (whole as { record: StoreRecord }).record;
  // A comparison of megabytes as lists of numbers takes half a minute.
  expect([named.kind, named.name, bytes.equals(source.bytes)]).toEqual([source.kind, source.name, true]);
  const asked = { workspace: 'blog', download: id, part: parts[0]?.hash as string };
  await expect(readExportPart(engine, asked)).rejects.toMatchObject(failure('unknown-transfer'));
  // It is no upload that can be imported.
  await expect(collect(readUpload(engine, 'shop', id))).rejects.toMatchObject(failure('unknown-transfer'));
});

test('an imported infra is in the environment of its definition in force', async () => {
  const bundle = { workspace: 'shop', infra: 'web', main: 'web.yaml', files: [] };
  const [former, present] = ['a', 'b'].map((one) => one.repeat(64)) as [string, string];
  const bundles = [
    { ...bundle, definition: present, environment: 'prod' },
    { ...bundle, definition: former, environment: 'staging' },
  ].flatMap((one) => readBundleRecord({ kind: 'blob', name: [], bytes: Buffer.from(bundleRecord(one)) }) ?? []);
  const entries = [former, present].map((hash) => ({
    hash,
    size: 1,
    operation: hash,
    actor: 'ann',
    at: '2026-11-29T10:00:00Z',
    by: [hash],
  }));
  const infras = [
    { infra: 'web', uuid: 'u', last: 1, known: { definitions: { entries, contents: {} } } },
  ] as unknown as TakenInfra[];
  await recordEnvironments(await rows(), { workspace: 'shop', infras, named: [] }, bundles);
  const found = async () => readEnvironments(await rows(), { workspace: 'shop', infra: 'web' });
  expect(await found()).toEqual(['prod']);
  // Those that the former platform recorded, such as that of a batch, whose definitions have no files.
  const named = [{ infra: 'web', uuid: 'u', servers: 0, networks: 0, environments: ['dev', 'staging'] }];
  await recordEnvironments(await rows(), { workspace: 'shop', infras, named }, []);
  expect(await found()).toEqual(['dev', 'staging', 'prod']);
});

test.each<[string, StoreRecord, (bytes: Buffer) => Buffer]>([
  ['is cut', record('shop'), (bytes) => bytes.subarray(0, -20)],
  ['is no export', record('shop'), () => Buffer.from('no gzip')],
  ['has a secret of another workspace', record('blog'), (bytes) => bytes],
  ['has a text of another workspace', { ...source, bytes: Buffer.from('file of blog\nx') }, (bytes) => bytes],
])('content that %s is refused', async (_, one, change) => {
  await expect(read(cut(writeContent(head, listOf(one)), change))).rejects.toMatchObject(failure('bad-export'));
});
