import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { canonical } from '../../core/encoding/hash.js';
import { digestState, skipKnown } from './state-cursor.js';

const known = 'k'.repeat(43);
const other = 'o'.repeat(43);

async function* statesOf(...cursors: string[][]) {
  for (const events of cursors) yield events.map((cursor) => ({ cursor }));
}

async function after(cursor: string | undefined, ...cursors: string[][]): Promise<string[]> {
  const events: string[] = [];
  for await (const event of skipKnown(statesOf(...cursors), cursor)) events.push(event.cursor);
  return events;
}

test('a state has the digest of its content, whatever the order of its keys and whoever has its rows', () => {
  const row = { server: 'web', state: 'running' };
  const state = { b: [row, 'text', null], a: { z: 1, y: undefined }, gone: undefined };
  const digest = createHash('sha256').update(canonical(state)).digest('base64url');
  expect(digestState(state)).toBe(digest);
  expect(digestState({ a: { z: 1 }, b: [{ state: 'running', server: 'web' }, 'text', null] })).toBe(digest);
  expect(digestState({ ...state, b: [{ ...row, state: 'done' }, 'text', null] })).not.toBe(digest);
});

test('a stream that continues leaves out what the caller has', async () => {
  expect(await after(undefined, [known], [other])).toEqual([known, other]);
  expect(await after(known, [known], [other])).toEqual([other]);
  expect(await after(known, [known, other])).toEqual([other]);
  expect(await after(known, [other, known])).toEqual([]);
});

test('a state that comes back is news', async () => {
  expect(await after(known, [known], [other], [known])).toEqual([other, known]);
  expect(await after(known, [other], [known])).toEqual([other, known]);
});
