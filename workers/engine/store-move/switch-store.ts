import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoreKind, StoreMoveResult } from '../../../core/engine/store-move.js';
import { inputError, type ProvisioningError } from '../../../core/errors.js';
import { taskQueueOf } from '../../../core/names.js';
import type { Reporter } from '../../../core/report.js';
import { replaceFile } from '../../../home/durable.js';
import type { Home } from '../../../home/home.js';
import { changeLayer } from '../../../settings/edit/change-layer.js';
import { compareStores, countDifferences, type KindComparison } from '../../../stores/move/compare-stores.js';
import { copyRound } from '../../../stores/move/copy-round.js';
import { createMovedError } from '../../../stores/moves.js';
import { holdLock } from '../processes/lock.js';
import { isAlive } from '../processes/process.js';
import { readSupervisor, stopSupervisor } from '../processes/supervisor-process.js';
import { stopStrayWorkers, stopWorker } from '../processes/worker-process.js';
import { readRecord } from '../record.js';
import { up } from '../up.js';
import { copyStore, type OpenSides } from './copy-store.js';
import { isOwn, judgeTarget, type MoveSides, openMoveSource, openMoveTarget } from './move-sides.js';
import { startAgainOnFailure } from './start-again.js';

/** Processes that ran when the switch began: a run that continues starts them again. */
interface Ran {
  worker: boolean;
  supervisor: boolean;
}

const stateFile = ({ engine }: Home): string => join(engine, 'store-move.json');

/**
 * Moves the store: copies it, stops the worker, compares, switches, and starts the worker with the other store. Until the
 * source is marked as moved it stays the store in use, however this process ends. Afterwards the same command completes it.
 *
 * @param dist folder of the built worker
 * @throws inputError `store-foreign`, `store-differs`
 * @throws unreachableError `store-moved`
 */
export async function moveStore(sides: MoveSides, dist: string | undefined, report: Reporter): Promise<StoreMoveResult> {
  const { home, from, to } = sides;
  if (from === to)
    return {
      from,
      to,
      copied: {},
      rounds: 0,
      heldMs: 0,
      kinds: [],
      notes: [],
      already: true,
      worker: await restart(sides, dist, report),
    };
  const source = await openMoveSource(sides);
  try {
    const mark = await source.moves.read();
    const isMoved = mark?.state === 'moved' && isOwn(mark, sides.setUp, to);
    if (mark && !isMoved) throw createMovedError(from, mark);
    const target = await openMoveTarget(sides);
    try {
      const copied = isMoved ? { from, to, copied: {}, rounds: 0 } : await copyStore(sides, { source, target }, report);
      const begun = Date.now();
      const move = () =>
        holdLock(join(home.engine, 'up.lock'), async () => {
          await stopWork(home, report);
          const kinds = isMoved ? [] : await commit(sides, { source, target }, report);
          report({ task: 'switch', text: `${from} refuses writes from now on`, state: 'running' });
          await target.moves.write(undefined);
          await changeLayer({ home, env: sides.given }, 'user', 'store.url', sides.target.PROVISIONING_STORE);
          report({ task: 'switch', text: `the platform uses ${to}`, state: 'done' });
          return kinds;
        });
      // The settings name the store that is in use, whichever that is.
      const kinds = await startAgainOnFailure(move, () => restart(sides, dist, report));
      const worker = await restart(sides, dist, report);
      return { ...copied, already: false, heldMs: Date.now() - begun, worker, kinds, notes: notesOf(sides) };
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** Copies all records while operations run, and switches nothing. */
export async function copyOnly(sides: MoveSides, report: Reporter) {
  const { from, to } = sides;
  if (from === to) return { from, to, copied: {}, rounds: 0 };
  const source = await openMoveSource(sides);
  try {
    const mark = await source.moves.read();
    if (mark?.state === 'moved' && isOwn(mark, sides.setUp, to)) return { from, to, copied: {}, rounds: 0 };
    if (mark) throw createMovedError(from, mark);
    const target = await openMoveTarget(sides);
    try {
      await judgeTarget(sides, target);
      return await copyStore(sides, { source, target }, report);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** Copies the rest while nothing writes, compares, and marks the source as moved. */
async function commit(sides: MoveSides, { source, target }: OpenSides, report: Reporter): Promise<StoreKind[]> {
  const { setUp, to, key } = sides;
  await keepQueue(sides, source.sharedId, target.sharedId);
  return source.moves.hold(async (mark) => {
    report({ task: 'switch', text: 'holding writes, and comparing', state: 'running' });
    await copyRound({ source, target, key, reading: 'names', onRecord: () => {} });
    for await (const claim of source.claims()) await target.keepClaim(claim);
    const kinds = await compareStores(source, target, key, 'names');
    if (countDifferences(kinds) > 0) throw createDifferError(to, kinds);
    await mark({ state: 'moved', setUp, other: to });
    return kinds;
  });
}

/** Infras wait on the task queue of their start, whose default depends on the store if a service is configured. */
async function keepQueue({ home, given, source: env }: MoveSides, from: string | undefined, to: string | undefined): Promise<void> {
  const record = await readRecord(home);
  if (record?.kind !== 'configured' || env.PROVISIONING_TASK_QUEUE) return;
  const next = to === undefined ? undefined : taskQueueOf(to.slice(0, 8));
  if (from === to || record.taskQueue === next) return;
  await changeLayer({ home, env: given }, 'user', 'engine.taskQueue', record.taskQueue);
}

const createDifferError = (on: string, kinds: readonly KindComparison[]): ProvisioningError => {
  const differ = kinds.filter((one) => countDifferences([one]) > 0);
  return inputError({
    code: 'store-differs',
    what: 'switch the store',
    on,
    why: `it differs from the store in use: ${differ.map(({ kind, names }) => `${kind} ${names.join(', ')}`).join('; ')}`,
    hint: 'the platform uses its former store; `provisioning store migrate --check` compares again',
  });
};

/** Stops all processes that write, and records which ones ran. */
async function stopWork(home: Home, report: Reporter): Promise<void> {
  const [record, supervisor] = [await readRecord(home), await readSupervisor(home)];
  const before = await readRan(home);
  const worker = record?.worker && isAlive(record.worker) ? record.worker : undefined;
  const ran: Ran = {
    worker: worker !== undefined || before?.worker === true,
    supervisor: (supervisor !== undefined && isAlive(supervisor)) || before?.supervisor === true,
  };
  await replaceFile(stateFile(home), JSON.stringify(ran));
  await stopSupervisor(home);
  if (worker) {
    report({ task: 'worker', text: `draining (pid ${worker.pid})`, state: 'running' });
    await stopWorker(worker);
  }
  await stopStrayWorkers(home);
}

/** Starts the worker again if one ran before the switch. */
async function restart({ home, given }: MoveSides, dist: string | undefined, report: Reporter): Promise<StoreMoveResult['worker']> {
  const ran = await readRan(home);
  if (ran?.worker) await up(home, { env: given, dist, supervise: ran.supervisor }, report);
  await rm(stateFile(home), { force: true });
  return ran?.worker ? 'restarted' : 'absent';
}

async function readRan(home: Home): Promise<Ran | undefined> {
  try {
    return JSON.parse(await readFile(stateFile(home), 'utf8')) as Ran;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function notesOf({ from, target }: MoveSides): string[] {
  const byVariable = ['PGPASSWORD', 'PGPASSFILE'].filter((name) => target.PROVISIONING_STORE && target[name]);
  return [
    `${from} keeps its former records, and refuses writes; the same command with --to and that store moves back`,
    ...byVariable.map((name) => `${name} is needed wherever the worker is started, also in service.env`),
  ];
}
