import { type CreateContext, inputError, type ProviderConnection, type WantedServer } from '../../sdk/index.js';
import { ask, effect } from './store/calls.js';
import type { Touch } from './store/journal.js';
import { ownOf } from './store/ownership.js';
import { type DemoServer, type DemoState, idOf, note } from './store/state.js';
import type { DemoStore } from './store/store.js';

/** Returns the sizes of a server's volumes. */
export function sizesOf({ volumes }: DemoState, { name, scope, volumes: attached }: DemoServer): Pick<DemoServer, 'volumeSizes'> {
  const sizes = attached.flatMap((volume) => {
    const size = volumes[idOf(scope, `${name}/${volume}`)]?.sizeGiB;
    return size === undefined ? [] : [[volume, size] as const];
  });
  return sizes.length > 0 ? { volumeSizes: Object.fromEntries(sizes) } : {};
}

/** Creates missing volumes, and enlarges smaller ones. */
export function addVolumes(
  state: DemoState,
  { name: server, volumes }: WantedServer,
  { scope, key }: Pick<CreateContext, 'scope' | 'key'>,
  touch: Touch,
): void {
  for (const { name: own, sizeGiB } of volumes) {
    const name = `${server}/${own}`;
    touch('volumes', idOf(scope, name));
    state.volumes[idOf(scope, name)] = { name, scope, key, ...state.volumes[idOf(scope, name)], sizeGiB };
  }
}

/** Throws the input error `volume-shrinks`. */
export function refuseToShrink({ name, volumes }: WantedServer, { volumeSizes = {} }: DemoServer): void {
  const smaller = volumes.find((volume) => volume.sizeGiB < (volumeSizes[volume.name] ?? 0));
  if (!smaller) return;
  const why = `the volume "${smaller.name}" has ${volumeSizes[smaller.name]} GiB, and cannot shrink to ${smaller.sizeGiB} GiB`;
  throw inputError({ code: 'volume-shrinks', what: 'update the server', on: name, why });
}

/** Creates the verbs for the infra's volumes, named `<server>/<volume>`. */
export function volumeVerbs(store: DemoStore): ProviderConnection['volumes'] {
  return {
    list: ({ scope, signal }) =>
      ask(store, { verb: 'volumes.list', name: scope.infra, signal }, ({ volumes }) =>
        ownOf(volumes, scope).map(({ name }) => ({ name, id: idOf(scope, name) })),
      ),
    delete: (name, { scope, signal }) =>
      effect(store, { verb: 'volumes.delete', name, signal }, (state, touch) => {
        const volume = state.volumes[idOf(scope, name)];
        if (volume?.scope.uuid !== scope.uuid) return;
        touch('volumes', idOf(scope, name));
        delete state.volumes[idOf(scope, name)];
        note(state, 'volumes.delete', name, volume.key);
      }),
  };
}
