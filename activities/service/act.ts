import { beatWhile } from '../beating.js';
import type { Dependencies } from '../dependencies.js';
import { checkGrant, readCurrentGrant } from '../fence.js';
import type { ActResult, HostOf, Work } from '../host/host.js';
import { type ActInput, createBring } from './bring.js';
import type { OwnAmong } from './own-modules.js';
import { createGiveShares } from './shares/shares.js';

type ActDependencies = { hostOf: HostOf; ownAmong: OwnAmong } & Pick<
  Dependencies,
  'blobs' | 'artifacts' | 'needsPublicAddresses' | 'secrets' | 'providers'
>;

/** Runs decided steps on one host, or undoes them. */
export function createAct(shared: ActDependencies) {
  const { hostOf } = shared;
  const bring = createBring(shared);
  const giveShares = createGiveShares(shared);
  return {
    /** Does the steps of one unit. Attaches where they are being done already. */
    async act(input: ActInput): Promise<ActResult> {
      await bring(input);
      const shares = await beatWhile(() => giveShares(input));
      if (!shares) return hostOf(input).run(workOf(input));
      const work = { ...workOf(input), shares: shares.values };
      const result = await hostOf(input)
        .run(work)
        .catch(async (error: unknown) => {
          await beatWhile(() => shares.spend(error));
          throw error;
        });
      return { ...result, ...(shares.made > 0 && { made: shares.made }) };
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
