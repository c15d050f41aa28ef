import type { Definition, ServerSpec, TaskservSpec } from '../../core/definition/definition.js';
import { isSecretRef } from '../../core/taskserv/secret.js';
import type { AnyTaskserv } from '../../core/taskserv/taskserv.js';
import { isRecord } from '../source/salvage.js';
import type { Names } from './evaluate-rule.js';
import type { Data, Value } from './rule-functions.js';

/** Something that a rule is judged for, with what its names mean there. */
export interface Subject {
  kind: 'infra' | 'server' | 'service' | 'volume';
  /** Name in exceptions: `db`, `db/postgres`, `db/data`, or the name of the infra. */
  on: string;
  server?: string;
  names: Names;
}

/** Values for rules that are not part of the definition. */
export interface FactContext {
  environment?: string;
  taskservs: Readonly<Record<string, Pick<AnyTaskserv, 'category'>>>;
  /** Value of `cost`. Throws a `RuleFault` if prices are unknown. */
  cost: () => Value;
}

/** All that rules are judged for in a definition, by what they go through. */
export function collectSubjects(definition: Definition, { environment, taskservs, cost }: FactContext): Subject[] {
  const servers = definition.servers.map((server) => serverFacts(server, taskservs));
  const services = servers.flatMap((server) => server.services);
  const volumes = servers.flatMap((server) => server.volumes);
  const { infra: name, workspace, protect, onFailure } = definition;
  const infra: Data = { name, workspace, environment: environment ?? null, protect, onFailure, servers, services, volumes };
  const shared = { infra, cost };
  return [
    { kind: 'infra', on: name, names: shared },
    ...servers.flatMap((server): Subject[] => {
      const here = { ...shared, server };
      const own = { server: server.name };
      return [
        { kind: 'server', on: server.name, ...own, names: here },
        ...server.services.map((service) => ({
          kind: 'service' as const,
          on: `${server.name}/${service.name}`,
          ...own,
          names: { ...here, service },
        })),
        ...server.volumes.map((volume) => ({
          kind: 'volume' as const,
          on: `${server.name}/${volume.name}`,
          ...own,
          names: { ...here, volume },
        })),
      ];
    }),
  ];
}

type ServerFacts = Data & { name: string; services: (Data & { name: string })[]; volumes: (Data & { name: string })[] };

function serverFacts(spec: ServerSpec, taskservs: FactContext['taskservs']): ServerFacts {
  const { name, group, role, provider, plan, image, zone, labels, network, protect } = spec;
  return {
    ...{ name, group, role, provider, image, labels, network, protect },
    plan: plan.name,
    cores: plan.cores,
    memoryMiB: plan.memoryMiB,
    diskGiB: plan.diskGiB,
    zone: zone ?? null,
    placement: spec.placement ?? null,
    address: spec.address ?? null,
    existing: spec.host !== undefined,
    firewall: (spec.firewall ?? []).map(({ protocol, ports, from }) => ({ protocol, ports: ports ?? null, from: [...from] })),
    services: spec.taskservs.map((taskserv) => serviceFacts(name, taskserv, taskservs)),
    volumes: spec.volumes.map((volume) => ({ ...volume, server: name })),
  };
}

function serviceFacts(server: string, spec: TaskservSpec, taskservs: FactContext['taskservs']): Data & { name: string } {
  const { name, version, config, requiredBy } = spec;
  const endpoints = spec.endpoints.map((one) => ({
    name: one.name,
    port: one.port,
    protocol: one.protocol ?? 'tcp',
    local: one.local ?? false,
    public: one.public !== undefined,
    from: [...(one.public ?? [])],
  }));
  return {
    ...{ name, server, version, endpoints },
    category: taskservs[name]?.category ?? '',
    public: endpoints.filter((one) => one.public),
    requiredBy: requiredBy ?? null,
    config: dataOf(config),
  };
}

/** A configuration as rules see it: a secret is `{ secret: NAME }`, as in a file. */
function dataOf(value: unknown): Value {
  if (isSecretRef(value)) return { secret: value.$secret };
  if (Array.isArray(value)) return value.map(dataOf);
  if (isRecord(value))
    return Object.fromEntries(Object.entries(value).flatMap(([key, one]) => (one === undefined ? [] : [[key, dataOf(one)]])));
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}
