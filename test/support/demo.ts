import { pathOf } from '../../providers/demo/config.js';
import { configureDemo, meddleWithDemo, readDemo } from '../../providers/demo/store/account.js';
import { type DemoState, emptyState } from '../../providers/demo/store/state.js';
import type { TestEngine } from './engine.js';

const NOTHING_SPECIAL = { latencyMs: {}, failures: [], recordCalls: false, unhealthy: [], limits: {} };

export type DemoAccount = ReturnType<typeof demoAccount>;

/** Returns the account that an engine's demo provider uses. */
export function demoAccount(engine: TestEngine) {
  const path = pathOf({ account: 'default' }, engine.env);
  return {
    read: (): Promise<DemoState> => readDemo(path),
    /** Settings that are not given are as in a new account. */
    behave: (settings: Parameters<typeof configureDemo>[1]) => configureDemo(path, { ...NOTHING_SPECIAL, ...settings }),
    /** Changes the account like a person in a cloud's console. */
    meddle: (change: (state: DemoState) => void) => meddleWithDemo(path, change),
    /** Resets the account: no resources, no recorded effects. */
    clear: () =>
      meddleWithDemo(path, (state) => void Object.assign(state, emptyState(), { notBefore: undefined, early: undefined })),
  };
}

/** Returns the existing resources, without the recorded effects. */
export const contentOf = ({ servers, networks, volumes }: DemoState) => ({
  servers: Object.keys(servers).sort(),
  networks: Object.keys(networks).sort(),
  volumes: Object.keys(volumes).sort(),
});

/** Returns the names of an infra's existing servers. */
export const serversIn = ({ servers }: DemoState, infra: string): string[] =>
  Object.keys(servers).flatMap((id) => (id.startsWith(`default/${infra}/`) ? [id.split('/')[2] as string] : []));

export const NOTHING = { servers: [], networks: [], volumes: [] };

/** Returns effects that happened more than once with the same key. */
export function doubled({ effects }: DemoState): string[] {
  const names = effects.map(({ verb, name, key }) => `${verb} ${name} ${key}`);
  return names.filter((name, index) => names.indexOf(name) !== index);
}

/**
 * Returns for each server the operations that changed it, in order. An operation that resumes after another one is
 * listed again.
 */
export function turnsOf({ effects }: DemoState): Record<string, string[]> {
  const turns: Record<string, string[]> = {};
  for (const { verb, name, key } of effects) {
    // These effects have the key of the resource's creation.
    if (verb.endsWith('.delete') || verb === 'host.undo') continue;
    const [server = '', operation = ''] = [name.split('/')[0], key.split('/')[0]];
    turns[server] ??= [];
    if (turns[server].at(-1) !== operation) turns[server].push(operation);
  }
  return turns;
}
