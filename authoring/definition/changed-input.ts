import type { Definition } from '../../core/definition/definition.js';
import { inputError } from '../../core/errors.js';
import { loadModules } from '../../core/registry.js';
import { changeDefinition, changesIn } from '../../definition/change-definition.js';
import { keepModules } from '../bundle/keep-bundle.js';
import type { Context } from '../context.js';
import { resolveExternalValues } from '../given/with-given.js';
import { registriesFor } from '../modules/registries.js';
import { keepEnvironmentSecrets } from '../secrets/keep-environment.js';
import { readSecretNames } from '../secrets/secret-names.js';
import { DefinitionError } from './definition-error.js';
import { type InputFlags, sourceFrom } from './definitions.js';

/** New input of a retry: a definition file, or changes `SERVER/TASKSERV.KEY=VALUE`, comma-separated. */
export interface NewInput extends InputFlags {
  file?: string;
  set?: string;
}

/** Returns the definition with which an operation continues, or undefined if it continues unchanged. */
export async function readChangedInput(context: Context, input: NewInput, operation: string): Promise<Definition | undefined> {
  const definition = await read(context, input, operation);
  if (definition) {
    await keepEnvironmentSecrets(context, definition);
    await keepModules(await context.client(), definition, context.note);
  }
  return definition;
}

async function read(context: Context, input: NewInput, operation: string): Promise<Definition | undefined> {
  if (input.file && input.set) {
    throw inputError({ code: 'bad-arguments', what: 'read the command line', why: '--file and --set exclude each other' });
  }
  if (input.file) return resolveExternalValues(context, await sourceFrom(context, input.file, input));
  if (!input.set) return undefined;
  const client = await context.client();
  const { workspace, infra, definition } = await client.operations.request({ operation });
  const known = definition ?? (await client.infras.inventory({ workspace, infra }))?.definition;
  if (!known)
    throw inputError({
      code: 'nothing-applied',
      what: 'change the definition',
      on: infra,
      why: 'the infra has no applied definition',
    });
  const { taskservs: registry, providers } = await registriesFor(context);
  const placed = known.servers.flatMap(({ taskservs }) => taskservs.map(({ name }) => name));
  const taskservs = await loadModules(registry, placed);
  // The operation may belong to a workspace other than the current one.
  const secretNames = await readSecretNames(Object.create(context, { workspace: { value: workspace } }));
  const { definition: changed, problems } = changeDefinition(known, changesIn(input.set), { taskservs, providers, secretNames });
  if (!changed) throw new DefinitionError('--set', problems);
  return changed;
}
