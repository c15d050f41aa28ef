import { absentValue, type Facts } from '../../core/host/facts.js';
import type { Step } from '../../core/host/step.js';
import { reveal } from '../../core/taskserv/secret.js';
import type { AnyTaskserv, HealthCheck } from '../../core/taskserv/taskserv.js';
import { memcached } from '../../taskservs/memcached/memcached.js';
import { nginx } from '../../taskservs/nginx/nginx.js';
import { nodeExporter } from '../../taskservs/node-exporter/node-exporter.js';
import { postgres } from '../../taskservs/postgres/postgres.js';
import { redis } from '../../taskservs/redis/redis.js';

/** Work of each peer on a host, with the checks. */
export interface Work {
  packages: string[];
  files: { path: string; content: string; mode: string; owner: string; group: string }[];
  directories: string[];
  absent: string[];
  services: { name: string; change: 'restart' | 'reload'; reads: string[] }[];
  /** Commands that fail, or whose output lacks `expect`, if a service is unhealthy. */
  checks: { title: string; command: string; expect: string }[];
}

const ALL: AnyTaskserv[] = [nginx, redis, postgres, memcached, nodeExporter];

/** Services of each host: three, or those in `SERVICES`. */
const WANTED = (process.env.SERVICES ?? 'nginx,redis,postgres').split(',');
export const TASKSERVS: AnyTaskserv[] = ALL.filter(({ name }) => WANTED.includes(name));

/**
 * Derives the work from the taskservs themselves, so that every peer writes the same bytes and runs the same checks.
 */
export function workOf(taskservs: AnyTaskserv[] = TASKSERVS): Work {
  const host = { name: 'host', role: 'host', os: 'debian', arch: 'amd64', cores: 1, memoryMiB: 2048 };
  const work: Work = { packages: [], files: [], directories: [], absent: [], services: [], checks: [] };
  for (const taskserv of taskservs) {
    const config = taskserv.config.parse({});
    const facts: Facts = taskserv.facts(config);
    const found = Object.fromEntries(Object.entries(facts).map(([name, fact]) => [name, absentValue(fact)]));
    const context = { host, peers: [], version: taskserv.versions.default };
    for (const step of taskserv.plan(config, found, context)) add(work, step);
    work.checks.push(...taskserv.health(config, context).map(asCommand));
  }
  return work;
}

function add(work: Work, step: Step): void {
  if ('package' in step) work.packages.push(step.package.name);
  else if ('directory' in step) work.directories.push(step.directory.path);
  else if ('absent' in step) work.absent.push(step.absent.path);
  else if ('service' in step) {
    const { name, change = 'restart', reads = [] } = step.service;
    work.services.push({ name, change, reads });
  } else if ('file' in step) {
    const { path, content, mode = '0644', owner: both = 'root:root' } = step.file;
    const [owner = 'root', group = 'root'] = both.split(':');
    work.files.push({ path, content: reveal(content, () => ''), mode, owner, group });
  }
  // Omitted: tests of a new configuration, which only run before a restart.
}

function asCommand(check: HealthCheck): Work['checks'][number] {
  const { title } = check;
  if ('command' in check) return { title, command: check.command, expect: check.expect ?? '' };
  if ('http' in check) return { title, command: `curl -fsS --max-time 5 '${check.http}'`, expect: check.expect ?? '' };
  throw new Error(`compare the check: ${title}: peers have no counterpart for it`);
}
