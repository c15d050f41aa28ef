import { absentValue, type Facts } from '../../core/host/facts.js';
import type { AnyTaskserv } from '../../core/taskserv/taskserv.js';
import { findHeldVersion } from '../../core/versions/release-versions.js';
import { local } from '../../providers/local/index.js';
import { PROOFS } from '../catalog/proofs/index.js';
import type { Written } from '../support/definition.js';
import { modules } from '../support/modules.js';

/**
 * Configurations that cover more than the defaults: passwords, further files, accounts. Other services use the
 * configuration of their proof.
 */
const CONFIGS: Record<string, Record<string, unknown>> = {
  firewall: { allow: [{ port: 9, protocol: 'udp', from: ['10.0.0.0/8', 'fd00::/8'] }] },
  // Both haproxy and nginx use port 80 by default.
  haproxy: { port: 8080 },
  mariadb: {
    users: [{ name: 'shop', password: { generate: 'password' } }],
    databases: [{ name: 'shop', owner: 'shop' }],
  },
  nats: { users: [{ name: 'shop', password: { generate: 'password' } }], jetStream: true },
  nginx: { sites: [{ name: 'docs', port: 8081, serverName: 'docs.example.org', root: '/srv/docs' }] },
  postgres: {
    users: [{ name: 'shop', password: { generate: 'password' } }],
    databases: [{ name: 'shop', owner: 'shop' }],
    settings: { work_mem: '8MB' },
  },
  redis: { password: { generate: 'password' }, persistence: 'append-only' },
  users: {
    users: [
      {
        name: 'ann',
        groups: ['adm', 'people'],
        sudo: true,
        authorizedKeys: ['ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGZvb2Jhcg ann@laptop'],
      },
    ],
  },
};

/**
 * Reports whether a service needs only a host as these tests have them: the release has it, and it needs no other
 * server, no mirror of the test, and no cloud.
 */
function standsAlone(name: string): boolean {
  if (findHeldVersion(taskservOf(name).versions, local.images.default) === null) return false;
  if (CONFIGS[name]) return true;
  const proof = PROOFS[name];
  return proof !== undefined && !(proof.beside || proof.secrets || proof.artifacts || proof.standIn || proof.zone);
}

/** Services that meet each other: all the platform's taskservs that a single host can run. */
export const services: readonly string[] = Object.keys(modules.taskservs).filter(standsAlone).sort();

/** Returns a taskserv's entry in definitions of these tests. */
export const entryOf = (name: string): NonNullable<Written['taskservs']>[number] => ({ name, config: configOf(name) });

function configOf(name: string): Record<string, unknown> {
  // The submitting client creates certificates, and these tests do not use it. Services meet in plain text.
  const { tls: _, authority: __, ...config } = PROOFS[name]?.config ?? {};
  return CONFIGS[name] ?? config;
}

/** Reports whether two services may share a server. */
export const mayMeet = (a: string, b: string): boolean =>
  !taskservOf(a).conflicts?.includes(b) && !taskservOf(b).conflicts?.includes(a);

function taskservOf(name: string): AnyTaskserv {
  const taskserv = modules.taskservs[name];
  if (!taskserv) throw new Error(`no taskserv ${name}`);
  return taskserv;
}

/**
 * Returns the resources that a taskserv declares, with its defaults and with the configuration of these tests. They
 * are packages, ports and files, as `package nginx`, `port 80`, `file /etc/nginx/nginx.conf`.
 */
export function touchedBy(name: string): Set<string> {
  const taskserv = taskservOf(name);
  const read = [{}, configOf(name)].flatMap((written) => {
    const { success, data } = taskserv.config.safeParse(written);
    return success ? [data] : [];
  });
  return new Set(read.flatMap((config) => [...ofFacts(taskserv.facts(config)), ...ofPlan(taskserv, config)]));
}

function ofFacts(facts: Facts): string[] {
  return Object.values(facts).flatMap((fact) => {
    if (fact.kind === 'package') return [`package ${fact.name}`];
    if (fact.kind === 'file') return [`file ${fact.path}`];
    return fact.kind === 'service' ? fact.reads.map((path) => `file ${path}`) : [];
  });
}

function ofPlan(taskserv: AnyTaskserv, config: unknown): string[] {
  const facts: Facts = taskserv.facts(config);
  const found = Object.fromEntries(Object.entries(facts).map(([key, fact]) => [key, absentValue(fact)]));
  const host = { name: 'a', role: 'a', os: 'debian', arch: 'amd64', cores: 1, memoryMiB: 1024 };
  const steps = taskserv.plan(config, found, { host, peers: [], version: taskserv.versions.default } as never);
  return [
    ...(taskserv.endpoints?.(config) ?? []).map(({ port }) => `port ${port}`),
    ...steps.flatMap((step) => {
      if ('package' in step) return [`package ${step.package.name}`];
      if ('file' in step) return [`file ${step.file.path}`];
      return 'absent' in step ? [`file ${step.absent.path}`] : [];
    }),
  ];
}
