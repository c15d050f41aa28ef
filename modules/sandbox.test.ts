import { expect, test } from 'vitest';
import { LIMITS } from '../core/limits.js';
import { openSandbox } from './sandbox.js';

/** Acts like a compiled module: it takes the taskserv, and answers calls. */
const MODULE = `globalThis.__takeExported = () => {};
globalThis.__answer = (question, args) => {
  if (question === 'fail') throw new Error('as asked');
  return JSON.stringify(JSON.parse(args)[0].length);
};`;

test('questions and answers leave nothing in the memory of the module, also if it fails', async () => {
  const sandbox = await openSandbox('mine', MODULE);
  const large = 'x'.repeat(LIMITS.moduleMemory / 32);
  // If arguments stayed in memory, they would exceed it twice.
  for (let turn = 0; turn < 32; turn++) {
    expect(sandbox.ask('length', [large])).toBe(large.length);
    expect(() => sandbox.ask('fail', [large])).toThrow('as asked');
  }
});

test('a question that compares files asks whoever is asking just then', async () => {
  const sandbox = await openSandbox(
    'mine',
    'globalThis.__takeExported = () => {}; globalThis.__answer = () => JSON.stringify(__isAsWanted("fact", "wanted"));',
  );
  expect(sandbox.ask('compare', [], (fact, wanted) => fact === 'fact' && wanted === 'wanted')).toBe(true);
  expect(sandbox.ask('compare', [], () => false)).toBe(false);
  expect(sandbox.ask('compare', [])).toBe(false);
});
