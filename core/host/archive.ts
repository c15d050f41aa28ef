import type { CommandOutput, Fact, Facts, Found } from './facts.js';
import { fact } from './facts.js';
import { sh } from './shell.js';

/** A package that a host has, and what its archive has in its place: full Debian versions. */
export interface PackageChange {
  package: string;
  from: string;
  to: string;
}

/** What the question for a newer package is called among the facts of a taskserv. */
export const ARCHIVE = 'newer package of the archive';

/**
 * The question what the archive has in place of a taskserv's package, by the lists that the host has; undefined where
 * it is of no package. That is the fact `package`, as the kinds of the SDK name it, or its only one of a package.
 */
export function archiveFact(facts: Facts): Fact<PackageChange | undefined> | undefined {
  const packages = Object.values(facts).filter((one) => one.kind === 'package');
  const own = facts.package?.kind === 'package' ? facts.package : packages.length === 1 ? packages[0] : undefined;
  if (!own) return undefined;
  const { name } = own;
  return fact(sh`LC_ALL=C apt-cache policy -- ${name}`, (output) => changeIn(name, output), undefined);
}

/** What was found of it. */
export const newerIn = (found: Found<Facts>): PackageChange | undefined => found[ARCHIVE] as PackageChange | undefined;

/** The candidate of apt, where that is another version than the one that is installed: apt never goes back by itself. */
function changeIn(name: string, { stdout }: CommandOutput): PackageChange | undefined {
  const [from, to] = ['Installed', 'Candidate'].map((what) => new RegExp(`^ +${what}: ([0-9]\\S*)$`, 'm').exec(stdout)?.[1]);
  return from === undefined || to === undefined || from === to ? undefined : { package: name, from, to };
}
