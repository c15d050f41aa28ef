import type { Definition } from '../core/definition/definition.js';
import { inputError } from '../core/errors.js';
import { changeDefinition, changesIn } from '../definition/change-definition.js';
import { secretNamesOf } from '../secrets/infra-secrets.js';
import type { Flags, OptionSpec } from './command.js';
import { definitionFrom, keepEnvironmentSecrets, registries, withSecrets } from './definition-file.js';
import { DefinitionError } from './failure.js';
import type { Session } from './session.js';

/** Options by which a retry gets other input. */
export const NEW_INPUT: readonly OptionSpec[] = [
  { flags: '--file <file>', about: 'go on with this definition, for what is not done yet' },
  { flags: '--set <changes>', about: 'change a configuration: SERVER/TASKSERV.KEY=VALUE, several divided by commas' },
];

/** The definition with which an operation is to go on; undefined where it is to go on as it was. */
export async function changedInput(session: Session, flags: Flags, operation: string): Promise<Definition | undefined> {
  const definition = await read(session, flags, operation);
  if (definition) await keepEnvironmentSecrets(session, definition);
  return definition;
}

async function read(session: Session, flags: Flags, operation: string): Promise<Definition | undefined> {
  if (flags.file && flags.set) {
    throw inputError({ code: 'bad-arguments', what: 'read the command line', why: '--file and --set exclude each other' });
  }
  if (flags.file) return definitionFrom(session, flags.file);
  if (!flags.set) return undefined;
  const client = await session.client();
  const { workspace, infra, definition } = await client.request(operation);
  const known = definition ?? (await client.inventory(workspace, infra))?.definition;
  if (!known) throw inputError({ code: 'nothing-applied', what: 'change the definition', on: infra, why: 'there is none' });
  const { taskservs, providers } = await registries();
  const secretNames = await withSecrets(session, (secrets) => secretNamesOf(secrets, workspace, session.env));
  const { definition: changed, problems } = changeDefinition(known, changesIn(flags.set), { taskservs, providers, secretNames });
  if (!changed) throw new DefinitionError('--set', problems);
  return changed;
}
