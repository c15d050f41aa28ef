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

/** Where the service listens, for those who write its files and ask for its health. */
interface At {
  listening: ListenAddress;
}

/** What a file is made with: its service's files as they are on the host, by the names of their facts, for what stays of them. */
interface FileAt extends PlanContext, At {
  files: Readonly<Record<string, FoundFile>>;
}

/** A file that a service reads, written as a whole. */
export interface ServiceFile<C> {
  path: string;
  /** Undefined where there is to be no such file: one that was written here goes, and one of others stays. */
  content(config: C, at: FileAt): Text | undefined;
  /** Octal, four digits. Default `0644`. */
  mode?: string;
  /** `user:group`. Default `root:root`. */
  owner?: string;
  /** The service takes it in by a reload; without it, the service is restarted. */
  reload?: true;
  /** Whether the service reads it, by this configuration. Without it, it does. */
  isRead?(config: C): boolean;
}

/** What is inside a running service: a question, and the steps that are left to do by its answer. */
// biome-ignore lint/suspicious/noExplicitAny: only the two together know what the answer is
export interface Contents<C, Inside = any> {
  fact(config: C): Fact<Inside>;
  steps(config: C, inside: Inside): Step[];
}

/** How a service speaks TLS. Its files are those of `tlsFiles`, and are there before its own are written. */
export interface PackageTls<C> extends Pick<TlsService, 'group' | 'renew'> {
  /** What its configuration says of it. */
  of(config: C): ServiceTls | undefined;
  /** It takes in another certificate, or none, by a reload. */
  reload?: true;
  /** Package that it needs to speak TLS and that goes when it is removed; of some versions, it stands in place of its own. */
  package?: { name: string; inPlace(version: string): boolean };
  /** Packages that its checks of health need where it speaks TLS. They stay. */
  packages?: readonly string[];
  /** Where it is asked for its certificate; undefined where its own checks of health see to that. */
  connect?(config: C, at: At): { connect: string; starttls?: string };
}

/** What a taskserv says of itself besides how it is installed. */
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

/** A service or a tool that a Debian package brings: its files, its unit, and how to tell that it works. */
export interface PackageService<C> extends Description<C>, Pick<Taskserv<C>, 'config' | 'endpoints' | 'uses'> {
  /** Name of the Debian package. Default: that of the taskserv. */
  package?: string;
  /** Packages that it needs besides and does not bring, by its version where they differ. They stay when it is removed. */
  furtherPackages?: readonly string[] | ((version: string) => readonly string[]);
  /** Its systemd unit, without `.service`; `false` for a tool, which has none. Default: the name of the package. */
  unit?: string | false;
  /** Its files, by the names of their facts, in the order in which they are written. */
  files: Readonly<Record<string, ServiceFile<NoInfer<C>>>>;
  /** The endpoint whose address it listens on, or how to tell that address. Without it, it listens on loopback. */
  listens?: string | ((config: C, context: HealthContext) => ListenAddress);
  /** What is inside it, and is brought about once it runs: accounts, databases. Its fact is `contents`. */
  contents?: Contents<C>;
  /** A script that fails where the files are wrong. It runs before the service starts, restarts or reloads. */
  check?: string;
  /** How it speaks TLS, where it does. */
  tls?: PackageTls<NoInfer<C>>;
  health(config: C, at: HealthContext & At): HealthCheck[];
}

/** The facts of a package service: `package`, `unit`, `wait` where it listens, and its files and further packages by their names. */
interface Known extends Record<string, unknown>, Partial<FoundTls> {
  package: FoundPackage;
  tlsPackage?: FoundPackage;
  unit?: FoundService;
  wait?: FoundFile;
}

/**
 * Whether a file is none that a taskserv wrote, as far as that can be seen: those for all to read say it in their first
 * line, or by their name. One with a mode of its own may hold a secret, which must not stay when it is no longer said.
 */
const isOfOthers = ({ path, content }: FoundFile, mode: string | undefined): boolean =>
  mode === undefined && !path.includes('provisioning') && !content.includes('ritten by provisioning');

/**
 * A taskserv of the kind *package*: a Debian package, the files that its service reads, and its systemd unit.
 *
 * Its plan installs the package, writes the files, lets the unit wait for the address that it listens on, checks the
 * files, and starts the service; it restarts or reloads one whose files changed. Then it sees to what is inside.
 * Removal stops the service and takes package and files away. Data stays.
 */
export function packageService<C>(kind: PackageService<C>): Taskserv<C, Facts> {
  const { package: packageName = kind.name, furtherPackages = [], unit = packageName, ...rest } = kind;
  const { files, listens, contents, check, tls, health, ...taskserv } = rest;
  const named = Object.entries(files);
  const furtherOf = (version: string) => (typeof furtherPackages === 'function' ? furtherPackages(version) : furtherPackages);
  // Which version a host gets is certain only once its release is known: it is asked for those of all.
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

  /** The package, and the one for TLS; APT takes away which of them the other stands in place of. */
  function packages(config: C, { package: own, tlsPackage }: Known, version: string): Step[] {
    if (!tls?.package || !tlsPackage || !tls.of(config)) return ensurePackage(own);
    return [...(tls.package.inPlace(version) ? [] : ensurePackage(own)), ...ensurePackage(tlsPackage)];
  }

  /** The service with what was written in force; of a tool, which has none, what was written is checked. */
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
