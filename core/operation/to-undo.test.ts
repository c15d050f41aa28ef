import { expect, test } from 'vitest';
import type { Compensation } from './to-undo.js';
import { splitUndo } from './to-undo.js';

const service = (taskserv: string, repair?: true): Compensation => ({
  ...{ undo: 'host-steps', server: 'web-1', taskserv, operation: 'o', generation: 1, steps: [] },
  ...(repair && { repair }),
});
const [nginx, redis] = [service('nginx'), service('redis', true)];
const definition: Compensation = { undo: 'definition' };

test('repairs stay where the operation was for something else', () => {
  expect(splitUndo([nginx, redis])).toEqual({ undo: [nginx], stay: [redis] });
  expect(splitUndo([redis, definition])).toEqual({ undo: [definition], stay: [redis] });
});

test('of an operation that only repaired, the repairs are undone', () => {
  expect(splitUndo([redis])).toEqual({ undo: [redis], stay: [] });
});

test('but not in the second roll-back, nor in one that the operation does itself', () => {
  expect(splitUndo([redis], { rolledBack: { by: 'r', at: '2026-01-01T00:00:00Z' } })).toEqual({ undo: [], stay: [redis] });
  expect(splitUndo([redis], { rolledBack: true })).toEqual({ undo: [], stay: [redis] });
});

test('everything is undone where that is asked for', () => {
  expect(splitUndo([nginx, redis], { repairs: true, rolledBack: true })).toEqual({ undo: [nginx, redis], stay: [] });
});
