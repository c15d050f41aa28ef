import type { Endpoint } from '../../core/taskserv/taskserv.js';
import type { Assignment } from '../place-taskservs.js';
import type { Findings } from '../source/findings.js';
import { isRecord } from '../source/salvage.js';
import type { DomainServices } from './derived.js';

/** The server that serves the names of a service. */
export interface Front {
  server: string;
  /** Adds the route, and the certificate if there is one, to the configuration of the front. */
  serve(certificate: string | undefined): void;
}

const BALANCER = 'haproxy';
/** Default backend of a load balancer. */
const PRESET = 'nginx';

/** Taskservs that can serve a domain. */
export const SERVE: ReadonlySet<string> = new Set([BALANCER, PRESET]);

/** Returns the front that serves the names of an entry's service. Undefined without one, which is reported. */
export function frontOf(entry: Assignment, derived: DomainServices, findings: Findings): Front | undefined {
  const service = entry.taskserv.name;
  const at = [...entry.path, 'domain'];
  const say = (message: string, suggestion: string): undefined => void findings.value(at, message, suggestion);
  const own = derived.around.servers.filter((server) => entry.rank(server) !== undefined).map(({ spec }) => spec.name);
  // An entry without a server has a fault in its target, which is reported there.
  if (own.length === 0) return undefined;
  if (service === BALANCER) return only(own, BALANCER);

  const balancers = derived.carriers(BALANCER);
  const backendOf = (server: string): unknown => textAt(derived.config(server, BALANCER).backend, 'taskserv');
  const isFree = (server: string) =>
    backendOf(server) === undefined && (service === PRESET || derived.carriers(PRESET).length === 0);
  const serving = balancers.filter((server) => backendOf(server) === service);
  const chosen = serving.length > 0 ? serving : balancers.filter(isFree);
  if (chosen.length > 0) return balanced(chosen);
  if (service === PRESET) return only(own, PRESET);
  const [balancer] = balancers;
  if (balancer === undefined)
    return say(`no service offers TLS for the domain of "${service}"`, 'put the taskserv haproxy on a server');
  const other = backendOf(balancer) ?? PRESET;
  return say(
    `"${BALANCER}" of "${balancer}" passes requests on to "${other}"`,
    `write backend: { taskserv: ${service} } there, or put another haproxy on a server`,
  );

  /** By a server that gets the certificate itself. */
  function only([server = '', ...more]: readonly string[], name: typeof BALANCER | typeof PRESET): Front | undefined {
    if (more.length > 0) return several(name, [server, ...more]);
    return { server, serve: (certificate) => certificate && addTls(name, server, certificate) };
  }

  function balanced([server = '', ...more]: readonly string[]): Front | undefined {
    if (more.length > 0) return several(BALANCER, [server, ...more]);
    const uncovered = derived.carriers(service).find((one) => !own.includes(one));
    if (uncovered !== undefined)
      return say(
        `"${BALANCER}" of "${server}" passes requests on to all servers with "${service}", also to "${uncovered}", which is not in this entry`,
        'put the domain into one entry for all of these servers',
      );
    const offering = offeringTo(server);
    if (offering === undefined)
      return say(`"${service}" does not use HTTP in its configuration`, 'only HTTP services can have a domain');
    return {
      server,
      serve(certificate) {
        const backend = { taskserv: service, offering: textAt(derived.config(server, BALANCER).backend, 'offering') ?? offering };
        derived.add(BALANCER, { server, path: at }, { backend });
        if (certificate !== undefined) addTls(BALANCER, server, certificate);
      },
    };
  }

  function several(name: string, [first, second]: readonly string[]): undefined {
    return say(
      `a domain can lead to only one server, but "${name}" is on "${first}" and "${second}"`,
      name === BALANCER ? 'keep one of them, or configure dns-records and acme by hand' : 'put the taskserv haproxy on a server',
    );
  }

  /** The name of the endpoint over HTTP that a balancer finds; `http` where that cannot be known yet. */
  function offeringTo(server: string): string | undefined {
    const found = own.map((carrier) => {
      const parsed = entry.taskserv.config.safeParse(derived.config(carrier, service));
      if (!parsed.success) return 'http';
      return (entry.taskserv.endpoints?.(parsed.data) ?? []).filter(({ local }) => !local || carrier === server).find(isHttp)?.name;
    });
    return found.find((name) => name !== undefined);
  }

  function addTls(name: typeof BALANCER | typeof PRESET, server: string, certificate: string): void {
    const { tls } = derived.config(server, name);
    const said = isRecord(tls) ? tls : {};
    const where = `"${name}" of "${server}"`;
    if (said.certificate !== undefined) {
      say(`${where} has its own certificate`, 'remove it from tls, or remove acme from the zone in domains');
    } else if (name === PRESET && said.acme !== undefined && said.acme !== certificate) {
      say(`${where} uses another certificate of acme`, 'remove it from tls, or add the domain to it by hand');
    } else {
      const acme = name === PRESET ? certificate : [...new Set([said.acme ?? [], certificate].flat())];
      derived.add(name, { server, path: at }, { tls: { acme } });
    }
  }
}

/** Reports whether browsers use the endpoint: it is named `http` or has a page. */
const isHttp = ({ name, path }: Endpoint): boolean => name === 'http' || (path !== undefined && name !== 'metrics');

const textAt = (value: unknown, key: string): string | undefined => {
  const found = isRecord(value) ? value[key] : undefined;
  return typeof found === 'string' ? found : undefined;
};
