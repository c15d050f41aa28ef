import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { createFailure } from '../activities/failures.js';
import { keyOf, recordDeath, type Suspect, WATCHED_FROM, type WorkNote } from '../core/engine/worker-deaths.js';
import { bugError } from '../core/errors.js';
import { infraWorkflowId } from '../core/names.js';
import type { Home } from '../home/home.js';
import { lastNotes, WorkNotes } from './work-notes.js';
import { readDeaths, writeDeaths } from './worker-deaths-file.js';

/** How long an operation under suspicion works while the others like it wait, in milliseconds. */
const TURN_MS = 20_000;
const LOOK_MS = 200;

/** Begins the ids of entities (core/names.ts). */
const ENTITY = infraWorkflowId('', '').slice(0, -1);

export interface WorkGuard {
  interceptor: ActivityInterceptorsFactory;
  /** Activities that were running when the former worker ended. */
  atWork: readonly WorkNote[];
  /** Records a regular end of this worker: no running activity is to blame. */
  close(): void;
}

/**
 * Records running activities, so that the next worker knows what this worker died of. Refuses activities that
 * repeatedly end workers. Suspected operations run one at a time.
 */
export function workGuard(home: Home): WorkGuard {
  mkdirSync(home.engine, { recursive: true });
  const path = join(home.engine, 'at-work');
  const { atWork, sameBoot } = lastNotes(path);
  // An entity touches nothing of the world, and all operations depend on it: it is never to blame.
  const blamed = sameBoot ? atWork.filter(({ operation }) => !operation.startsWith(ENTITY)) : [];
  const deaths = blamed.length > 0 ? recordDeath(readDeaths(home), blamed, new Date().toISOString()) : readDeaths(home);
  if (blamed.length > 0) writeDeaths(home, deaths);
  for (const { operation, type, deaths: count } of deaths.setAside)
    console.warn(`set aside: ${operation}: ${count} workers ended while "${type}" was at work`);
  const notes = new WorkNotes(path);
  const refused = new Map(deaths.setAside.map((one) => [keyOf(one), one]));
  const watched = new Set(deaths.suspects.filter((one) => one.deaths >= WATCHED_FROM).map(keyOf));
  const turns = new Turns();

  return {
    atWork,
    interceptor: (context) => ({
      inbound: {
        async execute(input, next) {
          const note = noteOf(context);
          if (!note) return next(input);
          const guilty = refused.get(keyOf(note));
          if (guilty) throw createFailure(setAside(guilty));
          const done = watched.has(keyOf(note)) ? await turns.take(note.operation, Context.current()) : () => {};
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

function noteOf({ info }: Context): WorkNote | undefined {
  const { workflowExecution, activityId, activityType } = info;
  if (!workflowExecution) return undefined;
  return { operation: workflowExecution.workflowId, activity: activityId, type: activityType };
}

const setAside = ({ type, deaths, last }: Suspect) =>
  bugError({
    code: 'worker-killer',
    what: `run "${type}"`,
    why: `the worker ended ${deaths} times while it ran this, last at ${last}: it is set aside`,
    hint: 'provisioning logs worker; once the cause is fixed: provisioning workflow retry OPERATION',
  });

/** Turns of suspected operations: only one of them runs at a time, for a while. */
class Turns {
  #holder?: { operation: string; since: number; count: number };

  /** @returns a function that ends the turn */
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
