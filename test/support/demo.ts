import { pathOf } from '../../providers/demo/config.js';
import { configureDemo, meddleWithDemo, readDemo } from '../../providers/demo/store/account.js';
import { type DemoState, emptyState } from '../../providers/demo/store/state.js';
import type { TestEngine } from './engine.js';

const NOTHING_SPECIAL = { latencyMs: {}, failures: [], recordCalls: false, unhealthy: [], limits: {} };

export type DemoAccount = ReturnType<typeof demoAccount>;

/** The account that an engine's demo provider works on. */
export function demoAccount(engine: TestEngine) {
  const path = pathOf({ account: 'default' }, engine.env);
  return {
    read: (): Promise<DemoState> => readDemo(path),
    /** What is not given is as in a new account. */
    behave: (settings: Parameters<typeof configureDemo>[1]) => configureDemo(path, { ...NOTHING_SPECIAL, ...settings }),
    /** As somebody in a cloud's console would. */
    meddle: (change: (state: DemoState) => void) => meddleWithDemo(path, change),
    /** A new account, without anything that exists or happened. */
    clear: () =>
      meddleWithDemo(path, (state) => void Object.assign(state, emptyState(), { notBefore: undefined, early: undefined })),
  };
}

/** What exists, without what happened. */
export const contentOf = ({ servers, networks, volumes }: DemoState) => ({
  servers: Object.keys(servers).sort(),
  networks: Object.keys(networks).sort(),
  volumes: Object.keys(volumes).sort(),
});

/** Names of an infra's servers that exist. */
export const serversIn = ({ servers }: DemoState, infra: string): string[] =>
  Object.keys(servers).flatMap((id) => (id.startsWith(`default/${infra}/`) ? [id.split('/')[2] as string] : []));

export const NOTHING = { servers: [], networks: [], volumes: [] };

/** Effects that happened more often than once under the same key. */
export function doubled({ effects }: DemoState): string[] {
  const names = effects.map(({ verb, name, key }) => `${verb} ${name} ${key}`);
  return names.filter((name, index) => names.indexOf(name) !== index);
}

/** By server the operations that changed it, in their order; one that comes up again after another is named again. */
export function turnsOf({ effects }: DemoState): Record<string, string[]> {
  const turns: Record<string, string[]> = {};
  for (const { verb, name, key } of effects) {
    // These bear the key with which the thing was made.
    if (verb.endsWith('.delete') || verb === 'host.undo') continue;
    const [server = '', operation = ''] = [name.split('/')[0], key.split('/')[0]];
    turns[server] ??= [];
    if (turns[server].at(-1) !== operation) turns[server].push(operation);
  }
  return turns;
}
