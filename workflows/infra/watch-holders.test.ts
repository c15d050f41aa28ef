import { setImmediate as turn } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { emptyInventory } from '../../core/infra/inventory.js';
import { Admission } from './admission.js';
import { createWatcher } from './watch-holders.js';

interface Look {
  operations: string[];
  forMs: number;
  answer(gone: string[]): void;
}

const looks = vi.hoisted(() => [] as Look[]);

/** Workflows without a service: timers fire at once, and a test answers each look that lasts. */
vi.mock('@temporalio/workflow', () => {
  class CancellationScope {
    static current = () => new CancellationScope();
    #cancel = (_: Error) => {};
    run<T>(work: () => Promise<T>): Promise<T> {
      const canceled = new Promise<T>((_, reject) => {
        this.#cancel = reject;
      });
      return Promise.race([work(), canceled]);
    }
    cancel() {
      this.#cancel(Object.assign(new Error('canceled'), { isCancel: true }));
    }
  }
  const watchHolders = {
    executeWithOptions: (_: object, [{ operations, forMs }]: [Omit<Look, 'answer'>]) =>
      forMs === 0 ? Promise.resolve([]) : new Promise<string[]>((answer) => looks.push({ operations, forMs, answer })),
  };
  return {
    CancellationScope,
    isCancellation: (error: { isCancel?: boolean }) => error.isCancel === true,
    patched: () => true,
    proxyActivities: () => ({ watchHolders }),
    sleep: async () => {},
  };
});

const settled = async () => {
  for (let turns = 0; turns < 50; turns++) await turn();
};

/** An infra whose operation `a` holds server 1 for long: the looks at it are long. */
async function watchedLong() {
  looks.length = 0;
  const admission = new Admission(() => emptyInventory({ workspace: 'w', infra: 'i', uuid: 'u' }));
  const ended: string[] = [];
  const watcher = createWatcher(admission, (gone) => ended.push(...gone));
  const ask = async (operation: string, server: string) => {
    admission.ask({ operation, kind: 'server', resources: [`server/${server}`], actor: 'ann' }, 0);
    admission.admit(0);
    watcher.look();
    await settled();
  };
  await ask('a', '1');
  expect(looks.map(({ operations, forMs }) => [operations, forMs])).toEqual([[['a'], 64_000]]);
  return { admission, watcher, ask, ended };
}

const last = () => looks.at(-1) as Look;

test('who waits for one that is looked at already changes nothing', async () => {
  const { ask } = await watchedLong();
  await ask('b', '1');
  expect(looks).toHaveLength(1);
});

test('one that holds a lock, and that the long look does not cover, is looked at', async () => {
  const { ask } = await watchedLong();
  await ask('b', '2');
  expect(looks.map(({ operations }) => operations)).toEqual([['a'], ['a', 'b']]);
});

test('one that holds a lock only for a moment does not cut the long look short', async () => {
  const { admission, watcher } = await watchedLong();
  for (const operation of ['b', 'c', 'd']) {
    admission.ask({ operation, kind: 'server', resources: ['server/2'], actor: 'ann' }, 0);
    admission.admit(0);
    watcher.look();
    admission.forget([operation]);
    watcher.look();
    await settled();
  }
  expect(looks).toHaveLength(1);
});

test('one that is waited for, and that the long look does not cover, is looked at', async () => {
  const { admission, watcher } = await watchedLong();
  for (const operation of ['b', 'c']) {
    admission.ask({ operation, kind: 'server', resources: ['server/2'], actor: 'ann' }, 0);
    admission.admit(0);
    watcher.look();
  }
  await settled();
  expect(looks.map(({ operations }) => operations)).toEqual([['a'], ['b']]);
});

test('who is waited for after the former holder has left is looked at', async () => {
  const { admission, watcher, ask } = await watchedLong();
  await ask('b', '1');
  await ask('c', '1');
  expect(last()).toMatchObject({ operations: ['a', 'b'], forMs: 8_000 });
  for (const forMs of [16_000, 32_000, 64_000, 64_000, 256_000]) {
    last().answer([]);
    await settled();
    expect(last()).toMatchObject({ operations: ['a', 'b'], forMs });
  }
  admission.release(1);
  admission.admit(0);
  watcher.look();
  await settled();
  expect(last()).toMatchObject({ operations: ['b'], forMs: 8_000 });
});

test('long looks without news last longer and longer, and news end them', async () => {
  const { ended } = await watchedLong();
  for (const forMs of [256_000, 1_024_000, 4_096_000, 16_384_000, 43_200_000, 43_200_000]) {
    last().answer([]);
    await settled();
    expect(last().forMs).toBe(forMs);
  }
  last().answer(['a']);
  await settled();
  expect(ended).toEqual(['a']);
});
