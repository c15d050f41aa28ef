import { expect, test } from 'vitest';
import type { Compensation } from './to-undo.js';
import { toUndo } from './to-undo.js';

const service = (taskserv: string, repair?: true): Compensation => ({
  ...{ undo: 'host-steps', server: 'web-1', taskserv, operation: 'o', generation: 1, steps: [] },
  ...(repair && { repair }),
});
const [nginx, redis] = [service('nginx'), service('redis', true)];
const definition: Compensation = { undo: 'definition' };

test('repairs stay where the operation was for something else', () => {
  expect(toUndo([nginx, redis])).toEqual({ undo: [nginx], stay: [redis] });
  expect(toUndo([redis, definition])).toEqual({ undo: [definition], stay: [redis] });
});

test('of an operation that only repaired, the repairs are undone', () => {
  expect(toUndo([redis])).toEqual({ undo: [redis], stay: [] });
});

test('but not in the second roll-back, nor in one that the operation does itself', () => {
  expect(toUndo([redis], { rolledBack: { by: 'r', at: '2026-01-01T00:00:00Z' } })).toEqual({ undo: [], stay: [redis] });
  expect(toUndo([redis], { rolledBack: true })).toEqual({ undo: [], stay: [redis] });
});

test('everything is undone where that is asked for', () => {
  expect(toUndo([nginx, redis], { repairs: true, rolledBack: true })).toEqual({ undo: [nginx, redis], stay: [] });
});
