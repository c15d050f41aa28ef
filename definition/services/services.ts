import type { TaskservSpec } from '../../core/definition/definition.js';
import type { Companion } from '../../core/taskserv/companions.js';
import { addInstances, taskservIn } from '../../core/taskserv/instances.js';
import type { ExpandedServer } from '../expanded-server.js';
import { Fault } from '../interpolation/expression.js';
import { type Assignment, configPath } from '../place-taskservs.js';
import { isOtherSecret } from '../references.js';
import { didYouMean } from '../source/did-you-mean.js';
import type { Findings } from '../source/findings.js';
import type { Path } from '../source/problem.js';
import { isRecord } from '../source/salvage.js';
import { applyAgreements } from './apply-agreements.js';
import type { FurnishedServer, ServiceContext } from './furnished.js';
import { joinGroups } from './groups.js';
import { applyManualOrder } from './manual-order.js';
import { resolveOtherSecret } from './other-secret.js';
import { createLookups, type KnownServices, type ServiceReference } from './other-values.js';
import { type PlacedService, parse } from './settle-services.js';
import { listWantedServices, type WantedService } from './wanted-services.js';

/**
 * Resolves the services of each server: merges entries, adds requirements, and resolves references between services.
 */
export function resolveServices(
  servers: readonly ExpandedServer[],
  entries: readonly Assignment[],
  making: ServiceContext,
  findings: Findings,
): FurnishedServer[] {
  const services = new Services(servers, entries, making, findings);
  const all = services.all();
  addCompanions(all, making, findings);
  applyAgreements(all, findings);
  joinGroups(all, findings);
  applyManualOrder(all, findings);
  return withOneOrder(all.map(({ server, placed }) => ({ server, placed: addServerNames(server.spec.name, placed) })));
}

const keyOf = (server: string, taskserv: string): string => `${server}/${taskserv}`;

/** Settles each service when it is first asked for: another may need its port before it would be its turn. */
class Services implements KnownServices {
  readonly servers: readonly ExpandedServer['spec'][];
  readonly known: readonly string[];
  private readonly wanted: { server: ExpandedServer; services: WantedService[] }[];
  private readonly byServer = new Map<string, { server: ExpandedServer; services: Map<string, WantedService> }>();
  private readonly byTaskserv = new Map<string, string[]>();
  private readonly done = new Map<string, PlacedService>();
  private readonly open: string[] = [];

  constructor(
    servers: readonly ExpandedServer[],
    entries: readonly Assignment[],
    private readonly making: ServiceContext,
    private readonly findings: Findings,
  ) {
    this.servers = servers.map(({ spec }) => spec);
    this.known = making.known;
    this.wanted = servers.map((server) => ({ server, services: listWantedServices(server, entries, making.taskservs, findings) }));
    for (const { server, services } of this.wanted) {
      const { name } = server.spec;
      this.byServer.set(name, { server, services: new Map(services.map((one) => [one.taskserv.name, one])) });
      for (const { taskserv } of services)
        this.byTaskserv.set(taskserv.name, [...(this.byTaskserv.get(taskserv.name) ?? []), name]);
    }
  }

  all(): FurnishedServer[] {
    return this.wanted.map(({ server, services }) => ({ server, placed: services.map((one) => this.placed(server, one)) }));
  }

  carriers(taskserv: string): readonly string[] {
    return this.byTaskserv.get(taskserv) ?? [];
  }

  on(server: string): readonly string[] {
    return [...(this.byServer.get(server)?.services.keys() ?? [])];
  }

  spec(server: string, taskserv: string): TaskservSpec | undefined {
    const there = this.byServer.get(server);
    const wanted = there?.services.get(taskserv);
    return there && wanted && this.placed(there.server, wanted).spec;
  }

  /** @throws Fault where services need each other, which only a text of one can be the cause of */
  private placed(server: ExpandedServer, wanted: WantedService): PlacedService {
    const key = keyOf(server.spec.name, wanted.taskserv.name);
    const known = this.done.get(key);
    if (known) return known;
    if (this.open.includes(key)) {
      const cycle = [...this.open.slice(this.open.indexOf(key)), key].join(' → ');
      throw new Fault(`services depend on each other: ${cycle}`, 'write one of the values');
    }
    this.open.push(key);
    const made = this.make(server, wanted);
    this.open.pop();
    this.done.set(key, made);
    return made;
  }

  private make(server: ExpandedServer, wanted: WantedService): PlacedService {
    const referred: ServiceReference[] = [];
    let broken = false;
    const layers = wanted.layers.map((layer) => {
      const say = (path: Path, { message, suggestion }: Fault): void => {
        broken = true;
        if (message !== undefined) this.findings.value(configPath(layer, path), message, suggestion);
      };
      const others = { lookups: createLookups(this, { self: server.spec.name, note: (one) => void referred.push(one) }), say };
      const config = this.making.perServer(layer.config, server.spec, others);
      return { ...layer, config: this.withOtherSecrets(config, referred, say) };
    });
    const defaults = this.making.defaultsOf(taskservIn(wanted.taskserv.name));
    const { name: self, image, host } = server.spec;
    const release = host === undefined ? image : undefined;
    const { locking } = this.making;
    return parse({ ...wanted, layers }, { referred, self, release, broken, defaults, locking }, this.findings);
  }

  private withOtherSecrets(
    config: Record<string, unknown>,
    referred: ServiceReference[],
    say: (path: Path, fault: Fault) => void,
  ): Record<string, unknown> {
    const put = (value: unknown, path: Path): unknown => {
      if (isOtherSecret(value)) {
        try {
          return resolveOtherSecret(value, this, (one) => void referred.push(one));
        } catch (error) {
          if (!(error instanceof Fault)) throw error;
          say(path, error);
          return undefined;
        }
      }
      if (Array.isArray(value)) return value.map((item, index) => put(item, [...path, index]));
      if (!isRecord(value)) return value;
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, put(item, [...path, key])]));
    };
    return put(config, []) as Record<string, unknown>;
  }
}

/**
 * Gives the taskservs of all servers one order. A service that follows a taskserv follows each instance of it.
 * Taskservs with `first` come before all others.
 */
function withOneOrder(all: FurnishedServer[]): FurnishedServer[] {
  const instances = new Set(all.flatMap(({ placed }) => placed.map(({ spec }) => spec.name)).filter((name) => name.includes('@')));
  const after = new Map<string, Set<string>>();
  for (const { placed } of all)
    for (const { spec } of placed) {
      const others = [...instances].filter((name) => name !== spec.name);
      const before = addInstances(spec.after, others);
      after.set(spec.name, new Set([...(after.get(spec.name) ?? []), ...before]));
    }
  const first = new Set(all.flatMap(({ placed }) => placed.flatMap(({ taskserv, spec }) => (taskserv.first ? [spec.name] : []))));
  for (const [name, before] of after) if (!first.has(name)) for (const one of first) before.add(one);
  for (const { placed } of all) for (const { spec } of placed) spec.after = [...(after.get(spec.name) ?? spec.after)];
  return all;
}

/** Adds what taskservs bring along on servers of their choice, and what was decided with that about their configurations. */
export function addCompanions(
  all: readonly FurnishedServer[],
  { taskservs }: Pick<ServiceContext, 'taskservs'>,
  findings: Findings,
): void {
  const bringing = new Set(all.flatMap(({ placed }) => placed.flatMap(({ taskserv }) => (taskserv.companions ? [taskserv] : []))));
  for (const taskserv of bringing) {
    const own = all.flatMap(({ server, placed }) =>
      placed
        .filter((one) => one.taskserv === taskserv && one.spec.config !== undefined)
        .map((one) => ({ server: server.spec.name, placed: one, config: one.spec.config })),
    );
    const [first] = own;
    if (!first || !taskserv.companions) continue;
    const { configs, companions } = taskserv.companions.of(own);
    own.forEach(({ placed }, index) => {
      placed.spec.config = configs[index];
    });
    for (const companion of companions) add(companion, first.placed);
    const brought = companions.map(({ server, taskserv }) => ({ server, taskserv }));
    for (const { server, placed } of own) {
      // Narrower operations need to know where these are, too.
      const others = brought.filter((one) => one.server !== server);
      if (others.length > 0) placed.spec.refersTo = [...(placed.spec.refersTo ?? []), ...others];
    }
  }

  function add({ taskserv: name, server, config }: Companion, by: PlacedService): void {
    const there = all.find((one) => one.server.spec.name === server);
    const taskserv = taskservs[name];
    if (!there) {
      const names = all.map((one) => one.server.spec.name);
      findings.value(
        [...by.path, 'config'],
        `"${by.taskserv.name}" needs the server "${server}", which is not there`,
        didYouMean(server, names),
      );
      return;
    }
    if (!taskserv) throw new Error(`${by.taskserv.name} brings ${name}, but this taskserv does not exist`);
    if (there.placed.some((one) => one.taskserv.name === name)) {
      findings.value(by.path, `"${server}" has "${name}" of another application already`, 'name another server for one of them');
      return;
    }
    const { versions, requires = [], after = [] } = taskserv;
    there.placed.push({
      taskserv,
      path: by.path,
      spec: {
        ...{ name, version: versions.default, config, endpoints: [] },
        after: [...new Set([...requires, ...after])],
        uses: [],
        ...(taskserv.worksOn && { worksOn: [...taskserv.worksOn] }),
        requiredBy: by.taskserv.name,
      },
    });
  }
}

/**
 * Adds the TLS name to endpoints of a server's services. A certificate of acme has the names of its request, not the
 * name of the server.
 */
export function addServerNames(server: string, placed: readonly PlacedService[]): PlacedService[] {
  const domains = domainsOf(placed.find(({ spec }) => spec.name === 'acme')?.spec.config);
  return placed.map((one) => {
    const { config, endpoints } = one.spec;
    const acme = isRecord(config) && isRecord(config.tls) ? config.tls.acme : undefined;
    const [domain] = (typeof acme === 'string' && domains.get(acme)) || [];
    if (domain === undefined || !endpoints.some(({ tls }) => tls)) return one;
    const serverName = domain.replace('*', server);
    return { ...one, spec: { ...one.spec, endpoints: endpoints.map((at) => (at.tls ? { ...at, serverName } : at)) } };
  });
}

/** Domains of an acme's certificates, by the certificate's name. */
function domainsOf(config: unknown): Map<string, string[]> {
  const certificates = isRecord(config) && Array.isArray(config.certificates) ? config.certificates : [];
  return new Map(certificates.filter(isRecord).map(({ name, domains }) => [String(name), domains as string[]]));
}
