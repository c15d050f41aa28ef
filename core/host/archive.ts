import { type CommandOutput, type Fact, type Facts, type FoundFacts, type FoundPackage, fact } from './facts.js';
import { sh } from './shell.js';
import type { Step } from './step.js';

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
  const name = ownPackage(facts)?.name;
  if (name === undefined) return undefined;
  return fact(sh`LC_ALL=C apt-cache policy -- ${name}`, (output) => changeIn(name, output), undefined);
}

/** What was found of it. */
export const newerIn = (found: FoundFacts<Facts>): PackageChange | undefined => found[ARCHIVE] as PackageChange | undefined;

/** The candidate of apt, where that is another version than the one that is installed: apt never goes back by itself. */
function changeIn(name: string, { stdout }: CommandOutput): PackageChange | undefined {
  const [from, to] = ['Installed', 'Candidate'].map((what) => new RegExp(`^ +${what}: ([0-9]\\S*)$`, 'm').exec(stdout)?.[1]);
  return from === undefined || to === undefined || from === to ? undefined : { package: name, from, to };
}

/** The fact of a taskserv's package, and the name of that package. */
function ownPackage(facts: Facts): { fact: string; name: string } | undefined {
  const packages = Object.entries(facts).flatMap(([key, one]) => (one.kind === 'package' ? [{ fact: key, name: one.name }] : []));
  return packages.find((one) => one.fact === 'package') ?? (packages.length === 1 ? packages[0] : undefined);
}

/**
 * The steps of a taskserv whose package is to be upgraded: those that it plans where the package is missing, since then it
 * restarts what the package brings. Its own where another version is installed, as after the upgrade.
 */
export function upgradeSteps<F extends Facts>(
  plan: (found: FoundFacts<F>) => Step[],
  found: FoundFacts<F>,
  facts: F,
  upgrade: PackageChange,
): Step[] {
  const own = ownPackage(facts);
  const installed = own && (found[own.fact] as FoundPackage | undefined)?.version;
  if (own?.name !== upgrade.package || installed !== upgrade.from) return plan(found);
  const { package: name, to } = upgrade;
  const title = `Upgrade the package ${name} to ${to}`;
  return plan({ ...found, [own.fact]: { name } }).map((step) =>
    'package' in step && step.package.name === name && step.package.state === 'present'
      ? { title, package: { name, state: 'present', version: to } }
      : step,
  );
}
