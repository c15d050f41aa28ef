import { messageOf } from '../../core/errors.js';
import type { RefusedToken } from '../access/authenticate.js';
import type { CallRecords } from '../record-calls.js';

/**
 * Records tokens that are refused at the door of the API.
 *
 * @param address that the request came from
 * @param log takes a line if that cannot be recorded; the token is refused all the same
 */
export const recordSignIns =
  (records: Pick<CallRecords, 'noteOften'>, address: string | undefined, log: (line: string) => void) =>
  async ({ reason, token, actor }: RefusedToken): Promise<void> => {
    const event = {
      ...{ class: 'sign-ins' as const, method: 'sign-in', door: 'https' as const },
      ...{ decision: 'denied' as const, outcome: 'refused' as const, reason, code: 'bad-token' },
      ...(actor !== undefined && { actor }),
      ...(address !== undefined && { address }),
      ...(token !== undefined && { resource: `Token ${token}` }),
    };
    await records
      .noteOften(event)
      .catch((error: unknown) => log(JSON.stringify({ audit: `a refused token was not recorded: ${messageOf(error)}` })));
  };
