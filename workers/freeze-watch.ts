import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { beatWhile } from '../activities/beating.js';
import { readHeldEntity } from '../activities/fence.js';
import type { Engine } from '../app/engine.js';
import { readEnvironments } from '../app/limits/environments/find-environments.js';
import { readFrozenEnvironment } from '../app/limits/environments/frozen-environment.js';
import { covers, readFreezes } from '../app/limits/freezes.js';
import { followFreezes } from '../app/limits/hold-operations.js';
import { messageOf } from '../core/errors.js';
import { infraWorkflowId } from '../core/names.js';
import { findTenant } from '../core/tenant-names.js';
import type { Freeze } from '../stores/rows/freezes.js';
import type { Rows } from '../stores/rows.js';

/** Interval in which operations are aligned with the freezes, in milliseconds. */
const FOLLOW_MS = 2_000;
/** Time that read freezes are cached, in milliseconds. */
const FRESH_MS = 1_000;

export interface FreezeWatch {
  /** Holds back changes of a frozen infra, until it is unfrozen. */
  interceptor: ActivityInterceptorsFactory;
  /** Pauses and resumes operations as the freezes say, until it is stopped. */
  follow(engine: Pick<Engine, 'temporal' | 'stores'>): { stop(): void };
}

/**
 * Creates the part of a worker that enforces freezes. Operations are paused, and wait without work. Operations that a
 * batch or a roll-back starts before the pause are held back at the next activity with an outside effect.
 */
export function createFreezeWatch(rows: () => Promise<Rows>): FreezeWatch {
  let known: readonly Freeze[] = [];
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;
  /** Environments of infras, for an outage of the store. Only while an environment is frozen. */
  const lastKnown = new Map<string, readonly string[]>();

  async function read(): Promise<void> {
    try {
      const all = await readFreezes(await rows());
      known = all.map(({ row }) => row).filter(({ endedAt }) => endedAt === undefined);
    } catch (error) {
      // The last known freezes stay valid: an outage of the store neither freezes nor unfreezes anything.
      console.error(`the freezes were not read: ${messageOf(error)}`);
    }
    readAt = performance.now();
  }

  async function isFrozen(entity: string): Promise<boolean> {
    if (performance.now() - readAt > FRESH_MS) {
      reading ??= read().finally(() => {
        reading = undefined;
      });
      await reading;
    }
    const place = placeOf(entity);
    if (known.length === 0) lastKnown.clear();
    const asksEnvironment = known.some((one) => readFrozenEnvironment(one) !== undefined);
    // The environment of an infra that a former release applied is found when its operation is paused.
    const environments = asksEnvironment ? await environmentsOf(entity, place) : [];
    return known.some((one) => covers(one, { tenant: findTenant(place.workspace), ...place, environments }));
  }

  async function environmentsOf(entity: string, place: { workspace: string; infra: string }): Promise<readonly string[]> {
    try {
      const found = (await readEnvironments(await rows(), place)) ?? [];
      if (found.length > 0) lastKnown.set(entity, found);
      return found;
    } catch (error) {
      console.error(`the environment of ${entity} was not read: ${messageOf(error)}`);
      return lastKnown.get(entity) ?? [];
    }
  }

  async function wait(entity: string): Promise<void> {
    if (!(await isFrozen(entity))) return;
    await beatWhile(async () => {
      // A canceled activity ends here.
      while (await isFrozen(entity)) await Context.current().sleep(FRESH_MS);
    });
  }

  return {
    interceptor: () => ({
      inbound: {
        async execute(input, next) {
          const entity = readHeldEntity(Context.current());
          if (entity !== undefined) await wait(entity);
          return next(input);
        },
      },
    }),
    follow(engine) {
      const stop = new AbortController();
      const told = new Set<string>();
      void (async () => {
        while (!stop.signal.aborted) {
          await sleep(FOLLOW_MS, undefined, { ref: false, signal: stop.signal }).catch(() => {});
          if (stop.signal.aborted) return;
          await rows()
            .then((open) => followFreezes(engine, open, told))
            .catch((error: unknown) => console.error(`the freezes were not followed: ${messageOf(error)}`));
        }
      })();
      return { stop: () => stop.abort() };
    },
  };
}

/** Of `infra/WORKSPACE/INFRA`. */
function placeOf(entity: string): { workspace: string; infra: string } {
  const [, workspace = '', infra = ''] = entity.split('/');
  return infraWorkflowId(workspace, infra) === entity ? { workspace, infra } : { workspace: '', infra: '' };
}
