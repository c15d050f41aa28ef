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

/** Service whose package comes from its vendor. */
export interface VendorService<C> extends PackageService<C> {
  /** Its vendor's repository. It may supply only the package and the packages named here. */
  repository: Omit<AptSource, 'packages'> & { alsoPackages?: readonly string[] };
}

interface Known extends FoundAptSource {
  package: FoundPackage;
}

/**
 * Creates a taskserv of the kind *vendor*: a package service whose package comes from its vendor's apt repository.
 *
 * Its plan first adds the repository: the key, and a pin that allows the named packages in the wanted version. A
 * package of another version is changed to the wanted one, and the service restarted. The rest equals a package
 * service. Removal removes the repository too.
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
      // Plans as if it were new, so that the service is restarted. A step with an undo changes the package itself.
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

/** Installs the pinned version. Missing packages stay missing. */
function changeOf(taskserv: string, packages: readonly string[], now: string, version: string): Step {
  // dpkg fails if it does not know one of the packages.
  const there = `there=$(${scriptInstalledAmong(sh`${packages}`)} || true)
[ -n "$there" ] || { echo ${sh`${`none of ${packages.join(', ')} is installed`}`}; exit 1; }`;
  const install = `DEBIAN_FRONTEND=noninteractive ${APT} install --no-install-recommends --allow-downgrades`;
  return {
    title: `Change ${taskserv} from ${now} to ${version}`,
    run: `${there}\n${install} $there`,
    undo: `${there}\n${install} $(printf ${sh`${`%s=${now} `}`} $there)`,
  };
}
