import { thisHostRefused } from '../../../core/definition/this-host.js';
import type { Dependencies } from '../../dependencies.js';
import type { Host, HostRef } from '../host.js';
import { scriptHost } from '../script/script-host.js';
import { thisMachine } from './this-machine.js';

/** The machine of the worker, where its operator lets definitions name it; by default not. */
export function thisMachineHosts(dependencies: Parameters<typeof scriptHost>[1] & Pick<Dependencies, 'allowsThisHost'>) {
  const { allowsThisHost = async () => false } = dependencies;
  return ({ scope, server }: HostRef): Host => {
    const open = async () => {
      if (await allowsThisHost()) return thisMachine;
      throw thisHostRefused(server);
    };
    const { access, ...verbs } = scriptHost({ scope, server, open }, dependencies);
    return {
      ...verbs,
      // It runs, and needs no login.
      access: { ...access, firstContact: async () => {}, takeFirstSeen: () => undefined, forget: () => {} },
    };
  };
}
