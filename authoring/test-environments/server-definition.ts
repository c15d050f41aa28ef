import type { Definition, ServerSpec } from '../../core/definition/definition.js';
import { bugError, inputError } from '../../core/errors.js';
import { loadModules } from '../../core/registry.js';
import { isSecretRef } from '../../core/taskserv/secret.js';
import { formatGeneratedPrefix, isGenerated } from '../../core/taskserv/secret-reach.js';
import { type LoadedDefinition, loadDefinition } from '../../definition/load-definition.js';
import { GENERATED_KIND } from '../../definition/reference-kinds.js';
import { registries } from '../../definition/registries/registries.js';
import { didYouMean } from '../../definition/source/did-you-mean.js';
import { rememberSources } from '../bundle/keep-bundle.js';
import type { Context } from '../context.js';
import { DefinitionError } from '../definition/definition-error.js';
import { type InputFlags, inputOf, loadWith } from '../definition/definitions.js';
import type { TestDefinition } from './test-definition.js';

/** Server of a definition, with all or some of its taskservs. */
export interface ServerWish {
  infra: string;
  file: string;
  server: string;
  /** Only these taskservs and their requirements. */
  taskservs?: readonly string[];
  plan?: string;
}

/**
 * Returns the definition of a test environment for one server of a file, on this machine whatever its provider. The
 * workspace's secrets are not used: each is replaced with a password that is generated for the environment.
 *
 * @param context the context of test environments
 * @throws inputError `unknown-server`, `unknown-taskserv`; DefinitionError with every problem of the file
 */
export async function serverDefinition(context: Context, wish: ServerWish, flags: InputFlags): Promise<TestDefinition> {
  const { infra, file, server: name } = wish;
  const loaded: LoadedDefinition = await loadWith(
    context,
    ({ referenceKinds = {}, cost: _, ...options }) => {
      // Files beside the definition are not read: they need not exist.
      const kinds = Object.entries(referenceKinds).map(([kind, one]) => [kind, { ...one, check: undefined }] as const);
      return loadDefinition(file, {
        ...options,
        secretNames: { has: () => true },
        referenceKinds: Object.fromEntries(kinds),
        input: { ...inputOf(context, flags), over: { infra } },
      });
    },
    file,
  );
  if (!loaded.definition) throw new DefinitionError(file, loaded.problems);
  const notes: string[] = [];
  const spec = await hereAs(pickedFrom(loaded.definition, name, wish.taskservs), wish, notes);
  const { workspace } = loaded.definition;
  const standIns = new Map<string, string>();
  const servers = [withStandIns(spec, (secret) => standInFor(secret, { workspace, infra }, standIns))];
  if (standIns.size > 0)
    notes.push(`passwords made for it stand in for ${[...standIns.keys()].map((one) => `"${one}"`).join(', ')}`);
  const definition: Definition = { workspace, infra, onFailure: 'keep', protect: false, servers };
  rememberSources(definition, { main: file, texts: loaded.source.texts ?? [] });
  const given = loaded.given.filter(({ kind }) => kind === GENERATED_KIND);
  return { definition, given, source: loaded.source, type: 'server', about: name, scripts: [], notes };
}

/**
 * Returns the server with the selected taskservs.
 *
 * @throws inputError `unknown-server`, `unknown-taskserv`
 */
function pickedFrom({ servers }: Definition, name: string, wanted: readonly string[] = []): ServerSpec {
  const spec = servers.find((one) => one.name === name);
  if (!spec) {
    const known = servers.map((one) => one.name);
    const why = 'the definition has no such server';
    throw inputError({ code: 'unknown-server', what: 'find the server', on: name, why, hint: didYouMean(name, known) });
  }
  if (wanted.length === 0) return spec;
  const known = spec.taskservs.map((one) => one.name);
  const unknown = wanted.find((one) => !known.includes(one));
  if (unknown !== undefined) {
    const why = `the server "${name}" has no such taskserv`;
    throw inputError({ code: 'unknown-taskserv', what: 'find the taskserv', on: unknown, why, hint: didYouMean(unknown, known) });
  }
  const isKept = ({ name: one, requiredBy }: ServerSpec['taskservs'][number]) =>
    wanted.includes(one) || (requiredBy !== undefined && wanted.includes(requiredBy));
  return { ...spec, taskservs: spec.taskservs.filter(isKept) };
}

/** Converts the server to one on this machine. */
async function hereAs(spec: ServerSpec, { infra, plan }: ServerWish, notes: string[]): Promise<ServerSpec> {
  const { local: provider } = await loadModules((await registries()).providers, ['local']);
  if (!provider) throw bugError({ code: 'unknown-provider', what: 'find the provider', on: 'local', why: 'the option is missing' });
  const { cores, memoryMiB } = spec.plan;
  const wanted = plan ?? `${Math.max(1, Math.ceil(cores))}cpu-${Math.max(128, Math.ceil(memoryMiB))}mb`;
  const found = provider.plans.find(({ name }) => name === wanted) ?? provider.planNamed?.(wanted) ?? provider.sizes.small;
  const { default: standard, supported } = provider.images;
  const image = supported.includes(spec.image) ? spec.image : standard;
  if (image !== spec.image) notes.push(`its host is ${image} in place of ${spec.image || 'what its machine has'}`);
  const { name, group, role, labels, volumes, taskservs } = spec;
  return { name, group, role, labels, volumes, taskservs, plan: found, image, provider: 'local', network: infra, protect: false };
}

function standInFor(name: string, owner: { workspace: string; infra: string }, known: Map<string, string>): string {
  if (isGenerated(name)) return name;
  known.set(name, `${formatGeneratedPrefix(owner)}stand-in.${name.replace(/[^A-Za-z0-9._-]/g, '-').slice(0, 100)}`);
  return known.get(name) as string;
}

/** Returns a copy with other names of secrets. */
function withStandIns<T>(value: T, nameOf: (name: string) => string): T {
  if (isSecretRef(value)) return { $secret: nameOf(value.$secret) } as T;
  if (Array.isArray(value)) return value.map((one) => withStandIns(one, nameOf)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withStandIns(one, nameOf)])) as T;
}
