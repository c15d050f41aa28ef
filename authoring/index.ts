import type { Client } from '../client/client.js';
import { connect as connectClient } from '../client/connect.js';
import type { Definition } from '../core/definition/definition.js';
import type { OperationResult } from '../core/operation/operation.js';
import { type Home, homeOf } from '../home/home.js';
import { principal } from '../home/principal.js';
import { workspaceOf } from '../home/workspaces/which.js';
import { keepModules, keepSource } from './bundle/keep-bundle.js';
import type { Context } from './context.js';
import { buildRequest, type RequestOptions } from './request/requests.js';

export type { LogEntry, OperationEvent, OperationSummary } from '../app/schemas/operation.js';
export type { Client } from '../client/client.js';
export type { Definition } from '../core/definition/definition.js';
export { ProvisioningError } from '../core/errors.js';
export type { OperationRequest, OperationResult, Progress } from '../core/operation/operation.js';
export type { Problem } from '../definition/source/problem.js';
export { DefinitionError } from './definition/definition-error.js';
export type { RequestOptions } from './request/requests.js';

/** Location in which a program works. All fields have defaults. */
export interface Place {
  /** Default: `PROVISIONING_WORKSPACE`, or `default`. */
  workspace?: string;
  /** Default: the home in `PROVISIONING_HOME`. */
  home?: Home;
  /** Default: the environment of this process. */
  env?: NodeJS.ProcessEnv;
}

/** Inputs of a definition in addition to its file. */
export interface ReadOptions extends Place {
  /** Environment whose overlay and values apply. Default: `PROVISIONING_ENV`. */
  environment?: string;
  /** Values of its variables as text, in the format of `--var`: lists and maps as JSON. */
  variables?: Readonly<Record<string, string>>;
}

/** Client of the platform for programs. */
export interface Platform extends Client {
  /**
   * Previews `apply` without changing anything. `plan` of the result has the steps, in order.
   *
   * @throws ProvisioningError as `apply` does
   */
  preview(definition: Definition, options?: RequestOptions): Promise<OperationResult>;
  /**
   * Applies the definition to its infra and removes resources that it no longer names. Returns as soon as the
   * operation has started. `operations.follow` and `operations.result` take its id. Without `allowDestroy`, an
   * operation that would replace or delete a server fails before any change.
   *
   * @throws ProvisioningError `no-worker` (transient) if no worker is running
   */
  apply(definition: Definition, options?: RequestOptions): Promise<{ operation: string }>;
}

/**
 * Reads and checks a definition file. Values of external references are read and stored for the worker. The definition
 * then has their names.
 *
 * @throws DefinitionError with every problem of the file, each with its line and column
 */
export async function loadDefinition(file: string, place: ReadOptions = {}): Promise<Definition> {
  const { sourceFrom } = await import('./definition/definitions.js');
  const { resolveExternalValues } = await import('./given/with-given.js');
  const values = Object.entries(place.variables ?? {}).map(([name, value]) => `${name}=${value}`);
  let connected: Promise<Client> | undefined;
  const { client, ...context } = contextOf(place);
  const closing: Context = {
    ...context,
    client: () => {
      connected = client();
      return connected;
    },
  };
  try {
    return await resolveExternalValues(closing, await sourceFrom(closing, file, { env: place.environment, var: values }));
  } finally {
    await connected?.then(
      (one) => one.close(),
      () => {},
    );
  }
}

/**
 * Connects to the platform of a home: through its worker where one runs, else straight to its Temporal service.
 *
 * @throws ProvisioningError `engine-not-running` (transient) where `provisioning up` was not run
 * @example
 * const platform = await connect();
 * const { operation } = await platform.apply(await loadDefinition('infra.yaml'));
 */
export async function connect(place: Place = {}): Promise<Platform> {
  const context = contextOf(place);
  const client = await context.client();
  const applying = async (definition: Definition, options?: RequestOptions) => {
    const { keepEnvironmentSecrets } = await import('./secrets/keep-environment.js');
    await keepEnvironmentSecrets(context, definition);
    // The definition's workspace may differ from this place's.
    const { infra, workspace } = definition;
    const wish = { kind: 'cluster', infra, intent: { verb: 'ensure', prune: true }, definition } as const;
    return buildRequest({ ...context, workspace }, wish, options);
  };
  return {
    ...client,
    async preview(definition, options) {
      await keepModules(client, definition);
      const { operation } = await client.plans.preview({ request: await applying(definition, options) });
      return client.operations.result({ operation });
    },
    async apply(definition, options) {
      const request = await applying(definition, options);
      const source = await keepSource(client, definition);
      const { operation } = await client.operations.submit({ request: { ...request, ...source } });
      return { operation };
    },
  };
}

function contextOf({ env = process.env, home = homeOf(env), workspace }: Place): Context {
  let connected: Promise<Client> | undefined;
  return {
    env,
    home,
    workspace: workspaceOf(env, workspace),
    actor: principal(),
    client: () => {
      connected ??= connectClient({ home, env });
      return connected;
    },
    // Programs read results, so notes are dropped.
    note: () => {},
  };
}
