import { expect, test } from 'vitest';
import { explainWork, isDone, parseCluster, type Work } from './found-cluster.js';

const seen = (work: Work[], noted = true) =>
  parseCluster({ stdout: JSON.stringify({ state: 'seen', is: true, listed: 1, noted, work }), exit: 0 });
const diff = (lines: string[], more = 0) => ({ lines, added: 1, removed: 0, more });

test('an answer of the host is checked', () => {
  expect(parseCluster({ stdout: '', exit: 3 })).toEqual({ state: 'absent' });
  for (const stdout of ['', 'Traceback', '{"state":"seen"}', '{"state":"seen","work":[{"title":1}]}', '[]'])
    expect(parseCluster({ stdout, exit: 0 })).toMatchObject({ state: 'silent' });
});

test('nothing is left to do only if the cluster says so', () => {
  expect(isDone(seen([]))).toBe(true);
  expect(isDone(seen([], false))).toBe(false);
  expect(isDone(seen([{ title: 'a', action: 'add' }]))).toBe(false);
  for (const state of ['silent', 'refused'])
    expect(isDone(parseCluster({ stdout: JSON.stringify({ state, why: 'it is down' }), exit: 0 }))).toBe(false);
});

test('a preview names each object with its difference', () => {
  const work: Work[] = [
    { title: 'ConfigMap a/b', action: 'change', diff: diff([' a', '+b']) },
    { title: 'Secret a/c', action: 'delete' },
    { title: 'Namespace a', action: 'keep', why: 'it has other objects' },
    { title: 'Thing d', action: 'add', why: 'no such kind', refused: true },
  ];
  expect(explainWork(seen(work))).toEqual({
    change: 'change',
    attributes: [
      'ConfigMap a/b changes',
      'Secret a/c is deleted',
      'Namespace a stays: it has other objects',
      'Thing d cannot be changed now: no such kind',
    ],
    diff: { lines: ['@@ ConfigMap a/b @@', ' a', '+b'], added: 1, removed: 0 },
  });
  expect(explainWork(seen([{ title: 'a', action: 'add' }]))?.change).toBe('add');
  expect(explainWork(seen([{ title: 'a', action: 'delete' }]))?.change).toBe('remove');
});

test('names and lines of very many objects are counted', () => {
  const many = Array.from(
    { length: 30 },
    (_, index): Work => ({ title: `ConfigMap ${index}`, action: 'add', diff: diff(Array(50).fill('+a'), 3) }),
  );
  const effect = explainWork(seen(many));
  expect(effect?.attributes).toHaveLength(21);
  expect(effect?.attributes?.at(-1)).toBe('10 more');
  expect(effect?.diff?.lines).toHaveLength(1000);
  expect(effect?.diff?.more).toBe(30 * 51 - 1000 + 90);
});
