import { type CallContext, type FoundServer, inputError, unreachableError } from '../../../sdk/index.js';
import type { Server } from '../client/index.js';
import { type Cloud, pauses } from '../cloud/cloud.js';
import { findServerDetail, ourServer, throwGone } from '../cloud/find.js';
import { listServerVolumes } from '../volumes.js';
import { describe } from './describe.js';

/** Time limit of a soft stop, in seconds. */
const SOFT_S = 60;
/** Time limit of a state change at UpCloud, in milliseconds; further attempts follow. */
const GIVE_UP_MS = 240_000;

/** Starts, softly stops, or restarts a server. */
export async function powerServer(
  cloud: Cloud,
  name: string,
  action: 'start' | 'stop' | 'restart',
  context: CallContext,
): Promise<FoundServer> {
  const { signal } = context;
  const { uuid } = await ourServer(cloud, name, context);
  let server = action === 'start' ? undefined : await switchOff(cloud, uuid, true, signal);
  if (action !== 'stop') server = await switchOn(cloud, uuid, signal);
  return describe(cloud, server ?? throwGone(name), await listServerVolumes(cloud, name, context), signal);
}

/** Stops a server: softly, and by force after the time limit. Returns undefined if it is gone. */
export async function switchOff(cloud: Cloud, uuid: string, soft: boolean, signal?: AbortSignal): Promise<Server | undefined> {
  const since = Date.now();
  const pause = pauses(cloud, signal);
  let asked: 'no' | 'soft' | 'hard' = 'no';
  for (;;) {
    const server = await findServerDetail(cloud, uuid, signal);
    if (!server || server.state === 'stopped') return server;
    if (server.state === 'error') return stuck(server);
    if (Date.now() - since > GIVE_UP_MS) return slow(server);
    const patience = soft && Date.now() - since < (SOFT_S + 5) * 1_000;
    if (server.state === 'started' && (asked === 'no' || (asked === 'soft' && !patience))) {
      asked = patience ? 'soft' : 'hard';
      await cloud.client.servers.stop(uuid, { type: asked, timeoutSeconds: SOFT_S }, { signal }).catch(busy);
    }
    await pause();
  }
}

/** Starts a server, and waits until it runs. */
export async function switchOn(cloud: Cloud, uuid: string, signal?: AbortSignal): Promise<Server | undefined> {
  const since = Date.now();
  const pause = pauses(cloud, signal);
  for (;;) {
    const server = await findServerDetail(cloud, uuid, signal);
    if (!server || server.state === 'started') return server;
    if (server.state === 'error') return stuck(server);
    if (Date.now() - since > GIVE_UP_MS) return slow(server);
    if (server.state === 'stopped') await cloud.client.servers.start(uuid, {}, { signal }).catch(busy);
    await pause();
  }
}

/** Ignores an illegal state: another call requested the same, or UpCloud is busy. The next poll decides. */
export function busy(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'SERVER_STATE_ILLEGAL') return undefined;
  throw error;
}

function stuck({ title, state }: Server): never {
  throw inputError({
    code: 'server-stuck',
    what: 'switch the server on or off',
    on: title,
    why: `its state remains "${state}"`,
    hint: 'check it in the UpCloud control panel, then retry',
  });
}

function slow({ title, state }: Server): never {
  const why = `its state has been "${state}" for ${GIVE_UP_MS / 1_000} s`;
  throw unreachableError({ code: 'upcloud-not-settled', what: 'switch the server on or off', on: title, why });
}
