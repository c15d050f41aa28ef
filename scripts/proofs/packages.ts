import { createHash } from 'node:crypto';

/** Entry of `packages` in `package-lock.json`, as npm documents it. */
interface LockedPackage {
  version?: string;
  resolved?: string;
  integrity?: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
}

/** Packages by the folder in which npm installs them; the repository itself is `''`. */
export type Lock = Record<string, LockedPackage>;

/** Prefix of a proof's input that is a package with all its dependencies. */
const PREFIX = 'npm:';

/** Packages that the repository lists and no module imports: the tools that run, compile and start tests. */
export const OTHER_PACKAGES = `${PREFIX}*`;

/** Packages that only check sources. No test result depends on them. */
const ONLY_CHECKS = /^(@types\/|@biomejs\/biome$|dependency-cruiser$|knip$)/;

export const isPackages = (input: string): boolean => input.startsWith(PREFIX);

/**
 * Returns the input for an import.
 *
 * @param specifier of an import: `hono/client`, `@temporalio/worker`; a module of Node yields none
 */
export function packageInput(specifier: string): string[] {
  if (specifier.startsWith('node:') || /^[./#]/.test(specifier)) return [];
  const depth = specifier.startsWith('@') ? 2 : 1;
  return [PREFIX + specifier.split('/').slice(0, depth).join('/')];
}

/**
 * Hashes the versions of a package and all its dependencies.
 *
 * @param input a result of `packageInput`, or `OTHER_PACKAGES`
 * @param imported the package inputs that all modules have together
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

/**
 * Returns the folder in which Node finds a package that is imported in `from`: beside it or further up. Empty if an
 * optional package is absent.
 */
function folderOf(name: string, from: string, lock: Lock): string[] {
  const folder = `${from}${from && '/'}node_modules/${name}`;
  if (lock[folder]) return [folder];
  if (from === '') return [];
  const parent = from.slice(0, Math.max(from.lastIndexOf('node_modules/') - 1, 0));
  return folderOf(name, parent, lock);
}
