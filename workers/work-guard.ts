import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from '@temporalio/activity';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { failureOf } from '../activities/failures.js';
import { afterDeath, keyOf, type Suspect, WATCHED_FROM, type WorkNote } from '../core/engine/worker-deaths.js';
import { bugError } from '../core/errors.js';
import type { Home } from '../home/home.js';
import { lastNotes, WorkNotes } from './work-notes.js';
import { readDeaths, writeDeaths } from './worker-deaths-file.js';

/** How long an operation under suspicion works while the others like it wait, in milliseconds. */
const TURN_MS = 20_000;
const LOOK_MS = 200;

/**
 * Notes what is at work, so that the next worker knows what this one died of, and refuses
 * what workers keep dying of. Operations under suspicion work one at a time.
 */
export function workGuard(home: Home): { interceptor: ActivityInterceptorsFactory; close(): void } {
  mkdirSync(home.engine, { recursive: true });
  const path = join(home.engine, 'at-work');
  const atWork = lastNotes(path);
  const deaths = atWork.length > 0 ? afterDeath(readDeaths(home), atWork, new Date().toISOString()) : readDeaths(home);
  if (atWork.length > 0) writeDeaths(home, deaths);
  for (const { operation, type, deaths: count } of deaths.setAside)
    console.warn(`set aside: ${operation}: ${count} workers ended while "${type}" was at work`);
  const notes = new WorkNotes(path);
  const refused = new Map(deaths.setAside.map((one) => [keyOf(one), one]));
  const watched = new Set(deaths.suspects.filter((one) => one.deaths >= WATCHED_FROM).map(keyOf));
  const turns = new Turns();

  return {
    interceptor: (context) => ({
      inbound: {
        async execute(input, next) {
          const note = noteOf(context);
          if (!note) return next(input);
          const guilty = refused.get(keyOf(note));
          if (guilty) throw failureOf(setAside(guilty));
          const done = watched.has(keyOf(note)) ? await turns.take(note.operation, context) : () => {};
          const end = notes.begin(note);
          try {
            return await next(input);
          } finally {
            end();
            done();
          }
        },
      },
    }),
    close: () => notes.close(),
  };
}

/** Undefined for the entity of an infra: it touches nothing of the world, and all operations depend on it. */
function noteOf({ info }: Context): WorkNote | undefined {
  const { workflowExecution, workflowType, activityId, activityType } = info;
  if (!workflowExecution || workflowType === 'infra') return undefined;
  return { operation: workflowExecution.workflowId, activity: activityId, type: activityType };
}

const setAside = ({ type, deaths, last }: Suspect) =>
  bugError({
    code: 'worker-killer',
    what: `run "${type}"`,
    why: `the worker ended ${deaths} times while it was at work, last at ${last}: it is set aside`,
    hint: 'provisioning logs worker; once the cause is fixed: provisioning workflow retry OPERATION',
  });

/** Who of those under suspicion works: one operation at a time, for a while. */
class Turns {
  #holder?: { operation: string; since: number; count: number };

  /** @returns what ends the turn */
  async take(operation: string, context: Context): Promise<() => void> {
    const isTaken = () =>
      this.#holder && this.#holder.operation !== operation && Date.now() - this.#holder.since < TURN_MS ? this.#holder : undefined;
    while (isTaken()) {
      if (!context.info.isLocal) context.heartbeat();
      context.cancellationSignal.throwIfAborted();
      await sleep(LOOK_MS);
    }
    if (this.#holder?.operation !== operation) this.#holder = { operation, since: Date.now(), count: 0 };
    const turn = this.#holder;
    turn.count++;
    return () => {
      if (--turn.count === 0 && this.#holder === turn) this.#holder = undefined;
    };
  }
}
