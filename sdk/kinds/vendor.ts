import { inputError } from '../../core/errors.js';
import { APT, holdOf, scriptInstalledAmong } from '../../core/host/apt.js';
import type { Facts, FoundPackage } from '../../core/host/facts.js';
import { sh } from '../../core/host/shell.js';
import type { Step } from '../../core/host/step.js';
import {
  type AptSource,
  aptSourceFacts,
  ensureAptSource,
  ensureNoAptSource,
  type FoundAptSource,
  isOfVersion,
} from '../../core/taskserv/apt-source.js';
import type { PlanContext, Taskserv } from '../../core/taskserv/taskserv.js';
import { type PackageService, packageService } from './package.js';

/** A service whose package its vendor brings. */
export interface VendorService<C> extends PackageService<C> {
  /** Its vendor's repository. It may supply the package, and those that are named here besides; nothing else. */
  repository: Omit<AptSource, 'packages'> & { alsoPackages?: readonly string[] };
}

interface Known extends FoundAptSource {
  package: FoundPackage;
}

/**
 * A taskserv of the kind *vendor*: a package service whose package comes from its vendor's own apt repository.
 *
 * Its plan adds the repository first: the key, and a pin that lets in the named packages of the version that is asked
 * for. A package of another version is brought to that one, and the service restarted. All else is as a package service
 * does it. Removal takes the repository away, too.
 */
export function vendorService<C>(kind: VendorService<C>): Taskserv<C, Facts> {
  const { repository, ...service } = kind;
  const { alsoPackages = [], ...described } = repository;
  const base = packageService<C>(service);
  const name = service.package ?? service.name;
  const source: AptSource = { ...described, packages: [name, ...alsoPackages] };

  return {
    ...base,
    kind: 'vendor',
    fetches: true,
    aptSources: [source],
    facts: (config, version) => ({ ...aptSourceFacts(source), ...base.facts(config, version) }),

    plan(config, found, context) {
      const { package: present, ...apt } = found as unknown as Known;
      const added = ensureAptSource(source, apt, context.version, context.mirrors);
      const { version: now } = present;
      if (now === undefined || isOfVersion(now, context.version)) return [...added, ...base.plan(config, found, context)];
      if (present.held) throw onHold(kind.name, name, now, context);
      // As if it were new, so that the service is restarted; the package itself is changed by a step that can be undone.
      const again = base.plan(config, { ...found, package: { name } }, context);
      const rest = again.filter((step) => !('package' in step && step.package.name === name));
      return [...added, changeOf(kind.name, source.packages, now, context.version), ...rest];
    },

    remove: (config, found) => [...base.remove(config, found), ...ensureNoAptSource(source, found as unknown as Known)],
  };
}

const onHold = (taskserv: string, name: string, now: string, { host, version }: PlanContext): Error =>
  inputError({
    code: 'package-on-hold',
    what: `change ${taskserv} from ${now} to ${version}`,
    on: host.name,
    ...holdOf(name),
  });

/** Installs what the pin names. Packages that are not there stay away. */
function changeOf(taskserv: string, packages: readonly string[], now: string, version: string): Step {
  // Of the packages that dpkg does not know it complains in its exit code.
  const there = `there=$(${scriptInstalledAmong(sh`${packages}`)} || true)
[ -n "$there" ] || { echo ${sh`${`none of ${packages.join(', ')} is installed`}`}; exit 1; }`;
  const install = `DEBIAN_FRONTEND=noninteractive ${APT} install --no-install-recommends --allow-downgrades`;
  return {
    title: `Change ${taskserv} from ${now} to ${version}`,
    run: `${there}\n${install} $there`,
    undo: `${there}\n${install} $(printf ${sh`${`%s=${now} `}`} $there)`,
  };
}
