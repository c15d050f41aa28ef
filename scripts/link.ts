/**
 * `npm run -s link`: links `provisioning` of this checkout into ~/.local/bin or the given folder, so that it is on the
 * PATH.
 */
import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
  unlinkSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inputError, ProvisioningError } from '../core/errors.js';

const NAME = 'provisioning';

interface Wish {
  /** The checkout. */
  root: string;
  /** Folder for the link. */
  folder: string;
  /** Value of the variable `PATH`. */
  path: string;
}

/**
 * Links the program into a folder.
 *
 * @returns the messages, one per line
 * @throws ProvisioningError (input) `exists` if another file has the name, `not-built`
 */
export function link({ root, folder, path }: Wish): string[] {
  const program = join(root, 'bin/provisioning.js');
  const place = join(folder, NAME);
  const refuse = (code: string, why: string, hint: string) => inputError({ code, what: 'link the program', on: place, why, hint });
  if (!existsSync(join(root, 'dist/cli.js'))) throw refuse('not-built', 'this checkout is not built', 'npm ci');
  const there = foundAt(place);
  if (there !== undefined && !leadsTo(place, program))
    throw refuse(
      'exists',
      `there is ${there} already, which is not of this checkout`,
      `see what it is, and remove it: rm '${place}'`,
    );
  if (there === undefined) {
    mkdirSync(folder, { recursive: true });
    symlinkSync(program, place);
  }
  const first = path
    .split(delimiter)
    .map((one) => join(one, NAME))
    .find(isProgram);
  return [
    `${there === undefined ? 'linked' : 'linked already'}: ${place} -> ${program}`,
    ...pathHints(folder, path, first, program),
  ];
}

/**
 * Removes the link if it leads to this checkout.
 *
 * @throws ProvisioningError (input) `exists` if it does not
 */
export function unlink({ root, folder }: Omit<Wish, 'path'>): string[] {
  const place = join(folder, NAME);
  const there = foundAt(place);
  if (there === undefined) return [`not linked: ${place}`];
  if (!leadsTo(place, join(root, 'bin/provisioning.js')))
    throw inputError({ code: 'exists', what: 'remove the link', on: place, why: `it is ${there}, which is not of this checkout` });
  unlinkSync(place);
  return [`removed: ${place}`];
}

/** Returns the existing file with the name, including broken links. */
function foundAt(place: string): string | undefined {
  const found = lstatSync(place, { throwIfNoEntry: false });
  if (!found) return undefined;
  return found.isSymbolicLink() ? `a link to ${readlinkSync(place)}` : found.isDirectory() ? 'a folder' : 'a file';
}

const leadsTo = (place: string, program: string): boolean =>
  lstatSync(place).isSymbolicLink() && existsSync(place) && realpathSync(place) === realpathSync(program);

function isProgram(place: string): boolean {
  try {
    accessSync(place, constants.X_OK);
    return lstatSync(realpathSync(place)).isFile();
  } catch {
    return false;
  }
}

/** Returns hints on what else a shell needs to find the program. */
function pathHints(folder: string, path: string, first: string | undefined, program: string): string[] {
  if (!path.split(delimiter).includes(folder))
    return [
      `${folder} is not on PATH: add this to ~/.profile or ~/.bashrc, and open a new shell:`,
      `  export PATH="${folder}:$PATH"`,
    ];
  if (first !== undefined && realpathSync(first) !== realpathSync(program)) return [`but a shell finds ${first} first, on PATH`];
  return [`try: ${NAME} help`, `to complete words with the tab key: eval "$(${NAME} completion bash)"`];
}

function main(args: readonly string[]): void {
  const remove = args.includes('--remove');
  const [named] = args.filter((arg) => arg !== '--remove');
  const folder = resolve(named ?? join(homedir(), '.local/bin'));
  const root = fileURLToPath(new URL('..', import.meta.url));
  try {
    const lines = remove ? unlink({ root, folder }) : link({ root, folder, path: process.env.PATH ?? '' });
    console.log(lines.join('\n'));
  } catch (error) {
    if (!(error instanceof ProvisioningError)) throw error;
    console.error([error.message, ...(error.details.hint ? [`  ${error.details.hint}`] : [])].join('\n'));
    process.exitCode = 2;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main(process.argv.slice(2));
