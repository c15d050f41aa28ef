/** `npm run new taskserv NAME`: a folder that works, to be changed into what is wanted. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inputError, ProvisioningError } from '../core/errors.js';
import { generate } from './generate-registry.js';
import { camelCase } from './names.js';

const TEMPLATES = join(import.meta.dirname, 'templates');
const KINDS = ['taskserv'] as const;
const USAGE = 'npm run new taskserv NAME';

/** What the name cannot be in TypeScript: words of the language, and what the template imports. */
const TAKEN = new Set(
  (
    'abstract as await break case catch class const continue debugger default delete do else enum export extends false ' +
    'finally for function if implements import in instanceof interface let new null package private protected public ' +
    'return static super switch this throw true try typeof var void while with yield eval arguments undefined ' +
    'z debian systemd upstreamVersion ensureNoPackage ensurePackage ensureService defineTaskserv config'
  ).split(' '),
);

/**
 * Makes the folder of a new taskserv under `root` and returns the paths of its files.
 *
 * @throws ProvisioningError (input) for a kind that is unknown, a name that cannot be, a folder that exists
 */
export function create(root: string, kind: string | undefined, name: string | undefined): string[] {
  const refuse = (code: string, why: string, hint: string) =>
    inputError({ code, what: `create the ${kind}`, on: `"${name}"`, why, hint });
  if (!KINDS.some((known) => known === kind)) {
    const why =
      kind === undefined
        ? 'nothing is said of what to create'
        : `"${kind}" is not a kind that can be created, only ${KINDS.join(', ')}`;
    throw inputError({ code: 'unknown-kind', what: 'create', why, hint: USAGE });
  }
  if (!name) throw inputError({ code: 'no-name', what: `create a ${kind}`, why: 'it has no name', hint: USAGE });
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) || name.length > 40) {
    throw refuse(
      'bad-name',
      'a name is at most 40 lower-case letters and digits, words joined by "-"',
      'for example node-exporter',
    );
  }
  if (TAKEN.has(camelCase(name)))
    throw refuse('bad-name', 'TypeScript or the template uses this word already', `for example ${name}-server`);
  const folder = join(root, `${kind}s`, name);
  if (existsSync(folder)) throw refuse('exists', `${kind}s/${name} is there already`, 'take another name, or edit that folder');

  const fill = (text: string) => text.replaceAll('__NAME__', name).replaceAll('__VARIABLE__', camelCase(name));
  const template = join(TEMPLATES, kind as string);
  return readdirSync(template, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.tmpl'))
    .sort()
    .map((path) => {
      const to = join(folder, path.replace(/\.tmpl$/, '').replace(/^definition\.ts$/, `${name}.ts`));
      mkdirSync(dirname(to), { recursive: true });
      writeFileSync(to, fill(readFileSync(join(template, path), 'utf8')));
      return to;
    });
}

const nextSteps = (name: string) => `
It installs the Debian package "${name}" and keeps the service "${name}" running. Next:
  1. taskservs/${name}/${name}.ts: description, category, versions (\`apt-cache policy ${name}\`), configuration, facts, plan, health
  2. taskservs/${name}/cases: one file for each situation; \`UPDATE_CASES=1 npx vitest run taskservs\` fills in the steps, for you to read; \`npm run format\` tidies them
  3. taskservs/${name}/README.md
  4. npx vitest run taskservs
No other file needs to change.`;

function main(root: string, [kind, name]: string[]): void {
  try {
    for (const path of create(root, kind, name)) console.log(`created ${path.slice(root.length)}`);
    generate(root);
    console.log(nextSteps(name as string));
  } catch (error) {
    if (!(error instanceof ProvisioningError)) throw error;
    console.error(`${error.message}\n  ${error.details.hint}`);
    process.exitCode = 2;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(fileURLToPath(new URL('..', import.meta.url)), process.argv.slice(2));
