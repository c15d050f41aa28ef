import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import {
  type Access,
  type CallContext,
  type CreateContext,
  describeExistingMachine,
  type ExistingHost,
  type FoundServer,
  messageOf,
  type WantedServer,
} from '../../../sdk/index.js';
import { containerOptions, greets, putAccess } from '../docker/container.js';
import { assertOurs, dockerName } from '../docker/labels.js';
import type { Servers } from '../docker/server-lookup.js';
import { throwGone } from '../docker/servers.js';
import { call, statusOf } from '../errors.js';
import { dockerImage } from '../images.js';
import { ensureVolumes } from '../volumes.js';
import { readServer } from './describe.js';
import { start } from './power.js';

const POLL_MS = 200;
/**
 * Number of attempts to get a name. Docker reserves a name before its container is visible, and releases it if the
 * creation fails.
 */
const NAME_TRIES = 100;

/** Returns a started container with our keys, or the existing machine. */
export const createServer = (
  servers: Servers,
  wanted: WantedServer,
  context: CreateContext & { access: Access },
): Promise<FoundServer> =>
  call('create the server', wanted.name, context.signal, async () => {
    if (wanted.host) return existingServer(wanted, wanted.host);
    const container = await ensureContainer(servers, wanted, context);
    const { State } = await container.inspect();
    // An attempt that was killed between creation and start may not have written the keys.
    if (State.Status === 'created') await putAccess(container, context.access);
    if (!State.Running) await start(container);
    return (await servers.look(container.id, context)) ?? throwGone(wanted.name);
  });

/** Describes an existing machine as a server: nothing is created, and nothing can differ. */
const existingServer = ({ name, plan, image, labels }: WantedServer, host: ExistingHost): FoundServer => ({
  ...describeExistingMachine(host),
  name,
  status: 'running',
  plan: plan.name,
  image,
  labels,
  volumes: [],
});

/** Creates the container, or finds the one of a concurrent attempt. */
async function ensureContainer(servers: Servers, wanted: WantedServer, context: CreateContext): Promise<Docker.Container> {
  const { docker, config, machine, find } = servers;
  const known = await find(wanted.name, context);
  if (known) return docker.getContainer(known);
  // A container can be created without its network, and would remain if it then does not start.
  await docker.getNetwork(dockerName(context.scope, wanted.network)).inspect();
  await ensureVolumes(docker, wanted, context);
  const options = containerOptions(wanted, context, dockerImage(config, wanted.image), await machine(), config);
  for (let left = NAME_TRIES; ; left--) {
    context.signal?.throwIfAborted();
    try {
      return await docker.createContainer(options);
    } catch (error) {
      if (left === 0) throw error;
      if (lacksImage(error)) {
        await makeImage(servers, wanted.image, context);
        continue;
      }
      if (statusOf(error) !== 409) throw error;
    }
    const rival = await namesake(docker, options.name ?? '');
    if (rival) {
      assertOurs(context.scope, 'server', wanted.name, rival.Config.Labels);
      return docker.getContainer(rival.Id);
    }
    await sleep(POLL_MS / 4);
  }
}

const lacksImage = (error: unknown): boolean => statusOf(error) === 404 && /no such image/i.test(messageOf(error));

/** Builds an image that `up --local` does not build. The first server with it waits. */
async function makeImage({ docker, config }: Servers, image: string, { beat }: CreateContext): Promise<void> {
  const { prepareImage } = await import('../prepare/image.js');
  await prepareImage(docker, config, image, ({ task, text }) => beat?.(`Make the ${task}: ${text}`));
}

const namesake = (docker: Docker, name: string) =>
  docker
    .getContainer(name)
    .inspect()
    .catch((error) => {
      if (statusOf(error) !== 404) throw error;
    });

/** Waits until its SSH server greets. */
export async function waitForServer(
  servers: Servers,
  name: string,
  context: CallContext & { beat?: (what: string) => void },
): Promise<FoundServer> {
  for (;;) {
    const found = await readServer(servers, name, context);
    if (!found) return throwGone(name);
    const { connection } = found;
    if (connection.kind === 'ssh' && connection.port > 0 && (await greets(connection.address, connection.port))) return found;
    context.beat?.(found.status === 'running' ? 'Wait for its SSH server' : 'Wait for its start');
    await sleep(POLL_MS, undefined, { signal: context.signal });
  }
}
