import { createHash } from 'node:crypto';

/** What `package-lock.json` says of one package: of the file's `packages`, as npm documents it. */
interface LockedPackage {
  version?: string;
  resolved?: string;
  integrity?: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

/** By the folder in which npm puts the package; the repository itself is `''`. */
export type Lock = Record<string, LockedPackage>;

/** An input of a proof that is a package, and all that it depends on. */
const PREFIX = 'npm:';

/** The packages that the repository names and no module imports: what tests are run, compiled and started with. */
export const OTHER_PACKAGES = `${PREFIX}*`;

/** They only look at sources: no test's result depends on them. */
const ONLY_CHECKS = /^(@types\/|@biomejs\/biome$|dependency-cruiser$|knip$)/;

export const isPackages = (input: string): boolean => input.startsWith(PREFIX);

/** @param specifier as an import names it: `hono/client`, `@temporalio/worker`; none for a module of Node */
export function packageInput(specifier: string): string[] {
  if (specifier.startsWith('node:') || /^[./#]/.test(specifier)) return [];
  const depth = specifier.startsWith('@') ? 2 : 1;
  return [PREFIX + specifier.split('/').slice(0, depth).join('/')];
}

/**
 * A hash of the versions of a package and of all that it depends on.
 *
 * @param input of `packageInput`, or `OTHER_PACKAGES`
 * @param imported inputs of all packages that any module imports
 */
export function packagesHash(input: string, imported: ReadonlySet<string>, lock: Lock): string {
  const { dependencies, devDependencies } = lock[''] ?? {};
  const others = Object.keys({ ...dependencies, ...devDependencies }).filter(
    (name) => !imported.has(PREFIX + name) && !ONLY_CHECKS.test(name),
  );
  const names = input === OTHER_PACKAGES ? others : [input.slice(PREFIX.length)];
  const folders = new Set(names.flatMap((name) => folderOf(name, '', lock)));
  for (const folder of folders) {
    const { dependencies, optionalDependencies, peerDependencies } = lock[folder] as LockedPackage;
    const needed = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
    for (const found of needed.flatMap((name) => folderOf(name, folder, lock))) folders.add(found);
  }
  const versions = [...folders].map((folder) => [folder, lock[folder]?.version, lock[folder]?.integrity].join(' '));
  return createHash('sha256').update(versions.sort().join('\n')).digest('hex');
}

/** Where Node finds a package that one in `from` imports: beside it, or further up. None if it is optional and not there. */
function folderOf(name: string, from: string, lock: Lock): string[] {
  const folder = `${from}${from && '/'}node_modules/${name}`;
  if (lock[folder]) return [folder];
  if (from === '') return [];
  const parent = from.slice(0, Math.max(from.lastIndexOf('node_modules/') - 1, 0));
  return folderOf(name, parent, lock);
}
