import { unknownEnvironment } from '../../../app/test-environments/unknown-environment.js';
import type { TestEnvironment } from '../../../core/environment/test-environment.js';
import { inputError } from '../../../core/errors.js';
import { NAME, NAME_RULE } from '../../../core/names.js';
import type { Session } from '../../program/session.js';

/**
 * Returns a test environment of the workspace.
 *
 * @throws inputError `unknown-environment`
 */
export async function environmentNamed(session: Session, name: string): Promise<TestEnvironment> {
  const all = await (await session.client()).testEnvironments.list({ workspace: session.workspace });
  const found = all.find(({ infra }) => infra === name);
  if (found) return found;
  throw unknownEnvironment(
    name,
    all.map(({ infra }) => infra),
  );
}

/**
 * Checks a name that the user chose.
 *
 * @throws inputError `bad-arguments`
 */
export function checkEnvironmentName(name: string): string {
  if (NAME.test(name)) return name;
  throw inputError({ code: 'bad-arguments', what: 'name the test environment', on: name, why: `use ${NAME_RULE}` });
}
