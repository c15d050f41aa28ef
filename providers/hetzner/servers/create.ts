import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Access,
  type CallContext,
  type CreateContext,
  createAtomically,
  type FoundServer,
  inputError,
  ProvisioningError,
  type WantedServer,
} from '../../../sdk/index.js';
import type { Server } from '../api/shapes.js';
import { nameIn } from '../project/labels.js';
import { makeServer } from '../project/make-server.js';
import { must, type Servers } from '../project/servers.js';
import { takeAway } from '../project/take-away.js';
import { describe } from './describe.js';
import { powerOn } from './power.js';

/** Maximum factor by which the pause between lookups grows while a server is not ready. */
const LONGEST = 12;
/** Number of consecutive lookups that find a server stopped before it is started. */
const LOOKS_OFF = 5;

/** Returns the existing server, or creates one. If the vendor refuses it, its prerequisites are deleted again. */
export async function createServer(
  servers: Servers,
  wanted: WantedServer,
  context: CreateContext & { access: Access },
): Promise<FoundServer> {
  const { project, making } = servers;
  const { uuid } = context.scope;
  making.set(uuid, (making.get(uuid) ?? 0) + 1);
  try {
    const row = await createAtomically({
      make: () => ensure(servers, wanted, context),
      takeAway: () => takeAway(project, wanted, { ...context, signal: undefined }, () => making.get(uuid) === 1),
      pause: sleep,
    });
    return await describe(project, row, context);
  } finally {
    making.set(uuid, (making.get(uuid) ?? 1) - 1);
    if (making.get(uuid) === 0) making.delete(uuid);
  }
}

const ensure = (
  { project, underWay }: Servers,
  wanted: WantedServer,
  context: CreateContext & { access: Access },
): Promise<Server> =>
  project.ensure('server', wanted.name, context, async () => {
    const made = await makeServer(project, wanted, { ...context, signal: undefined });
    underWay.set(made.row.id, made.actions);
    return made.row;
  });

/** Waits until the server runs and is in its network. */
export async function waitForServer(
  servers: Servers,
  name: string,
  context: CallContext & { beat?: (what: string) => void },
): Promise<FoundServer> {
  const { project, underWay } = servers;
  let off = 0;
  for (let pause = project.pollMs; ; pause = Math.min(LONGEST * project.pollMs, pause * 1.3)) {
    const row = await must(servers, name, context);
    if (isReady(row)) return describe(project, row, context);
    context.beat?.(row.status === 'running' ? 'Wait for its network' : 'Wait for its start');
    if (underWay.has(row.id)) {
      await begun(servers, row, context);
      continue;
    }
    off = row.status === 'off' ? off + 1 : 0;
    if (off >= LOOKS_OFF) await powerOn(project, row, context);
    await sleep(pause, undefined, { signal: context.signal });
  }
}

const isReady = (row: Server) => row.status === 'running' && !row.locked && row.private_net.length > 0;

/** Waits for the actions that this process started, and reports why a creation failed. */
async function begun({ project, underWay }: Servers, row: Server, context: CallContext): Promise<void> {
  const actions = underWay.get(row.id);
  if (!actions) return;
  const name = nameIn(row.labels);
  try {
    await project.actions.finished(actions, { what: 'make the server', on: name, signal: context.signal });
  } catch (error) {
    const failed = error instanceof ProvisioningError && 'vendor' in error;
    // The lookup failed: the actions continue.
    if (!failed) throw error;
    underWay.delete(row.id);
    if (await project.find('server', name, context)) throw error;
    throw inputError({ ...error.details, hint: error.details.hint ?? 'try again later, or choose another plan or zone' });
  }
  underWay.delete(row.id);
}
