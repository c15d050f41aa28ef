import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import type { CallContext, FoundServer } from '../../../sdk/index.js';
import { action, type Server } from '../api/shapes.js';
import { nameIn } from '../project/labels.js';
import type { Project } from '../project/project.js';
import { must, type Servers, throwGone } from '../project/servers.js';
import { readServer } from './describe.js';

const acted = z.object({ action });

/** Time limit of a soft stop before the power is cut, in milliseconds. */
const GRACE_MS = 60_000;
const LOOKS = 60;

/** Softly stops, starts or restarts a server. */
export async function powerServer(
  servers: Servers,
  name: string,
  verb: 'start' | 'stop' | 'restart',
  context: CallContext,
): Promise<FoundServer> {
  const { project } = servers;
  const row = await waitUntilUnlocked(project, await must(servers, name, context), context);
  if (verb !== 'start') await powerOff(project, row, context);
  if (verb !== 'stop') {
    const now = await must(servers, name, context);
    if (now.status !== 'running') await powerOn(project, now, context);
  }
  return (await readServer(servers, name, context)) ?? throwGone(name);
}

export async function act(project: Project, row: Server, verb: string, body: object, { signal }: CallContext): Promise<void> {
  const about = { what: `run the action "${verb}"`, on: nameIn(row.labels), signal };
  const answer = await project.api.post(acted, `servers/${row.id}/actions/${verb}`, body, about);
  await project.actions.finished([answer.action], about);
}

/** Waits while the vendor works on a server. If that takes long, the next request is refused as locked. */
export async function waitUntilUnlocked(project: Project, row: Server, context: CallContext): Promise<Server> {
  const name = nameIn(row.labels);
  let now: Server | undefined = row;
  for (let left = LOOKS; now?.locked && left > 0; left--) {
    await sleep(2 * project.pollMs, undefined, { signal: context.signal });
    now = await project.ours('server', name, context);
  }
  return now ?? row;
}

export const powerOn = (project: Project, row: Server, context: CallContext): Promise<void> =>
  act(project, row, 'poweron', {}, context);

/** Stops the operating system, and cuts the power if it does not end. A stopped server stays unchanged. */
export async function powerOff(project: Project, row: Server, context: CallContext): Promise<void> {
  if (row.status === 'off') return;
  await act(project, row, 'shutdown', {}, context);
  const name = nameIn(row.labels);
  for (
    const until = Date.now() + GRACE_MS;
    Date.now() < until;
    await sleep(2 * project.pollMs, undefined, { signal: context.signal })
  ) {
    const now = await project.ours('server', name, context);
    if (!now || now.status === 'off') return;
  }
  await act(project, row, 'poweroff', {}, context);
}
