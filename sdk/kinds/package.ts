import {
  debian,
  type Fact,
  type Facts,
  type FoundFile,
  type FoundPackage,
  type FoundService,
  file,
  systemd,
  upstreamVersion,
} from '../../core/host/facts.js';
import { ensureWait, type ListenAddress, listeningOn, waitFile } from '../../core/host/listening.js';
import type { Step } from '../../core/host/step.js';
import type { ServiceTls } from '../../core/schema/service-tls.js';
import {
  checkFirst,
  ensureFile,
  ensureNoFile,
  ensureNoPackage,
  ensurePackage,
  ensureService,
  gentlestChange,
} from '../../core/taskserv/plans.js';
import type { Text } from '../../core/taskserv/secret.js';
import {
  ensureTls,
  type FoundTls,
  type TlsService,
  tlsFacts,
  tlsFiles,
  tlsHealth,
  tlsReads,
} from '../../core/taskserv/service-tls.js';
import {
  defineTaskserv,
  type HealthCheck,
  type HealthContext,
  type PlanContext,
  type Taskserv,
} from '../../core/taskserv/taskserv.js';

/** Listen address of the service, for its files and health checks. */
interface At {
  listening: ListenAddress;
}

/** Context for the content of a file. It has the current files of the service, by fact name, to keep parts of them. */
interface FileAt extends PlanContext, At {
  files: Readonly<Record<string, FoundFile>>;
}

/** File that a service reads, written as a whole. */
export interface ServiceFile<C> {
  path: string;
  /** Content of the file; undefined for no file. A file that this taskserv wrote is then removed, others are kept. */
  content(config: C, at: FileAt): Text | undefined;
  /** Octal, four digits. Default `0644`. */
  mode?: string;
  /** `user:group`. Default `root:root`. */
  owner?: string;
  /** A reload of the service applies the file. Without it, the service is restarted. */
  reload?: true;
  /** Whether the service reads the file with this configuration. Default: always. */
  isRead?(config: C): boolean;
}

/** Content of a running service, such as accounts: a fact, and the steps that are left according to its answer. */
// biome-ignore lint/suspicious/noExplicitAny: only these two functions know the type of the answer
export interface Contents<C, Inside = any> {
  fact(config: C): Fact<Inside>;
  steps(config: C, inside: Inside): Step[];
}

/** TLS settings of a service. Its certificate files are those of `tlsFiles`, written before the service's own files. */
export interface PackageTls<C> extends Pick<TlsService, 'group' | 'renew'> {
  /** TLS part of the configuration. */
  of(config: C): ServiceTls | undefined;
  /** A reload applies another certificate, or the removal of TLS. */
  reload?: true;
  /**
   * Package that the service needs for TLS, removed with the service. For some versions it replaces the service's
   * package.
   */
  package?: { name: string; inPlace(version: string): boolean };
  /** Packages that the health checks need with TLS. They stay. */
  packages?: readonly string[];
  /** Address for the check of the certificate; undefined if the health checks of the service include it. */
  connect?(config: C, at: At): { connect: string; starttls?: string };
}

/** Description of a taskserv, without its installation. */
type Description<C> = Pick<
  Taskserv<C>,
  | 'name'
  | 'category'
  | 'description'
  | 'versions'
  | 'supports'
  | 'requires'
  | 'after'
  | 'conflicts'
  | 'overrides'
  | 'holds'
  | 'moveData'
  | 'identity'
>;

/** Service or tool from a Debian package: its files, its unit and its health checks. */
export interface PackageService<C> extends Description<C>, Pick<Taskserv<C>, 'config' | 'endpoints' | 'uses'> {
  /** Name of the Debian package. Default: name of the taskserv. */
  package?: string;
  /** Further packages that it needs and does not depend on, possibly by version. They stay when it is removed. */
  furtherPackages?: readonly string[] | ((version: string) => readonly string[]);
  /** Its systemd unit, without `.service`; `false` for a tool without a unit. Default: name of the package. */
  unit?: string | false;
  /** Its files by fact name, in the order in which they are written. */
  files: Readonly<Record<string, ServiceFile<NoInfer<C>>>>;
  /** Endpoint whose address it listens on, or a function that returns the address. Default: loopback. */
  listens?: string | ((config: C, context: HealthContext) => ListenAddress);
  /** Its content, applied when it runs: accounts, databases. The name of the fact is `contents`. */
  contents?: Contents<C>;
  /** Script that fails if the files are invalid. It runs before the service starts, restarts or reloads. */
  check?: string;
  /** TLS settings, if it supports TLS. */
  tls?: PackageTls<NoInfer<C>>;
  health(config: C, at: HealthContext & At): HealthCheck[];
}

/** Facts of a package service: `package`, `unit`, `wait` if it listens, and its files and further packages by name. */
interface Known extends Record<string, unknown>, Partial<FoundTls> {
  package: FoundPackage;
  tlsPackage?: FoundPackage;
  unit?: FoundService;
  wait?: FoundFile;
}

/**
 * Reports whether a file was probably not written by a taskserv. Files for all readers show their origin in the first
 * line or in the name. A file with its own mode counts as written by a taskserv: it may contain a secret, which must
 * not stay.
 */
const isOfOthers = ({ path, content }: FoundFile, mode: string | undefined): boolean =>
  mode === undefined && !path.includes('provisioning') && !content.includes('ritten by provisioning');

/**
 * Creates a taskserv of the kind *package*: a Debian package, the files that its service reads, and its systemd unit.
 *
 * Its plan installs the package, writes the files and lets the unit wait for its listen address. It then checks the
 * files, and starts the service, or restarts or reloads it if its files changed. Finally it applies the content of the
 * service. Removal stops the service and removes the package and the files. Data stays.
 */
export function packageService<C>(kind: PackageService<C>): Taskserv<C, Facts> {
  const { package: packageName = kind.name, furtherPackages = [], unit = packageName, ...rest } = kind;
  const { files, listens, contents, check, tls, health, ...taskserv } = rest;
  const named = Object.entries(files);
  const furtherOf = (version: string) => (typeof furtherPackages === 'function' ? furtherPackages(version) : furtherPackages);
  // The version is known only with the release of the host, so the facts include the packages of all versions.
  const furtherOfAll = new Set([kind.versions.default, ...kind.versions.supported].flatMap(furtherOf));
  const ofTls: TlsService | undefined = tls && { name: kind.name, unit: unit || packageName, ...tls };
  const readsOf = (config: C) => [
    ...named.filter(([, { isRead }]) => isRead?.(config) ?? true).map(([, { path }]) => path),
    ...(tls && ofTls ? tlsReads(ofTls, tls.of(config)) : []),
  ];
  const forTls = (config: C): readonly string[] => (tls?.of(config) && tls.packages) || [];
  const reloadableOf = (config: C) => [
    ...named.filter(([, { reload }]) => reload).map(([, { path }]) => path),
    ...(tls?.reload && tls.of(config) ? Object.values(tlsFiles(kind.name)) : []),
  ];

  function listening(config: C, context: HealthContext): ListenAddress {
    if (listens === undefined) return 'loopback';
    return typeof listens === 'string' ? listeningOn(kind.name, listens, context) : listens(config, context);
  }

  /** Returns the steps for the package and its TLS package. APT removes the package that the other one replaces. */
  function packages(config: C, { package: own, tlsPackage }: Known, version: string): Step[] {
    if (!tls?.package || !tlsPackage || !tls.of(config)) return ensurePackage(own);
    return [...(tls.package.inPlace(version) ? [] : ensurePackage(own)), ...ensurePackage(tlsPackage)];
  }

  /** Returns the steps that apply the written files to the service. For a tool, the steps only check them. */
  function inForce(config: C, found: FoundService | undefined, before: Step[]): Step[] {
    const title = `Check the configuration of ${kind.name}`;
    if (!found) return check && before.length > 0 ? [{ title, run: check, undo: ':' }] : [];
    const reloadable = reloadableOf(config);
    const change = reloadable.length > 0 && { change: gentlestChange(found, before, reloadable) };
    const service = ensureService(found, { state: 'running', enabled: true, ...change, reads: readsOf(config) }, before);
    return check ? checkFirst(title, check, service) : service;
  }

  return defineTaskserv<C, Facts>({
    uses: () => [],
    ...taskserv,
    kind: 'package',
    versions: { package: packageName, ...kind.versions },
    facts: (config) => ({
      package: debian(packageName),
      ...(tls?.package && { tlsPackage: debian(tls.package.name) }),
      ...Object.fromEntries([...furtherOfAll].map((name) => [name, debian(name)])),
      ...Object.fromEntries(named.map(([name, { path }]) => [name, file(path)])),
      ...(unit && listens !== undefined && { wait: file(waitFile(unit)) }),
      ...(tls && ofTls && tlsFacts(ofTls, tls.of(config))),
      ...Object.fromEntries(forTls(config).map((name) => [name, debian(name)])),
      ...(contents && { contents: contents.fact(config) }),
      ...(unit && { unit: systemd(unit, readsOf(config)) }),
    }),
    installed: (found) => {
      const { package: own, tlsPackage } = found as Known;
      return upstreamVersion(own.version ?? tlsPackage?.version);
    },

    plan(config, found, context) {
      const known = found as Known;
      const at = { ...context, listening: listening(config, context) };
      const files = Object.fromEntries(named.map(([name]) => [name, known[name] as FoundFile]));
      const certificate = tls && ofTls && ensureTls(ofTls, tls.of(config), known as unknown as FoundTls);
      const before: Step[] = [
        ...(certificate?.first ?? []),
        ...packages(config, known, context.version),
        ...[...furtherOf(context.version), ...forTls(config)].flatMap((name) => ensurePackage(known[name] as FoundPackage)),
        ...(certificate?.files ?? []),
        ...named.flatMap(([name, { content, mode, owner }]) => {
          const wanted = content(config, { ...at, files });
          const found = known[name] as FoundFile;
          if (wanted === undefined) return isOfOthers(found, mode) ? [] : ensureNoFile(found);
          return ensureFile(found, { content: wanted, ...(mode && { mode }), ...(owner && { owner }) });
        }),
        ...(unit && known.wait ? ensureWait(known.wait, unit, at.listening) : []),
      ];
      return [...before, ...inForce(config, known.unit, before), ...(contents?.steps(config, known.contents) ?? [])];
    },

    health(config, context) {
      const at = { ...context, listening: listening(config, context) };
      const wanted = tls?.of(config);
      const certificate = wanted && tls?.connect ? tlsHealth(kind.name, wanted, tls.connect(config, at)) : [];
      return [...health(config, at), ...certificate];
    },

    remove(_, found) {
      const known = found as Known;
      return [
        ...(known.unit ? ensureService(known.unit, { state: 'stopped', enabled: false }) : []),
        ...ensureNoPackage(known.package),
        ...(known.tlsPackage ? ensureNoPackage(known.tlsPackage) : []),
        ...named.flatMap(([name]) => ensureNoFile(known[name] as FoundFile)),
        ...(known.wait ? ensureNoFile(known.wait) : []),
        ...(ofTls ? ensureTls(ofTls, undefined, known as unknown as FoundTls).files : []),
      ];
    },
  });
}
