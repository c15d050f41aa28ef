import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import { type Outage, outageWords } from '../../core/infra/outage.js';
import { SEARCH_ATTRIBUTES, STORE_ATTENTION } from '../../core/names.js';
import { callNearOrQueued } from '../near-or-queued.js';

/**
 * Has it noted that a run of an entity begins with its state, before it answers anybody. A store that does not answer is
 * waited for.
 *
 * @param state what identifies the infra, and the number of its state; without a number: a new life
 * @param say receives what keeps it waiting
 * @returns the number of the state
 */
export const beginState = (
  state: { workspace: string; infra: string; sequence?: number },
  say: (outage: Outage | undefined) => void,
): Promise<number> =>
  callNearOrQueued('beginState', [state], {
    summary: 'Note the state',
    say(outage) {
      say(outage);
      upsertSearchAttributes({ [SEARCH_ATTRIBUTES.attention]: outage ? [STORE_ATTENTION] : [] });
      setCurrentDetails(outage ? outageWords(outage) : '');
    },
  });
