import { type RegistriesWithOwn, registriesFor } from '../../app/modules/with-own-modules.js';
import { problemText } from '../../definition/source/problem.js';
import type { Session } from '../session.js';

/** All taskservs that definitions of this workspace may name. What is wrong with a module is said beside the answer. */
export async function ownAndBuiltIn(session: Session): Promise<RegistriesWithOwn> {
  const found = await registriesFor(session);
  for (const problem of found.problems) session.note(`warning: ${problemText(problem)}`);
  return found;
}
