import type { Backup, ProviderConnection } from '../../sdk/index.js';
import { throwGone } from './errors.js';
import { ask, effect } from './store/calls.js';
import { ownOf } from './store/ownership.js';
import { type DemoBackup, idOf, note } from './store/state.js';
import type { DemoStore } from './store/store.js';

const describe = ({ name, volume, at }: DemoBackup): Backup => ({ id: name, volume, since: at });

/** Creates the verbs for backups of volumes, of which only the name is stored. */
export function backupVerbs(store: DemoStore): NonNullable<ProviderConnection['backups']> {
  return {
    list: ({ scope, signal }) =>
      ask(store, { verb: 'backups.list', name: scope.infra, signal }, ({ backups }) => ownOf(backups, scope).map(describe)),
    create: (volume, { scope, key, signal }) =>
      effect(store, { verb: 'backups.create', name: volume, signal }, (state, touch) => {
        const known = ownOf(state.backups, scope).find((one) => one.volume === volume && one.key === key);
        if (known) return describe(known);
        if (state.volumes[idOf(scope, volume)]?.scope.uuid !== scope.uuid) throw throwGone('volume', volume);
        const name = idOf(scope, `${volume}/${key}`);
        touch('backups', name);
        const made = { name, volume, scope, key, at: new Date().toISOString() };
        state.backups[name] = made;
        note(state, 'backups.create', volume, key);
        return describe(made);
      }),
    delete: (id, { scope, signal }) =>
      effect(store, { verb: 'backups.delete', name: id, signal }, (state, touch) => {
        const found = state.backups[id];
        if (found?.scope.uuid !== scope.uuid) return;
        touch('backups', id);
        delete state.backups[id];
        note(state, 'backups.delete', id, found.key);
      }),
  };
}
