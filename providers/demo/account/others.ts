import type { OtherKind, ProviderConnection, Scope, WantedServer } from '../../../sdk/index.js';
import { effect } from '../store/calls.js';
import type { Touch } from '../store/journal.js';
import { ownOf } from '../store/ownership.js';
import { type DemoState, idOf, note } from '../store/state.js';
import type { DemoStore } from '../store/store.js';

const otherId = (kind: OtherKind, scope: Scope, name: string) => `${kind}:${idOf(scope, name)}`;

/** Creates and removes the auxiliary resources of a server as wanted. */
export function keepOthers(
  state: DemoState,
  wanted: WantedServer,
  { scope, key }: { scope: Scope; key: string },
  touch: Touch,
): void {
  const { name, firewall, address, placement } = wanted;
  const put = (kind: OtherKind, own: string, there: boolean) => {
    const id = otherId(kind, scope, own);
    if (there === Object.hasOwn(state.others, id)) return;
    touch('others', id);
    if (there) state.others[id] = { kind, name: own, scope, key };
    else delete state.others[id];
  };
  put('firewall', name, firewall !== undefined);
  put('address', name, address !== undefined);
  if (placement !== undefined) put('placement', placement, true);
}

/** Removes the auxiliary resources of a deleted server. The address stays if the server is replaced. */
export function dropOthers(
  state: DemoState,
  server: { name: string; scope: Scope; placement?: string },
  replaced: boolean,
  touch: Touch,
): void {
  const { name, scope, placement } = server;
  const drop = (kind: OtherKind, own: string) => {
    const id = otherId(kind, scope, own);
    if (!Object.hasOwn(state.others, id)) return;
    touch('others', id);
    delete state.others[id];
  };
  drop('firewall', name);
  if (!replaced) drop('address', name);
  const shared = placement !== undefined && ownOf(state.servers, scope).some((one) => one.placement === placement);
  if (placement !== undefined && !shared) drop('placement', placement);
}

export function createOtherVerbs(store: DemoStore): NonNullable<ProviderConnection['others']> {
  return {
    delete: (kind, name, { scope, signal }) =>
      effect(store, { verb: 'others.delete', name, signal }, (state, touch) => {
        const id = otherId(kind, scope, name);
        const found = state.others[id];
        if (found?.scope.uuid !== scope.uuid) return;
        touch('others', id);
        delete state.others[id];
        note(state, 'others.delete', `${kind} ${name}`, found.key);
      }),
  };
}
