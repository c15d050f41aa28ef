import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { StoreRecord } from '../../../../stores/records.js';
import { failure } from '../../../../test/support/secret-client.js';
import { readContent, writeContent } from './stream-content.js';

const MiB = 1024 * 1024;
const summary = {
  ...{ id: randomUUID(), workspace: 'shop', at: '2026-11-29T10:00:00Z', by: 'ann', setUp: 'cafe', frozen: true },
  ...{ infras: [], secrets: 0, operations: 0, sources: 0 },
};
const secret = (bytes: Buffer, name = 'token'): StoreRecord => ({ kind: 'secret', name: ['shop', '', name], bytes });
const blob = (size: number): StoreRecord => ({
  kind: 'blob',
  name: ['a'.repeat(64)],
  bytes: Buffer.from(`file of shop\n${'x'.repeat(size)}`),
});
const ended = (progress: string) => ({
  ...{ run: 'r', operation: 'o', workspace: 'shop', infra: 'web', ended: '2026-11-29T10:00:00Z' },
  progress,
});

async function* write(
  records: Iterable<StoreRecord>,
  rows: ReturnType<typeof ended>[] = [],
  most?: number,
): AsyncGenerator<Buffer> {
  async function* list() {
    yield* records;
  }
  yield* writeContent({ ...summary, records: [], ended: rows }, list(), most);
}

/** The lines as they would come, without what `writeContent` checks. */
async function* unchecked(...lines: string[]): AsyncGenerator<Buffer> {
  yield gzipSync([JSON.stringify({ provisioning: 'workspace 2', ...summary }), ...lines, ''].join('\n'), { level: 1 });
}

async function read(parts: AsyncIterable<Buffer>, most?: number) {
  const found: unknown[] = [];
  for await (const one of readContent(parts, () => {}, most)) found.push(one);
  return found;
}

const count = async (parts: AsyncIterable<Buffer>, most?: number): Promise<number> => (await read(parts, most)).length;

test.each([0, 1, 2])('long texts come as they were written, with %i more bytes', async (more) => {
  const records = [blob(2 * MiB + more), secret(Buffer.alloc(2 * MiB + more, 7), 'a/"bytes":"/b')];
  const row = ended(Buffer.alloc(2 * MiB + more, 9).toString('base64'));
  const found = (await read(write(records, [row]))) as [{ record: StoreRecord }, { record: StoreRecord }, unknown];
  expect(found).toHaveLength(3);
  for (const [at, { bytes, ...names }] of records.entries()) {
    const { bytes: same, ...others } = (found[at] as { record: StoreRecord }).record;
    expect([others, same.equals(bytes)]).toEqual([names, true]);
  }
  expect(found[2]).toEqual({ ended: row });
});

const text = (name: unknown, bytes: string) => JSON.stringify({ record: { kind: 'blob', name, bytes } });
const numbers = Array.from({ length: MiB }, () => 1);
test.each<[string, string]>([
  ['is no record', JSON.stringify(numbers)],
  ['has a name of a million numbers', text(numbers, 'AAAA')],
  ['has five names', text(['a', 'b', 'c', 'd', 'e'], 'AAAA')],
  ['has a long text that is no base64', text(['a'.repeat(64)], '*'.repeat(2 * MiB))],
  ['has a quote in its long text', text(['a'.repeat(64)], 'AAAA').replace('AAAA', `${'A'.repeat(2 * MiB)}","x":"AAA`)],
  ['has more after its long text', text(['a'.repeat(64)], 'A'.repeat(2 * MiB)).replace(/\}\}$/, ',"more":1}}')],
])('a line that %s is refused', async (_, line) => {
  await expect(count(unchecked(line, '{"end":1}'))).rejects.toMatchObject(failure('bad-export'));
});

test.each<[string, StoreRecord[]]>([
  ['large secrets', Array.from({ length: 3 }, (_, at) => secret(Buffer.alloc(MiB / 2), `t${at}`))],
  ['many small secrets', Array.from({ length: 3_000 }, (_, at) => secret(Buffer.of(), `t${at}`))],
])('%s are too much for the memory of an import, and are not exported', async (_, records) => {
  const most = MiB;
  await expect(count(write(records, [], most))).rejects.toMatchObject(failure('too-large'));
  await expect(count(write(records), most)).rejects.toMatchObject(failure('bad-export'));
  expect(await count(write(records))).toBe(records.length);
});

test('texts by address do not count for the memory of an import', async () => {
  expect(await count(write([blob(MiB), blob(MiB)], [], MiB), MiB)).toBe(2);
});
