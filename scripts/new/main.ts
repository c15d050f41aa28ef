/** `npm run new KIND NAME`: creates a working example to adapt. */
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execaSync } from 'execa';
import { inputError, ProvisioningError } from '../../core/errors.js';
import { updateLists } from '../module-lists.js';
import { createCommand } from './command.js';
import { createMethod } from './method.js';
import { createModule } from './modules.js';
import { nextSteps } from './next-steps.js';
import { createWorkflow, WORKFLOW_LISTS } from './workflow.js';

const KINDS = {
  taskserv: (root: string, name?: string) => createModule(root, 'taskserv', name),
  provider: (root: string, name?: string) => createModule(root, 'provider', name),
  method: createMethod,
  command: createCommand,
  workflow: createWorkflow,
};
export type Kind = keyof typeof KINDS;

/**
 * Creates the files of a new thing under `root` and returns their paths.
 *
 * @throws ProvisioningError (input) for an unknown kind, an invalid name, or an existing folder or file
 */
export async function create(root: string, kind: string | undefined, ...rest: string[]): Promise<string[]> {
  if (kind !== undefined && Object.hasOwn(KINDS, kind)) return KINDS[kind as Kind](root, ...(rest as [string?, string?]));
  const kinds = Object.keys(KINDS);
  const why =
    kind === undefined
      ? 'nothing is said of what to create'
      : `"${kind}" is not a kind that can be created, only ${kinds.join(', ')}`;
  throw inputError({ code: 'unknown-kind', what: 'create anything', why, hint: `npm run new ${kinds.join('|')} NAME` });
}

async function main(root: string, [kind, name, ...more]: string[]): Promise<void> {
  try {
    const paths = (await create(root, kind, ...[name ?? [], more].flat())).map((path) => relative(root, path));
    // Line breaks and the order of imports depend on the name.
    execaSync({ cwd: root, preferLocal: true, stdio: 'ignore' })`biome check --write ${paths}`;
    for (const path of paths) console.log(`${LISTS.includes(path) ? 'changed' : 'created'} ${path}`);
    // Commands need no generated files.
    if (kind !== 'command') execaSync({ cwd: root, preferLocal: true, stdio: 'inherit' })`tsx scripts/generate/main.ts`;
    if (kind === 'taskserv' || kind === 'provider') for (const page of await updateLists(root)) console.log(`updated ${page}`);
    console.log(nextSteps(kind as Kind, name as string));
  } catch (error) {
    if (!(error instanceof ProvisioningError)) throw error;
    console.error(`${error.message}\n  ${error.details.hint}`);
    process.exitCode = 2;
  }
}

const LISTS = ['cli/commands.ts', ...WORKFLOW_LISTS];

if (process.argv[1] === fileURLToPath(import.meta.url))
  await main(fileURLToPath(new URL('../..', import.meta.url)), process.argv.slice(2));
