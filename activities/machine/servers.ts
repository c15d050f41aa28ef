import type { ServerSpec } from '../../core/definition/definition.js';
import { inputError } from '../../core/errors.js';
import type { InventoryNetwork } from '../../core/infra/inventory.js';
import type { CallContext, Scope } from '../../core/machine/call-context.js';
import type { Connection, ProviderConnection, WantedNetwork } from '../../core/machine/provider.js';
import type { KeyPair, KeyStore } from '../../stores/keys.js';
import type { Dependencies } from '../dependencies.js';
import type { HostOf } from '../host/host.js';
import { needsNoLogin } from '../host/hosts.js';
import { isKeyReplaced } from '../host/ssh/replace-host-key.js';
import { beat } from '../worked-time.js';
import { callContexts } from './call-context.js';
import type { ConnectionOf } from './provider-connections.js';

export interface ServerInput {
  scope: Scope;
  spec: Omit<ServerSpec, 'taskservs'>;
  /** Operation, step and generation. */
  key: string;
}

export interface DeleteServerInput {
  scope: Scope;
  server: string;
  provider: string;
  spec?: Pick<ServerSpec, 'host' | 'volumes'>;
  connection?: Connection;
  /** Its successor comes at once. */
  replaced?: true;
}

/** Makes, changes and deletes machines and networks, through their providers. */
export function createServerActivities({
  keys,
  rollbacks,
  taskQueue: setup,
  connectionOf,
  hostOf,
}: Pick<Dependencies, 'keys' | 'rollbacks' | 'taskQueue'> & { connectionOf: ConnectionOf; hostOf: HostOf }) {
  const callContext = callContexts(setup);

  return {
    /** Makes the machine, or adopts the one an earlier try made. Short: waiting is `serverReady`'s. */
    async createServer(input: ServerInput): Promise<{ id: string; connection: Connection; ready?: true }> {
      const { scope, spec, key } = input;
      const provider = await connectionOf(spec.provider);
      const noLogin = needsNoLogin(provider);
      const authorizedKey = noLogin ? '' : (await keys.infraKey(scope)).public;
      const hostKey =
        spec.host || noLogin ? { private: '', public: '' } : await newHostKey(keys, input, provider, callContext(scope));
      const made = await provider.servers.create(spec, {
        ...callContext(scope),
        key,
        beat: (what) => beat({ server: spec.name, step: what }),
        access: { authorizedKey, hostKey },
      });
      const ready = noLogin && made.status === 'running' ? { ready: true as const } : {};
      return { id: made.id, connection: made.connection, ...ready };
    },

    /** Changes in place what the provider can change in place. */
    async updateServer(input: ServerInput): Promise<{ id: string; connection: Connection }> {
      const provider = await connectionOf(input.spec.provider);
      await mustBeThere(input, provider, callContext(input.scope));
      const updated = await provider.servers.update(input.spec, { ...callContext(input.scope), key: input.key });
      return { id: updated.id, connection: updated.connection };
    },

    /** Ensures that the machine and its volumes are gone. An existing machine is only left: what was installed is removed before. */
    async deleteServer(input: DeleteServerInput): Promise<void> {
      const { scope, server, provider, spec, connection, replaced } = input;
      const host = connection && hostOf({ scope, server, provider, connection });
      if (spec?.host) {
        await host?.access.leave();
      } else {
        const { servers, volumes } = await connectionOf(provider);
        await servers.delete(server, { ...callContext(scope), ...(replaced && { replaced }) });
        for (const { name } of spec?.volumes ?? []) await volumes.delete(`${server}/${name}`, callContext(scope));
      }
      host?.access.forget();
      await keys.forget(scope, server);
    },

    async createNetwork({
      scope,
      provider,
      key,
      ...wanted
    }: WantedNetwork & { scope: Scope; provider: string; key: string }): Promise<Omit<InventoryNetwork, 'since'>> {
      const made = await (await connectionOf(provider)).networks.create(wanted, { ...callContext(scope), key });
      return { name: wanted.name, provider, id: made.id };
    },

    async deleteNetwork({ scope, name, provider }: { scope: Scope; name: string; provider: string }): Promise<void> {
      await (await connectionOf(provider)).networks.delete(name, callContext(scope));
    },

    /** Forgets the keys of an infra that is gone, and what its operations could be rolled back by. */
    async forgetKeys({ scope }: { scope: Scope }): Promise<void> {
      await keys.forget(scope);
      await rollbacks.drop({ workspace: scope.workspace, infra: scope.infra });
    },
  };
}

async function mustBeThere(
  { spec: { name, provider } }: ServerInput,
  connection: ProviderConnection,
  context: CallContext,
): Promise<void> {
  if (await connection.servers.read(name, context)) return;
  throw inputError({ code: 'server-gone', what: 'reach the server', on: name, why: `provider "${provider}" no longer has it` });
}

/** The key that a machine is made with. One that has replaced its own since keeps that, and needs none. */
async function newHostKey(
  keys: KeyStore,
  { scope, spec: { name } }: ServerInput,
  provider: ProviderConnection,
  context: CallContext,
): Promise<KeyPair> {
  if (await isKeyReplaced(keys, scope, name)) {
    if (await provider.servers.read(name, context)) return { private: '', public: (await keys.pinned(scope, name)) ?? '' };
    await keys.forget(scope, name);
  }
  return keys.hostKey(scope, name);
}
