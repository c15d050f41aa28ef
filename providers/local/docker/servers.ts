import type Docker from 'dockerode';
import { type CallContext, inputError } from '../../../sdk/index.js';
import type { LocalConfig } from '../config.js';
import { statusOf } from '../errors.js';
import { describe, NETWORK_LABEL } from '../servers/describe.js';
import { assertOurs, dockerName, ownerFilter } from './labels.js';
import { createMachineReader } from './machine.js';
import type { Servers } from './server-lookup.js';

export function openServers(docker: Docker, config: LocalConfig): Servers {
  const rowsOf = ({ scope }: CallContext, name?: string) =>
    docker.listContainers({ all: true, filters: ownerFilter({ ...scope, uuid: undefined }, 'server', name) });
  return {
    docker,
    config,
    machine: createMachineReader(docker),
    rowsOf,

    async find(name, context) {
      const rows = await rowsOf(context, name);
      for (const { Labels } of rows) assertOurs(context.scope, 'server', name, Labels);
      return rows[0]?.Id;
    },

    async look(id, { scope }) {
      const container = docker.getContainer(id);
      try {
        const info = await container.inspect();
        return await describe(container, info, dockerName(scope, info.Config.Labels[NETWORK_LABEL] ?? ''));
      } catch (error) {
        if (statusOf(error) === 404) return undefined;
        throw error;
      }
    },
  };
}

export function throwGone(name: string): never {
  throw inputError({ code: 'server-gone', what: 'use the server', on: name, why: 'Docker no longer has its container' });
}
