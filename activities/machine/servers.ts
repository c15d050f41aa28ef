import { cancellationSignal, heartbeat } from '@temporalio/activity';
import type { ServerSpec } from '../../core/definition/definition.js';
import { jumpHostAt, jumpKeyName } from '../../core/definition/jump-host.js';
import { thisHostRefused } from '../../core/definition/this-host.js';
import { inputError } from '../../core/errors.js';
import { sh } from '../../core/host/shell.js';
import type { InventoryNetwork, InventoryServer } from '../../core/infra/inventory.js';
import type {
  Connection,
  NetworkWanted,
  ProviderConnection,
  Scope,
  ServerFound,
  ServerWanted,
} from '../../core/machine/provider.js';
import type { MachinePlan, ServerChange } from '../../core/operation/machine-plan.js';
import type { Dependencies } from '../dependencies.js';
import { HOST_STATE } from '../host/paths.js';
import { firstContact } from '../host/ssh/first-contact.js';
import { isKeyReplaced, replaceHostKey } from '../host/ssh/replace-host-key.js';
import { sayFirstSeen } from '../host/ssh/say-first-seen.js';
import { SHORT_MS } from '../host/time-limits.js';
import { claimScript, ownerMark, refuseForeign, targetOf } from '../service/looks.js';
import type { ConnectionOf } from './provider-connections.js';
import { volumesGrown } from './volumes-grown.js';

export interface PlanServersInput {
  scope: Scope;
  ensure: Omit<ServerSpec, 'taskservs'>[];
  /** From the inventory: servers to be taken away. */
  remove: Pick<InventoryServer, 'name' | 'provider' | 'spec'>[];
}

export interface ServerInput {
  scope: Scope;
  spec: Omit<ServerSpec, 'taskservs'>;
  /** Operation, step and generation. */
  key: string;
}

/** The networks that servers are in, each with what is said of it. */
function networksOf(servers: PlanServersInput['ensure']): (NetworkWanted & { provider: string })[] {
  const networks = new Map<string, NetworkWanted & { provider: string }>();
  for (const { host, network: name, provider, networkRange: range, existingNetwork: existing, zone } of servers) {
    const key = `${provider}/${name}`;
    if (host || networks.has(key)) continue;
    networks.set(key, {
      name,
      provider,
      ...(range ? { range } : {}),
      ...(existing ? { existing } : {}),
      ...(zone ? { zone } : {}),
    });
  }
  return [...networks.values()];
}

const wantedOf = (spec: Omit<ServerSpec, 'taskservs'>): ServerWanted => spec;

/** What an existing machine needs. One that does not run is started, whatever else differs. */
function changeOf(provider: ProviderConnection, spec: Omit<ServerSpec, 'taskservs'>, there: ServerFound): ServerChange {
  const { id, connection, status, volumes, devices } = there;
  const disks = devices ? { devices } : {};
  refuseToShrink(provider, spec, there);
  const diff = provider.servers.diff(wantedOf(spec), there);
  const changes = diff.action === 'noop' ? [] : diff.changes;
  if (diff.action === 'replace') return { server: spec.name, action: 'replace', changes, volumes, id, connection };
  if (status === 'stopped')
    return {
      server: spec.name,
      action: 'update',
      changes: changes.length > 0 ? changes : ['start it'],
      volumes: [],
      id,
      stopped: true,
    };
  return { server: spec.name, action: diff.action, changes, volumes: [], id, connection, ...disks };
}

function refuseToShrink(
  provider: ProviderConnection,
  { name, volumes }: Pick<ServerSpec, 'name' | 'volumes'>,
  found: ServerFound,
): void {
  const [smaller] = volumesGrown(provider, volumes, found);
  if (!smaller) return;
  const { volumeSizes = {} } = found;
  throw inputError({
    code: 'volume-shrinks',
    what: 'change the server',
    on: name,
    why: `its volume "${smaller.name}" has ${volumeSizes[smaller.name]} GiB and would have ${smaller.sizeGiB} GiB; a volume only grows`,
    hint: `write size: ${volumeSizes[smaller.name]} GiB, or give the smaller one another name: the former is then deleted with its data`,
  });
}

/** Looks at, makes, changes and deletes machines and networks, through their providers. */
export function createServerActivities({
  keys,
  logs,
  transports,
  taskQueue: setup,
  allowsThisHost = async () => false,
  connectionOf,
}: Dependencies & { connectionOf: ConnectionOf }) {
  const callContext = (scope: Scope) => ({ scope, setup, signal: cancellationSignal() });

  async function found(name: string, { scope, spec }: ServerInput, provider: ProviderConnection) {
    const server = await provider.servers.read(name, callContext(scope));
    if (!server)
      throw inputError({
        code: 'server-gone',
        what: 'reach the server',
        on: name,
        why: `provider "${spec.provider}" no longer has it`,
      });
    return server;
  }

  /** The key that a machine is made with. One that has replaced its own since keeps that, and needs none. */
  async function newHostKey({ scope, spec: { name } }: ServerInput, provider: ProviderConnection) {
    if (await isKeyReplaced(keys, scope, name)) {
      if (await provider.servers.read(name, callContext(scope)))
        return { private: '', public: (await keys.pinned(scope, name)) ?? '' };
      await keys.forget(scope, name);
    }
    return keys.hostKey(scope, name);
  }

  /** One that was there already is not ours to be found. */
  async function isMissing(wanted: NetworkWanted, provider: string, scope: Scope): Promise<boolean> {
    if (wanted.existing !== undefined) return false;
    const { networks } = await connectionOf(provider);
    const there = await networks.read(wanted.name, callContext(scope));
    const diff = there && networks.diff(wanted, there);
    if (diff && diff.action !== 'noop')
      throw inputError({
        code: 'network-differs',
        what: 'change the network',
        on: wanted.name,
        why: `it is there, and cannot be changed: ${diff.changes.join(', ')}`,
        hint: 'put its servers into a network of another name, or leave its range as it is',
      });
    return there === undefined;
  }

  /** A host key that the definition says counts before the first connection, and against the one seen before. */
  async function pinWritten(scope: Scope, { name, host }: ServerInput['spec']): Promise<void> {
    if (host?.kind !== 'ssh') return;
    if (host.hostKey) await keys.pin(scope, name, host.hostKey);
    const jump = host.jump && host.jumpHostKey ? jumpHostAt(host.jump, host.user) : undefined;
    if (jump && host.jumpHostKey) await keys.pin(scope, jumpKeyName(jump), host.jumpHostKey);
  }

  return {
    /** Compares what is wanted with what each provider has; changes nothing. */
    async planServers({ scope, ensure, remove }: PlanServersInput): Promise<MachinePlan> {
      const here = ensure.find(({ host }) => host?.kind === 'this');
      if (here && !(await allowsThisHost())) throw thisHostRefused(here.name);
      const servers: ServerChange[] = [];
      const listed = new Map<string, Map<string, ServerFound>>();
      const managed = ensure.filter(({ host }) => !host);
      // One server is asked for by name: a list of all would cost each of many operations the same again.
      for (const provider of new Set(managed.length > 1 ? managed.map(({ provider }) => provider) : [])) {
        const found = await (await connectionOf(provider)).servers.list(callContext(scope));
        listed.set(provider, new Map(found.map((server) => [server.name, server])));
      }
      for (const spec of ensure) {
        if (spec.host) {
          await pinWritten(scope, spec);
          const made = await (await connectionOf(spec.provider)).servers.create(wantedOf(spec), {
            ...callContext(scope),
            key: 'look',
            access: { authorizedKey: '', hostKey: { private: '', public: '' } },
          });
          servers.push({ server: spec.name, action: 'adopt', changes: [], volumes: [], connection: made.connection, id: made.id });
          continue;
        }
        const provider = await connectionOf(spec.provider);
        const there = listed.get(spec.provider)?.get(spec.name) ?? (await provider.servers.read(spec.name, callContext(scope)));
        servers.push(there ? changeOf(provider, spec, there) : { server: spec.name, action: 'create', changes: [], volumes: [] });
      }
      for (const { name, spec } of remove) {
        servers.push({
          server: name,
          action: 'delete',
          changes: [],
          volumes: spec.host ? [] : spec.volumes.map((volume) => volume.name),
        });
      }
      const networks = [];
      for (const { provider, ...network } of networksOf(ensure)) {
        networks.push({ ...network, provider, missing: await isMissing(network, provider, scope) });
      }
      return { servers, networks };
    },

    /** Makes the machine, or adopts the one an earlier try made. Short: waiting is `serverReady`'s. */
    async createServer(input: ServerInput): Promise<{ id: string; connection: Connection; ready?: true }> {
      const { scope, spec, key } = input;
      const provider = await connectionOf(spec.provider);
      // Nobody logs in to a simulated host.
      const authorizedKey = provider.host ? '' : (await keys.infraKey(scope)).public;
      const hostKey = spec.host || provider.host ? { private: '', public: '' } : await newHostKey(input, provider);
      const made = await provider.servers.create(wantedOf(spec), {
        ...callContext(scope),
        key,
        access: { authorizedKey, hostKey },
      });
      // A simulated host that runs is one that lets us in.
      const ready = provider.host && made.status === 'running' ? { ready: true as const } : {};
      return { id: made.id, connection: made.connection, ...ready };
    },

    /** Waits until the machine lets us in by SSH, with the pinned host key, and has finished its first boot. */
    async serverReady(
      input: ServerInput & { connection?: Connection },
    ): Promise<{ id: string; connection: Connection; devices?: Record<string, string>; hostKey?: string }> {
      const { scope, spec } = input;
      const provider = await connectionOf(spec.provider);
      const beat = (what: string) => heartbeat({ server: spec.name, step: what });
      const ready: Pick<ServerFound, 'id' | 'connection' | 'devices'> =
        spec.host && input.connection
          ? { id: `host:${spec.name}`, connection: input.connection }
          : await provider.servers.ready(spec.name, { ...callContext(scope), beat });
      const target = targetOf({ scope, server: spec.name, connection: ready.connection });
      if (spec.host) {
        beat('Log in');
        const transport = await transports.open(target);
        const { stdout } = await transport.exec(claimScript(scope), { signal: cancellationSignal(), limitMs: SHORT_MS });
        refuseForeign({ scope, server: spec.name, connection: ready.connection }, stdout.trim() || undefined);
      } else if (ready.connection.kind !== 'demo') {
        const console = async () => provider.console?.(spec.name, callContext(scope));
        await firstContact({ transports, target, beat, console, signal: cancellationSignal() });
        await replaceHostKey({ keys, transports, target, beat, signal: cancellationSignal() });
      }
      const { id, connection, devices } = ready;
      const hostKey = await sayFirstSeen(transports, logs, { scope, server: spec.name, connection });
      return { id, connection, ...(devices ? { devices } : {}), ...(hostKey ? { hostKey } : {}) };
    },

    /** Changes in place what the provider can change in place. */
    async updateServer(input: ServerInput): Promise<{ id: string; connection: Connection }> {
      const provider = await connectionOf(input.spec.provider);
      await found(input.spec.name, input, provider);
      const updated = await provider.servers.update(wantedOf(input.spec), { ...callContext(input.scope), key: input.key });
      return { id: updated.id, connection: updated.connection };
    },

    /** Ensures that the machine and its volumes are gone. An existing machine is only left: what was installed is removed before. */
    async deleteServer({
      scope,
      server,
      provider,
      spec,
      connection,
      replaced,
    }: {
      scope: Scope;
      server: string;
      provider: string;
      spec?: Pick<ServerSpec, 'host' | 'volumes'>;
      connection?: Connection;
      /** Its successor comes at once. */
      replaced?: true;
    }): Promise<void> {
      if (spec?.host) {
        if (connection) {
          const transport = await transports.open(targetOf({ scope, server, connection }));
          // Only our own mark is removed: the host may have been taken over since.
          await transport.exec(
            sh`[ "$(cat ${HOST_STATE}/owner 2>/dev/null)" = ${ownerMark(scope)} ] && rm -rf ${HOST_STATE}; true`,
            { limitMs: SHORT_MS },
          );
        }
      } else {
        const { servers, volumes } = await connectionOf(provider);
        await servers.delete(server, { ...callContext(scope), ...(replaced && { replaced }) });
        for (const { name } of spec?.volumes ?? []) await volumes.delete(`${server}/${name}`, callContext(scope));
      }
      if (connection) transports.forget(targetOf({ scope, server, connection }));
      await keys.forget(scope, server);
    },

    async createNetwork({
      scope,
      provider,
      key,
      ...wanted
    }: NetworkWanted & { scope: Scope; provider: string; key: string }): Promise<Omit<InventoryNetwork, 'since'>> {
      const made = await (await connectionOf(provider)).networks.create(wanted, { ...callContext(scope), key });
      return { name: wanted.name, provider, id: made.id };
    },

    async deleteNetwork({ scope, name, provider }: { scope: Scope; name: string; provider: string }): Promise<void> {
      await (await connectionOf(provider)).networks.delete(name, callContext(scope));
    },

    /** Forgets the keys of an infra that is gone. */
    async forgetKeys({ scope }: { scope: Scope }): Promise<void> {
      await keys.forget(scope);
    },
  };
}
