import type { OwnedThing } from '../../../sdk/index.js';
import { ask } from '../store/calls.js';
import { type DemoState, type DemoThing, idOf } from '../store/state.js';
import type { DemoStore } from '../store/store.js';

/** Lists all resources of a workspace in the account, by infra and name. */
export function listOwned(store: DemoStore, workspace: string, signal?: AbortSignal): Promise<OwnedThing[]> {
  return ask(store, { verb: 'owned.list', name: workspace, signal }, (state) =>
    [
      ...rowsOf(state, 'server', state.servers),
      ...rowsOf(state, 'network', state.networks),
      ...rowsOf(state, 'volume', state.volumes),
      ...Object.entries(state.others).flatMap(([id, other]) => rowsOf(state, other.kind, { [id]: other })),
    ].filter(({ scope }) => scope.workspace === workspace),
  );
}

function rowsOf({ effects }: DemoState, kind: OwnedThing['kind'], table: Record<string, DemoThing>): OwnedThing[] {
  return Object.values(table).map(({ name, scope, key }) => {
    // A volume is created with its server, and has no separate effect.
    const made = effects.findLast((effect) => effect.key === key && /create$|update$/.test(effect.verb));
    return { kind, name, id: idOf(scope, name), scope, key, ...(made ? { since: made.at } : {}) };
  });
}
