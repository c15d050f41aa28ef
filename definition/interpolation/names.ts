import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { findHiddenCharacter } from '../../core/text.js';
import { didYouMean } from '../source/did-you-mean.js';
import type { Path } from '../source/problem.js';
import { Fault, RAW_HINT } from './expression.js';

/** Values of names that are not variables. */
export interface Surroundings {
  definition: string;
  root: string;
  workspace: string;
  /** Variables of the environment that the definition lists. */
  listed: readonly string[];
  environ: Readonly<Record<string, string | undefined>>;
}

/**
 * How a name is looked up whose first part is this. Undefined: it has no value.
 *
 * @param rest the parts behind the second one: what is returned has at least what is there
 * @throws Fault
 */
export type Lookup = (name: string, rest: Path) => unknown;

/** Returns lookups by the first part of a name. `vars`, `infra` and `server` come with the definition. */
export function surroundings({ definition, root, workspace, listed, environ }: Surroundings): Record<string, Lookup> {
  const now = new Date();
  const one = (group: string, values: Record<string, () => unknown>): Lookup => {
    return (name) => {
      const value = Object.hasOwn(values, name) ? values[name] : undefined;
      if (!value) throw new Fault(`there is no "${group}.${name}"`, didYouMean(name, Object.keys(values)));
      return value();
    };
  };
  return {
    env: (name) => variableOf(name, listed, environ),
    paths: one('paths', { base: () => resolve(root), definition: () => dirname(resolve(definition)) }),
    now: one('now', { date: () => now.toISOString().slice(0, 10) }),
    git: one('git', { branch: () => branchOf(dirname(resolve(definition))) }),
    workspace: one('workspace', { name: () => workspace }),
  };
}

/** Finds what the first part of a name stands for. */
export function findLookup(lookups: Readonly<Record<string, Lookup>>, group: string): Lookup {
  const lookup = Object.hasOwn(lookups, group) ? lookups[group] : undefined;
  if (lookup) return lookup;
  const near = didYouMean(group, Object.keys(lookups));
  throw new Fault(`there is no "${group}"`, [near, RAW_HINT].filter(Boolean).join('; '));
}

/** Our own variables, keys among them, and those that hold credentials by their names: `HCLOUD_TOKEN`, `PGPASSWORD`. */
const SECRET = /^(PROVISIONING|TEMPORAL)_|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|(^|_)KEYS?($|_)|API_?KEY/i;

function variableOf(name: string, listed: readonly string[], environ: Surroundings['environ']): string | undefined {
  if (!listed.includes(name)) {
    const near = listed.length === 0 ? undefined : didYouMean(name, listed);
    throw new Fault(
      `the definition does not list the environment variable "${name}"`,
      near?.startsWith('did') ? near : `add it: env: [${[...listed, name].join(', ')}]`,
    );
  }
  // Definitions are in histories, plans and inventories, and on hosts: whoever wrote one would have your credentials there.
  if (SECRET.test(name)) throw new Fault(`"${name}" is named like a secret`, 'write { secret: NAME } where it is needed');
  const value = Object.hasOwn(environ, name) ? environ[name] : undefined;
  if (value !== undefined && findHiddenCharacter(value))
    throw new Fault(`the environment variable "${name}" contains invalid characters`);
  return value;
}

/** The branch that is checked out where a folder is. */
function branchOf(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    const head = headIn(join(at, '.git'));
    if (head !== undefined) {
      const [, branch] = /^ref: refs\/heads\/([^\s\p{C}]{1,250})\s*$/u.exec(head) ?? [];
      if (branch !== undefined) return branch;
      throw new Fault('no branch is checked out here', 'git switch BRANCH');
    }
    if (at === dirname(at)) throw new Fault('the definition is in no Git repository', 'git init');
  }
}

/** Content of `HEAD`. Undefined without a repository. */
function headIn(path: string): string | undefined {
  try {
    if (statSync(path).isDirectory()) return plainText(join(path, 'HEAD'));
    const [, folder] = /^gitdir: (.+)\s*$/m.exec(plainText(path)) ?? [];
    // A worktree, whose repository is in another folder. A stranger could name any other folder here, so it is not
    // read.
    if (folder === undefined || !/\/\.git\/(?:worktrees|modules)\/[^/]+/.test(folder)) return undefined;
    return plainText(join(resolve(dirname(path), folder), 'HEAD'));
  } catch {
    return undefined;
  }
}

/** Text of a small file that is not a link. Opening a pipe would wait for a writer. */
function plainText(path: string): string {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { mode, size } = fstatSync(fd);
    return (mode & constants.S_IFMT) === constants.S_IFREG && size <= 5_000 ? readFileSync(fd, 'utf8') : '';
  } finally {
    closeSync(fd);
  }
}
