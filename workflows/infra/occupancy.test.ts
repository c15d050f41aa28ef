import { expect, it } from 'vitest';
import { Occupancy } from './occupancy.js';

const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

function room() {
  const occupancy = new Occupancy();
  const inside = new Map<string, () => void>();
  const ask = async (who: string, shared: string[], alone: string[]) => {
    void occupancy.take(shared, alone).then((release) => inside.set(who, release));
    await settled();
  };
  const leave = async (who: string) => {
    inside.get(who)?.();
    inside.get(who)?.();
    inside.delete(who);
    await settled();
  };
  return { ask, leave, inside: () => [...inside.keys()].sort() };
}

it('lets several share, and one be alone', async () => {
  const { ask, leave, inside } = room();
  await ask('web-1', ['lb'], []);
  await ask('web-2', ['lb'], []);
  await ask('lb', [], ['lb']);
  expect(inside()).toEqual(['web-1', 'web-2']);
  await leave('web-1');
  expect(inside()).toEqual(['web-2']);
  await leave('web-2');
  expect(inside()).toEqual(['lb']);
  await ask('web-3', ['lb'], []);
  expect(inside()).toEqual(['lb']);
  await leave('lb');
  expect(inside()).toEqual(['web-3']);
});

it('never waits in a circle: two that stand in front of each other come one after the other', async () => {
  const { ask, leave, inside } = room();
  await ask('a', ['b'], ['a']);
  await ask('b', ['a'], ['b']);
  expect(inside()).toEqual(['a']);
  await leave('a');
  expect(inside()).toEqual(['b']);
});
