import * as z from 'zod';
import { inputError } from '../../core/errors.js';
import { ALLOWED_ENV, isAllowed } from './allowed.js';
import type { GivenKind } from './given-kind.js';

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/;

/**
 * `{ env: NAME }`: a variable of the submitting process. An environment holds credentials of all kinds, and the
 * definition may be untrusted. It gets only the variables that the user lists.
 */
export const envReference: GivenKind<{ env: string }> = {
  form: '{ env: NAME }',
  keys: ['env'],
  shape: z.strictObject({
    env: z.string({ error: 'the name of the variable is missing' }).regex(NAME, { error: 'this is not the name of a variable' }),
  }),
  async read({ env: name }, { context: { env } }) {
    const bad = (why: string, hint: string) =>
      inputError({ code: 'given-refused', what: 'read the variable', on: name, why, hint });
    if (!isAllowed(env, ALLOWED_ENV, name)) throw bad('definitions may not read it', `${ALLOWED_ENV}=${name}, comma-separated`);
    const value = env[name];
    if (!value) throw bad('it is not set, or empty', `set ${name} where you run this`);
    return value;
  },
};
