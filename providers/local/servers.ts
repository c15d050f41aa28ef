import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import {
  type CallContext,
  type CreateContext,
  inputError,
  type ProviderConnection,
  type ServerFound,
  type ServerWanted,
} from '../../sdk/index.js';
import type { LocalConfig } from './config.js';
import { putAccess } from './docker/access.js';
import { greets } from './docker/banner.js';
import { containerOptions } from './docker/container.js';
import { existingServer } from './docker/existing.js';
import { assertOurs, dockerName, ownerFilter } from './docker/labels.js';
import { machineOf } from './docker/machine.js';
import { recordOf, writeRecord } from './docker/record.js';
import { call, statusOf } from './errors.js';
import { dockerImage } from './images.js';
import { limitsOf } from './plans.js';
import { describe, diffServer, NETWORK_LABEL } from './servers/describe.js';
import { ensureVolumes, removeVolumes } from './volumes.js';

const POLL_MS = 200;
/** Docker reserves a name a moment before its container can be seen, and frees it again if making it fails. */
const NAME_TRIES = 100;
/** How long a system may take to end before it is killed, in seconds. */
const STOP_S = 20;

/** Servers that are containers of the Docker Engine. */
export function serverVerbs(
  docker: Docker,
  config: LocalConfig,
): ProviderConnection['servers'] & Required<Pick<ProviderConnection, 'power'>> {
  const machine = machineOf(docker);

  const idsOf = async ({ scope }: CallContext, name?: string) => {
    const filters = ownerFilter({ ...scope, uuid: undefined }, 'server', name);
    return docker.listContainers({ all: true, filters });
  };

  /** The id of our container of this name; throws when another infra has one. */
  const find = async (name: string, context: CallContext): Promise<string | undefined> => {
    const rows = await idsOf(context, name);
    for (const { Labels } of rows) assertOurs(context.scope, 'server', name, Labels);
    return rows[0]?.Id;
  };

  const look = async (id: string, { scope }: CallContext): Promise<ServerFound | undefined> => {
    const container = docker.getContainer(id);
    try {
      const info = await container.inspect();
      return await describe(container, info, dockerName(scope, info.Config.Labels[NETWORK_LABEL] ?? ''));
    } catch (error) {
      if (statusOf(error) === 404) return undefined;
      throw error;
    }
  };

  const read = (name: string, context: CallContext) =>
    call('read the server', name, context.signal, async () => {
      const id = await find(name, context);
      return id ? look(id, context) : undefined;
    });

  /** Makes the container, or finds the one that another try has just made. */
  const ensureContainer = async (wanted: ServerWanted, context: CreateContext): Promise<Docker.Container> => {
    const known = await find(wanted.name, context);
    if (known) return docker.getContainer(known);
    // A container can be made without its network, and is left over when it then does not start.
    await docker.getNetwork(dockerName(context.scope, wanted.network)).inspect();
    await ensureVolumes(docker, wanted, context);
    const options = containerOptions(wanted, context, dockerImage(config, wanted.image), await machine());
    for (let left = NAME_TRIES; ; left--) {
      context.signal?.throwIfAborted();
      try {
        return await docker.createContainer(options);
      } catch (error) {
        if (statusOf(error) !== 409 || left === 0) throw error;
      }
      const rival = await namesake(options.name ?? '');
      if (rival) {
        assertOurs(context.scope, 'server', wanted.name, rival.Config.Labels);
        return docker.getContainer(rival.Id);
      }
      await sleep(POLL_MS / 4);
    }
  };

  const namesake = (name: string) =>
    docker
      .getContainer(name)
      .inspect()
      .catch((error) => {
        if (statusOf(error) !== 404) throw error;
      });

  return {
    read,
    diff: diffServer,

    list: (context) =>
      call('list the servers', context.scope.infra, context.signal, async () => {
        const rows = (await idsOf(context)).filter(({ Labels }) => Labels['provisioning.uuid'] === context.scope.uuid);
        const found = await Promise.all(rows.map(({ Id }) => look(Id, context)));
        return found.flatMap((server) => server ?? []).sort((a, b) => a.name.localeCompare(b.name));
      }),

    create: (wanted, context) =>
      call('create the server', wanted.name, context.signal, async () => {
        if (wanted.host) return existingServer(wanted, wanted.host);
        const container = await ensureContainer(wanted, context);
        const { State } = await container.inspect();
        // A try that was killed between create and start may not have got so far as the keys.
        if (State.Status === 'created') await putAccess(container, context.access);
        if (!State.Running) await start(container);
        return (await look(container.id, context)) ?? gone(wanted.name);
      }),

    async ready(name, context) {
      for (;;) {
        const found = await read(name, context);
        if (!found) return gone(name);
        const { connection } = found;
        if (connection.kind === 'ssh' && connection.port > 0 && (await greets(connection.address, connection.port))) return found;
        context.beat?.(found.status === 'running' ? 'Wait for its SSH server' : 'Wait for its start');
        await sleep(POLL_MS, undefined, { signal: context.signal });
      }
    },

    update: (wanted, context) =>
      call('update the server', wanted.name, context.signal, async () => {
        const id = await find(wanted.name, context);
        if (!id) return gone(wanted.name);
        const container = docker.getContainer(id);
        const limits = limitsOf(wanted.plan, (await machine()).cores);
        await container.update({ NanoCpus: limits.nanoCpus, Memory: limits.memory, MemorySwap: limits.memory });
        await writeRecord(container, recordOf(wanted, limits));
        const { State, NetworkSettings } = await container.inspect();
        const network = dockerName(context.scope, wanted.network);
        if (!(network in NetworkSettings.Networks)) {
          await docker.getNetwork(network).connect({ Container: id, EndpointConfig: { Aliases: [wanted.name] } });
        }
        if (!State.Running) await start(container);
        return (await look(id, context)) ?? gone(wanted.name);
      }),

    power: (name, action, context) =>
      call(`${action} the server`, name, context.signal, async () => {
        const container = docker.getContainer((await find(name, context)) ?? gone(name));
        if (action === 'restart') await container.restart({ t: STOP_S });
        else if (action === 'start') await start(container);
        else await container.stop({ t: STOP_S }).catch(unlessSoAlready);
        return (await look(container.id, context)) ?? gone(name);
      }),

    delete: (name, context) =>
      call('delete the server', name, context.signal, async () => {
        for (const { Id } of await docker.listContainers({ all: true, filters: ownerFilter(context.scope, 'server', name) })) {
          await remove(docker.getContainer(Id));
        }
        await removeVolumes(docker, context.scope, ({ server }) => server === name);
      }),
  };
}

async function start(container: Docker.Container): Promise<void> {
  await container.start().catch(unlessSoAlready);
}

/** 304: it runs, or is stopped, already; another try may have been first. */
function unlessSoAlready(error: unknown): void {
  if (statusOf(error) !== 304) throw error;
}

/** 404: it is gone; 409: another call is removing it, which is waited for. */
async function remove(container: Docker.Container): Promise<void> {
  try {
    await container.remove({ force: true, v: true });
  } catch (error) {
    if (statusOf(error) === 409) await container.wait({ condition: 'removed' }).catch(() => {});
    else if (statusOf(error) !== 404) throw error;
  }
}

function gone(name: string): never {
  throw inputError({ code: 'server-gone', what: 'use the server', on: name, why: 'Docker no longer has its container' });
}
