import { expect, test } from 'vitest';
import { guardActivities, Window } from './window.js';

/** An activity that ends on request, and the calls that began. */
function activity() {
  const begun: number[] = [];
  const ends = new Map<number, { resolve(): void; reject(error: Error): void }>();
  const act = (id: number) => {
    begun.push(id);
    return new Promise<void>((resolve, reject) => ends.set(id, { resolve, reject }));
  };
  return { begun, ends, act: Object.assign(act, { executeWithOptions: (_: object, [id]: [number]) => act(id) }) };
}

const turns = async (count = 20) => {
  for (let turn = 0; turn < count; turn++) await Promise.resolve();
};

test('as many are at work as there are places, the others in their order, also after one that failed', async () => {
  const { begun, ends, act } = activity();
  const { one } = guardActivities({ one: act }, async () => {}, new Window(2));
  const all = [1, 2, 3, 4, 5].map((id) => (id % 2 ? one(id) : one.executeWithOptions({}, [id])).catch((error: Error) => error));
  await turns();
  expect(begun).toEqual([1, 2]);
  ends.get(2)?.reject(new Error('failed'));
  await turns();
  expect(begun).toEqual([1, 2, 3]);
  ends.get(1)?.resolve();
  ends.get(3)?.resolve();
  await turns();
  expect(begun).toEqual([1, 2, 3, 4, 5]);
  ends.get(4)?.resolve();
  ends.get(5)?.resolve();
  expect(await Promise.all(all)).toEqual([undefined, expect.any(Error), undefined, undefined, undefined]);
});

test('where there is room, nothing begins a turn later than without a window', async () => {
  const order: string[] = [];
  const noting = (name: string) => {
    const act = async () => void order.push(name);
    return Object.assign(act, { executeWithOptions: act });
  };
  const free = guardActivities({ act: noting('without') }, async () => {}, {
    take: () => true,
    turn: async () => {},
    run: (begin) => begin(),
  });
  const inWindow = guardActivities({ act: noting('within') }, async () => {}, new Window(1));
  await Promise.all([inWindow.act(), free.act()]);
  await Promise.all([free.act(), inWindow.act()]);
  expect(order).toEqual(['within', 'without', 'without', 'within']);
});

test('who waits for another gives that one its place', async () => {
  const window = new Window(1);
  let open = (_: string) => {};
  const door = new Promise<string>((resolve) => {
    open = resolve;
  });
  expect(window.take()).toBe(true);
  const first = window.run(() => window.aside(door));
  // Its place is free.
  expect(window.take()).toBe(true);
  open('opened');
  expect(window.take()).toBe(false);
  window.leave();
  expect(await first).toBe('opened');
  expect(window.take()).toBe(true);
});
