import { inputError } from '../../../core/errors.js';
import type { ActResult, Work } from '../host.js';

/**
 * Result of an undo without a journal. Throws the input error `journal-gone` if the operation says that steps were
 * begun: their effects stay.
 */
export function reportUnjournaled({ begun, server, taskserv }: Pick<Work, 'begun' | 'taskserv'> & { server: string }): ActResult {
  if (!begun) return { executed: 0, nothing: true };
  throw inputError({
    code: 'journal-gone',
    what: 'be undone',
    on: `${server}/${taskserv}`,
    why: 'its journal on the host is gone',
    hint: 'the machine was replaced, or its journal was removed: apply the definition that you want',
  });
}
