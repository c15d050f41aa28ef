import { grantHolds, grantInHand } from '../fence.js';
import type { Acted, HostOf, HostRef, Work } from '../host/host.js';

export interface ActInput extends HostRef, Work {}

/** Runs decided steps on one host, or undoes them. */
export function createAct({ hostOf }: { hostOf: HostOf }) {
  return {
    /** Does the steps of one unit. Attaches where they are being done already. */
    act: (input: ActInput): Promise<Acted> => hostOf(input).run(workOf(input)),

    /** Undoes what `act` did, backwards. Where nothing was begun, nothing is done. Refused: `journal-gone`. */
    undo: (input: ActInput): Promise<Acted> => hostOf(input).undo(workOf(input)),
  };
}

function workOf({ operation, taskserv, generation, steps, secrets, pauses, begun, keep, brings }: ActInput): Work {
  const grant = grantInHand();
  return {
    ...{ operation, taskserv, generation, steps },
    ...(grant === undefined ? {} : { grant, stillHolds: grantHolds() }),
    ...(secrets === undefined ? {} : { secrets }),
    ...(pauses === undefined ? {} : { pauses }),
    ...(begun === undefined ? {} : { begun }),
    ...(keep === undefined ? {} : { keep }),
    ...(brings === undefined ? {} : { brings }),
  };
}
