import { type CommandOutput, type Fact, type Facts, type FoundFacts, type FoundPackage, fact } from './facts.js';
import { sh } from './shell.js';
import type { Step } from './step.js';

/** A package that a host has, and what its archive has in its place: full Debian versions. */
export interface PackageChange {
  package: string;
  from: string;
  to: string;
}

/** Name of the fact with the newer package of the archive. */
export const ARCHIVE = 'newer package of the archive';

/**
 * Fact with the version of a taskserv's package in the archive, from the host's package lists. Undefined for a fact
 * that is not about a package. The package is the fact `package` of the SDK's kinds, or the taskserv's only package
 * fact.
 */
export function archiveFact(facts: Facts): Fact<PackageChange | undefined> | undefined {
  const name = ownPackage(facts)?.name;
  if (name === undefined) return undefined;
  return fact(sh`LC_ALL=C apt-cache policy -- ${name}`, (output) => changeIn(name, output), undefined);
}

/** Returns the observed newer package. */
export const newerIn = (found: FoundFacts<Facts>): PackageChange | undefined => found[ARCHIVE] as PackageChange | undefined;

/** Returns apt's candidate if its version differs from the installed one: apt never downgrades automatically. */
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
 * Returns the steps that upgrade a taskserv's package: those for a missing package, because they restart its services.
 * If another version is installed, as after the upgrade, its normal steps are returned.
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
