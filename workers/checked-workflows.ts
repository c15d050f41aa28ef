import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import type { PayloadCodec } from '@temporalio/common';
import type { EngineRecord } from '../core/engine/engine.js';
import { isContinued, WORKFLOWS_VERSION } from '../core/engine/workflows-version.js';
import type { Home } from '../home/home.js';
import { UNLIMITED_VERSION } from './former-time-outs.js';
import { type RunningWorkflow, refuseOtherVersions } from './running-versions.js';

/** How late the list may have a workflow, in milliseconds, with room to spare. */
const LATE_MS = 60_000;
/** Pause between two checks of new workflows, in milliseconds. */
const EVERY_MS = 60_000;

/** Result of a check of all running workflows that were started before a moment. */
interface Checked {
  /** Namespace and queue of these workflows. */
  place: string;
  /** The moment, ISO time. */
  upTo: string;
  /** The oldest and the newest workflow version that started one of them. */
  oldest: number;
  newest: number;
}

type Served = Pick<EngineRecord, 'kind' | 'namespace' | 'taskQueue' | 'deployment'>;

/** Whether only this home's worker serves the home's own service. */
const isAlone = ({ kind, deployment }: Served) => kind === 'own' && deployment === undefined;
const pathOf = (home: Home) => join(home.engine, 'checked-workflows.json');
const placeOf = ({ namespace, taskQueue }: Served) => `${namespace} ${taskQueue}`;

/**
 * Checks versions like `refuseOtherVersions`, but lists only workflows that were started since the last check. A list
 * takes a millisecond for each workflow, and there may be ten thousand. Only for the home's own service, which uses
 * the same clock. The note of the check is in no backup.
 *
 * @param moment at its start a worker lists all workflows if a former version may have started one of them, to drop
 * their former time-outs. Other checks list only workflows that were started since.
 * @returns the running workflows that were listed
 * @throws inputError `former-workflows`, `newer-workflows`
 */
export async function checkVersions(
  home: Home,
  temporal: Client,
  codec: PayloadCodec,
  served: Served,
  moment: 'start' | 'later' = 'start',
): Promise<RunningWorkflow[]> {
  if (!isAlone(served)) return refuseOtherVersions(temporal, codec, served);
  const noted = await readChecked(home, served);
  const known = moment === 'start' && noted && noted.oldest < UNLIMITED_VERSION ? undefined : noted;
  const upTo = new Date(Date.now() - LATE_MS).toISOString();
  const running = await refuseOtherVersions(temporal, codec, served, known?.upTo);
  const versions = running.map(({ version }) => version);
  const { oldest = WORKFLOWS_VERSION, newest = WORKFLOWS_VERSION } = known ?? {};
  await writeChecked(home, {
    ...{ place: placeOf(served), upTo },
    ...{ oldest: Math.min(oldest, ...versions), newest: Math.max(newest, ...versions) },
  });
  return running;
}

/**
 * Checks new workflows repeatedly, so that the next start has little to list.
 *
 * @returns a function that ends the checks
 */
export function keepChecked(served: Served, check: () => Promise<unknown>, everyMs = EVERY_MS): () => void {
  if (!isAlone(served)) return () => {};
  let isAtIt = false;
  const timer = setInterval(async () => {
    if (isAtIt) return;
    isAtIt = true;
    // The next start lists more.
    await check().catch(() => {});
    isAtIt = false;
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Returns the last check, if it was of this service and this build continues the checked workflows. */
async function readChecked(home: Home, served: Served): Promise<Checked | undefined> {
  try {
    const checked = JSON.parse(await readFile(pathOf(home), 'utf8')) as Checked;
    const { place, upTo, oldest, newest } = checked;
    const isOfNow = place === placeOf(served) && Date.parse(upTo) <= Date.now();
    return isOfNow && isContinued(oldest) && isContinued(newest) ? checked : undefined;
  } catch {
    return undefined;
  }
}

/** Without a note the next start lists all. */
async function writeChecked(home: Home, checked: Checked): Promise<void> {
  const draft = `${pathOf(home)}.${process.pid}`;
  try {
    await writeFile(draft, `${JSON.stringify(checked)}\n`, { mode: 0o600 });
    await rename(draft, pathOf(home));
  } catch {}
}
