import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import {
  type Access,
  type CallContext,
  type CreateContext,
  inputError,
  orNothing,
  type ProviderConnection,
  ProvisioningError,
  type ServerFound,
  type ServerWanted,
} from '../../sdk/index.js';
import { type Action, action, type Server } from './api/shapes.js';
import { removeHelpers, tidy } from './project/helpers.js';
import { nameIn, selector } from './project/labels.js';
import { type Project, surely } from './project/project.js';
import { takeAway } from './project/take-away.js';
import { makeServer } from './servers/create.js';
import { describe, diffServer } from './servers/describe.js';
import { powerOff, powerOn, unlocked } from './servers/power.js';
import { changeServer } from './servers/update.js';
import { removeVolume } from './volumes.js';

/** From the first look at a server that is not ready to the last ones the pause becomes so many times as long. */
const LONGEST = 12;
/** So many looks in a row at one that is off, and it is switched on. */
const LOOKS_OFF = 5;

/** Servers of a project. */
export function serverVerbs(project: Project): ProviderConnection['servers'] & Required<Pick<ProviderConnection, 'power'>> {
  /** What is under way for servers that this process made, by their ids. */
  const underWay = new Map<number, Action[]>();
  /** How many servers of an infra are being made, by its UUID. */
  const making = new Map<string, number>();

  const read = async (name: string, context: CallContext) => {
    const row = await project.find('server', name, context);
    return row && describe(project, row, context);
  };

  const must = async (name: string, context: CallContext): Promise<Server> =>
    (await surely(project, () => project.find('server', name, context))) ?? gone(name);

  /** Waits for what this process began, and tells why a server came to nothing. */
  async function begun(row: Server, context: CallContext): Promise<void> {
    const actions = underWay.get(row.id);
    if (!actions) return;
    const name = nameIn(row.labels);
    try {
      await project.actions.finished(actions, { what: 'make the server', on: name, signal: context.signal });
    } catch (error) {
      const failed = error instanceof ProvisioningError && 'vendor' in error;
      // Looking could not be done: what is under way goes on.
      if (!failed) throw error;
      underWay.delete(row.id);
      if (await project.find('server', name, context)) throw error;
      throw inputError({ ...error.details, hint: error.details.hint ?? 'try again later, or choose another plan or zone' });
    }
    underWay.delete(row.id);
  }

  const ensure = (wanted: ServerWanted, context: CreateContext & { access: Access }) =>
    project.ensure('server', wanted.name, context, async () => {
      const made = await makeServer(project, wanted, { ...context, signal: undefined });
      underWay.set(made.row.id, made.actions);
      return made.row;
    });

  const isReady = (row: Server) => row.status === 'running' && !row.locked && row.private_net.length > 0;

  return {
    read,
    diff: diffServer,

    async list(context) {
      const { scope, signal } = context;
      signal?.throwIfAborted();
      const rows = await project.list('server', selector(scope, 'server'), { what: 'list the servers', on: scope.infra, signal });
      const there = rows.filter(({ status }) => status !== 'deleting');
      const found = await Promise.all(there.map((row) => describe(project, row, context)));
      return found.sort((a, b) => a.name.localeCompare(b.name));
    },

    async create(wanted, context) {
      const { uuid } = context.scope;
      making.set(uuid, (making.get(uuid) ?? 0) + 1);
      try {
        const row = await orNothing({
          make: () => ensure(wanted, context),
          takeAway: () => takeAway(project, wanted, { ...context, signal: undefined }, () => making.get(uuid) === 1),
          pause: sleep,
        });
        return await describe(project, row, context);
      } finally {
        making.set(uuid, (making.get(uuid) ?? 1) - 1);
        if (making.get(uuid) === 0) making.delete(uuid);
      }
    },

    async ready(name, context) {
      let off = 0;
      for (let pause = project.pollMs; ; pause = Math.min(LONGEST * project.pollMs, pause * 1.3)) {
        const row = await must(name, context);
        if (isReady(row)) return describe(project, row, context);
        context.beat?.(row.status === 'running' ? 'Wait for its network' : 'Wait for its start');
        if (underWay.has(row.id)) {
          await begun(row, context);
          continue;
        }
        off = row.status === 'off' ? off + 1 : 0;
        if (off >= LOOKS_OFF) await powerOn(project, row, context);
        await sleep(pause, undefined, { signal: context.signal });
      }
    },

    async update(wanted, context) {
      const row = await must(wanted.name, context);
      const free = await unlocked(project, row, context);
      await changeServer(project, free, await describe(project, free, context), wanted, context);
      return (await read(wanted.name, context)) ?? gone(wanted.name);
    },

    async delete(name, context) {
      const row = await project.ours('server', name, context);
      const about = { what: 'delete the server', on: name, signal: context.signal };
      if (row) {
        await unlocked(project, row, context);
        const answer = await project.api.remove(z.object({ action: action.optional() }), `servers/${row.id}`, about);
        await project.actions.finished([answer?.action], about);
        underWay.delete(row.id);
      }
      for (const volume of await project.volumesOf(name, context)) await removeVolume(project, volume, context);
      await removeHelpers(project, name, context, context.replaced);
      if (!context.replaced) await tidy(project, row, context);
    },

    async power(name, verb, context): Promise<ServerFound> {
      const row = await unlocked(project, await must(name, context), context);
      if (verb !== 'start') await powerOff(project, row, context);
      if (verb !== 'stop') {
        const now = await must(name, context);
        if (now.status !== 'running') await powerOn(project, now, context);
      }
      return (await read(name, context)) ?? gone(name);
    },
  };
}

function gone(name: string): never {
  throw inputError({ code: 'server-gone', what: 'use the server', on: name, why: 'the project no longer has it' });
}
