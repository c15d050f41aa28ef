import type { Dependencies } from '../dependencies.js';
import { checkGrant, readCurrentGrant } from '../fence.js';
import type { ActResult, HostOf, Work } from '../host/host.js';
import { type ActInput, createBring } from './bring.js';

/** Runs decided steps on one host, or undoes them. */
export function createAct(shared: { hostOf: HostOf } & Pick<Dependencies, 'blobs' | 'artifacts' | 'needsPublicAddresses'>) {
  const { hostOf } = shared;
  const bring = createBring(shared);
  return {
    /** Does the steps of one unit. Attaches where they are being done already. */
    async act(input: ActInput): Promise<ActResult> {
      await bring(input);
      return hostOf(input).run(workOf(input));
    },

    /** Undoes the work of `act`, backwards. Does nothing if nothing was begun. Refused: `journal-gone`. */
    undo: (input: ActInput): Promise<ActResult> => hostOf(input).undo(workOf(input)),
  };
}

function workOf({ operation, taskserv, generation, steps, secrets, pauses, begun, keep, brings }: ActInput): Work {
  const grant = readCurrentGrant();
  return {
    ...{ operation, taskserv, generation, steps },
    ...(grant === undefined ? {} : { grant, stillHolds: checkGrant() }),
    ...(secrets === undefined ? {} : { secrets }),
    ...(pauses === undefined ? {} : { pauses }),
    ...(begun === undefined ? {} : { begun }),
    ...(keep === undefined ? {} : { keep }),
    ...(brings === undefined ? {} : { brings }),
  };
}
