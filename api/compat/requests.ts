import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import type { CommandLine } from './command-line.js';

const name = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$/, 'is not a name');
const taskserv = z.string().regex(/^[a-z][a-z0-9_-]{0,63}$/, 'is not the name of a taskserv');
const path = z.string().min(1).max(1_000);

const common = {
  infra: name,
  settings: path.optional(),
  check_mode: z.boolean().default(false),
  // The answer has the id of the task in both cases: `/tasks/{id}` reports its end.
  wait: z.boolean().default(false),
};
const operation = z.literal('create').default('create');

export const createServers = z.strictObject({ ...common, servers: z.array(name).max(1_000).default([]) });
export const createTaskserv = z.strictObject({ ...common, operation, taskserv, servers: z.array(name).max(1_000).default([]) });
export const createCluster = z.strictObject({ ...common, operation });

type Workflow = z.output<typeof createServers> | z.output<typeof createTaskserv> | z.output<typeof createCluster>;

/** The command of a workflow. @param file the definition, resolved; absent: that which was applied last */
export function writeWorkflow(kind: 'server' | 'taskserv' | 'cluster', asked: Workflow, file: string | undefined): CommandLine {
  const servers = 'servers' in asked ? asked.servers : [];
  const named = kind === 'server' ? servers : 'taskserv' in asked ? [asked.taskserv] : [];
  return {
    args: [
      ...[kind, 'create', ...named, '--infra', asked.infra],
      ...(kind === 'taskserv' && servers.length > 0 ? ['--server', servers.join(',')] : []),
      ...(file === undefined ? [] : ['--file', file]),
      ...(asked.check_mode ? ['--check'] : ['--no-wait', '--yes']),
    ],
  };
}

const resources = z.strictObject({
  cpu_millicores: z.int().min(1).max(1_000_000).optional(),
  memory_mb: z.int().min(1).max(4_000_000).optional(),
});
const image = z.string().regex(/^[a-z][a-z0-9]*[:-][a-z0-9.]+$/, 'is not an image such as debian:12');

const single = z.strictObject({
  type: z.literal('single_taskserv'),
  taskserv,
  base_image: image.optional(),
  resources: resources.optional(),
});
const simulation = z.strictObject({
  type: z.literal('server_simulation'),
  server_name: name,
  taskservs: z.array(taskserv).min(1).max(100),
  base_image: image.optional(),
  resources: resources.optional(),
});
const node = z.strictObject({
  name,
  role: name.optional(),
  taskservs: z.array(taskserv).max(100),
  resources: resources.optional(),
});
const topology = z.strictObject({
  type: z.literal('cluster_topology'),
  cluster_type: name,
  topology: z.strictObject({
    nodes: z.array(node).min(1).max(100),
    // The platform chooses the subnet of an environment, so that two environments never overlap.
    network: z.strictObject({ subnet: z.string().max(50).optional() }).optional(),
  }),
  base_image: image.optional(),
});

export const createEnvironment = z.strictObject({
  config: z.discriminatedUnion('type', [single, simulation, topology]),
  infra: name.optional(),
  auto_start: z.boolean().default(false),
  auto_cleanup: z.boolean().default(false),
});
export type EnvironmentRequest = z.output<typeof createEnvironment>;

export const runEnvironment = z.strictObject({ servers: z.array(name).min(1).optional() });

/** The taskservs that an environment is about. */
export function taskservsIn({ config }: EnvironmentRequest): string[] {
  if (config.type === 'single_taskserv') return [config.taskserv];
  return config.type === 'server_simulation' ? config.taskservs : config.topology.nodes.flatMap((one) => one.taskservs);
}

/** The command that creates an environment, and the environment's name. */
export function writeEnvironment({ config, infra, auto_start, auto_cleanup }: EnvironmentRequest): CommandLine & { id: string } {
  const id = createName(infra ?? aboutOf(config));
  const more = [
    ...['--name', id],
    ...(config.base_image === undefined ? [] : ['--image', config.base_image.replace(':', '-')]),
    ...(auto_start ? ['--auto-start'] : []),
    ...(auto_start && auto_cleanup ? ['--auto-cleanup'] : []),
  ];
  if (config.type === 'single_taskserv') {
    const { cpu_millicores: cpu, memory_mb: memory } = config.resources ?? {};
    const limits = [
      ...(cpu === undefined ? [] : ['--cpus', String(coresOf(cpu))]),
      ...(memory === undefined ? [] : ['--memory', `${memory}MiB`]),
    ];
    return { id, args: ['test', 'env', 'single', config.taskserv, ...more, ...limits] };
  }
  const nodes =
    config.type === 'server_simulation'
      ? [{ name: config.server_name, taskservs: config.taskservs, resources: config.resources }]
      : config.topology.nodes;
  const servers = nodes.map(
    ({ name, taskservs, resources: { cpu_millicores: cpu = 1_000, memory_mb: memory = 2_048 } = {}, ...rest }) => ({
      name,
      ...('role' in rest && rest.role !== undefined && { role: rest.role }),
      plan: `${coresOf(cpu)}cpu-${memory}mb`,
      taskservs: taskservs.map((one) => ({ name: one })),
    }),
  );
  // JSON is YAML.
  return { id, args: ['test', 'env', 'cluster', '-', ...more], input: JSON.stringify({ description: aboutOf(config), servers }) };
}

const coresOf = (millicores: number): number => Math.ceil(millicores / 1_000);

const aboutOf = (config: EnvironmentRequest['config']): string =>
  config.type === 'single_taskserv'
    ? config.taskserv
    : config.type === 'server_simulation'
      ? config.server_name
      : config.cluster_type;

/** A name that no environment has, such as `kubernetes-3f9a2c`. */
function createName(about: string): string {
  const word = about
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '');
  return `${word.slice(0, 32) || 'test'}-${randomBytes(3).toString('hex')}`;
}
