import { inputError, type ProvisioningError } from '../../core/errors.js';

/** Refuses a cursor. It names nothing of it: a cursor is data of a stranger. */
export const badCursor = (why: string): ProvisioningError =>
  inputError({
    code: 'bad-cursor',
    what: 'continue after the cursor',
    why,
    hint: 'begin again without `after`',
  });
