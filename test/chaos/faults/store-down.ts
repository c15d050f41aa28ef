import { setTimeout as sleep } from 'node:timers/promises';
import { breakFolder } from '../../support/broken-folder.js';
import type { Fault } from '../fault.js';
import { judgeWell, prepare, SLOW, WORK_MS } from './demo-work.js';

/** Longer than all retries within a workflow's own task, and within the task of a waiting workflow. Milliseconds. */
const DOWN_MS = 15_000;
/** Stores that every operation needs: claims, states, changes and roll-back data. */
const STORES = ['claims', 'sequences', 'feeds', 'rollbacks'] as const;
/** Maximum number of events while an operation only waits: a failing look and its attention record. */
const WAITED_EVENTS = 60;

export const storeDown: Fault[] = [
  {
    name: 'store-down',
    about: `some of the stores (${STORES.join(', ')}) take and give nothing for ${DOWN_MS / 1_000} s`,
    on: 'demo',
    async round(stage) {
      const work = await prepare(stage);
      await stage.account.behave({ latencyMs: SLOW });
      const operation = await stage.submit(work.wish);
      await stage.later(WORK_MS);
      const down = stage.some(STORES);
      stage.moment.push(down.join(' '));
      const { home, temporal } = stage.engine;
      const handle = temporal.workflow.getHandle(operation);
      const restores = await Promise.all(down.map((store) => breakFolder(home[store])));
      stage.strike();
      try {
        await sleep(DOWN_MS / 2);
        const before = (await handle.describe()).historyLength;
        await sleep(DOWN_MS / 2);
        const grown = (await handle.describe()).historyLength - before;
        // The operation may still run, because only these stores are down.
        if (down.includes('claims')) stage.demand(grown <= WAITED_EVENTS, `${grown} events were written while it could only wait`);
      } finally {
        for (const restore of restores) await restore();
      }
      await judgeWell(stage, work);
    },
  },
];
