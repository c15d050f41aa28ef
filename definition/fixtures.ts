import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { type AnyProvider, defineProvider } from '../core/machine/provider.js';
import { endpoint, port, secret, size } from '../core/schema/fields.js';
import { type AnyTaskserv, defineTaskserv } from '../core/taskserv/taskserv.js';
import type { DefinitionInput } from './interpolation/interpolate.js';
import { type LoadedDefinition, type LoadOptions, type LockOptions, loadDefinition } from './load-definition.js';
import type { ReferenceKinds } from './reference-kinds.js';

const make = (name: string, more: Partial<AnyTaskserv> = {}): AnyTaskserv => ({
  ...defineTaskserv({
    name,
    category: 'test',
    description: name,
    versions: { default: '2', supported: ['2', '1.20'], source: 'test' },
    config: z.strictObject({}),
    facts: () => ({}),
    installed: () => undefined,
    plan: () => [],
    health: () => [],
    remove: () => [],
  }),
  ...more,
});

/** Small ones, each with something of its own to be wrong about. */
export const taskservs: Record<string, AnyTaskserv> = {
  redis: make('redis', {
    config: z.strictObject({
      port: port(6379),
      password: secret().optional(),
      maxMemory: size('64 MiB'),
      policy: z.enum(['keep', 'drop']).default('keep'),
      users: z.array(z.strictObject({ name: z.string(), password: secret().optional() })).default([]),
    }),
    endpoints: (config) => [{ name: 'redis', port: config.port }],
  }),
  web: make('web', {
    config: z.strictObject({
      port: port(80),
      title: z.string().default('hello'),
      extra: z.record(z.string(), z.string()).default({}),
    }),
    endpoints: (config) => [{ name: 'http', port: config.port }],
    after: ['redis'],
  }),
  proxy: make('proxy', { requires: ['base'], conflicts: ['rival'], endpoints: () => [{ name: 'http', port: 80 }] }),
  panel: make('panel', { endpoints: () => [{ name: 'admin', port: 9000, local: true }] }),
  reader: make('reader', { uses: () => ['redis'] }),
  balancer: make('balancer', {
    config: z.strictObject({
      backends: z.array(z.strictObject({ to: endpoint({ taskserv: 'web', offering: 'http' }) })).default([]),
      spare: endpoint({ taskserv: 'web', offering: 'http' }),
    }),
  }),
  base: make('base'),
  rival: make('rival'),
  chicken: make('chicken', { requires: ['egg'] }),
  egg: make('egg', { after: ['chicken'] }),
  ring: make('ring', {
    config: z.strictObject({ group: z.string().optional() }),
    group: {
      ...{ of: ({ group }) => group, facts: () => ({}), standing: () => ({ serves: false }), quorum: 'majority' },
      shares: { token: { title: 'Make a token', lifetimeSeconds: 3_600, make: () => 'make-token' } },
    },
  }),
};

const plan = (name: string, cores: number) => ({ name, cores, memoryMiB: cores * 1024, diskGiB: 10 });
const provider = (name: string, more: Partial<AnyProvider> = {}): AnyProvider =>
  defineProvider({
    name,
    description: name,
    config: z.strictObject({}),
    sizes: { small: plan('s1', 1), medium: plan('s2', 2), large: plan('s4', 4), xlarge: plan('s8', 8) },
    plans: [plan('metal-16', 16)],
    images: { default: 'debian-12', supported: ['debian-12', 'debian-13'] },
    connect: async () => {
      throw new Error('prices and plans are not available here');
    },
    ...more,
  });
const providers = {
  local: provider('local'),
  demo: provider('demo', {
    variables: { DEMO_TOKEN: 'token' },
    account: ({ account }) => account,
    regions: { 'eu-central': 'fsn', 'us-east': 'ash' },
    features: ['firewall', 'placement', 'address', 'network-range', 'existing-network'],
    planNamed: (name) => (/^s\d+$/.test(name) ? plan(name, Number(name.slice(1))) : undefined),
    isOwnImage: (name) => name.startsWith('img-'),
  }),
};

const registryOf = <Module extends object>(modules: Record<string, Module>) =>
  Object.fromEntries(Object.entries(modules).map(([name, module]) => [name, { ...module, load: async () => module }]));
const registries: LoadOptions['registries'] = { taskservs: registryOf(taskservs), providers: registryOf(providers) };

/** Loads a text as if it were a file of this name; the secret `redis-password` is set. */
export const load = (text: string, name = 'infra.yaml'): Promise<LoadedDefinition> => loadFiles({ [name]: text });

/** Loads the first of these files, which lie in a folder of their own; files are told of by their path there. */
export async function loadFiles(
  files: Readonly<Record<string, string>>,
  input?: DefinitionInput,
  referenceKinds?: ReferenceKinds,
  lock?: LockOptions,
  published: Readonly<Record<string, unknown>> = {},
  folders?: LoadOptions['folders'],
): Promise<LoadedDefinition> {
  const folder = await mkdtemp(join(tmpdir(), 'definition-'));
  try {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(join(folder, dirname(name)), { recursive: true });
      await writeFile(join(folder, name), text);
    }
    const [main = ''] = Object.keys(files);
    const inFolder = { ...input, varFiles: input?.varFiles?.map((file) => join(folder, file)) };
    const secretNames = new Set(['redis-password']);
    const all = Object.entries(registries.taskservs).map(([name, one]) => [
      name,
      { ...one, published: async () => published[name] },
    ]);
    const withPublished = { ...registries, taskservs: Object.fromEntries(all) };
    const options = {
      workspace: 'default',
      registries: withPublished,
      secretNames,
      input: inFolder,
      referenceKinds,
      lock,
      folders,
    };
    const loaded = await loadDefinition(join(folder, main), options);
    const here = (text: string) => text.replaceAll(`${folder}/`, '').replaceAll(folder, 'FOLDER');
    return loaded.definition
      ? loaded
      : { problems: loaded.problems.map((one) => ({ ...one, file: here(one.file), message: here(one.message) })) };
  } finally {
    await rm(folder, { recursive: true });
  }
}
