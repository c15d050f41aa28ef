import type { Scope } from '../../../core/machine/call-context.js';
import type { AnyProvider, CreateContext, FoundServer, ProviderConnection, WantedServer } from '../../../core/machine/provider.js';
import type { TestAccess } from '../host-access.js';

/** Requirements of a suite on a provider in addition to its verbs. Tests for absent members are skipped. */
export interface ContractSubject {
  provider: AnyProvider;
  connect(): Promise<ProviderConnection>;
  /** Labels of all resources in the suite. Default: own labels. */
  labels?: { workspace: string; setup: string };
  /** Returns how often a server with this name was created. */
  countCreated(scope: Scope, name: string): Promise<number>;
  /** Stops a server without the provider. */
  stop(scope: Scope, name: string): Promise<void>;
  /** Detaches the volume `<server>/<volume>` from its server, with its data, without the provider. */
  detach?(scope: Scope, volume: string): Promise<void>;
  /** Creates a server without our labels and returns its id. */
  makeStranger?(name: string): Promise<string>;
  /** Creates a network without our labels and returns its id. `isThere` reports later whether it still exists. */
  makeNetwork?(): Promise<{ id: string; isThere(): Promise<boolean> }>;
  /** Sets or removes a limit that prevents further servers in the account. */
  fill?(full: boolean): Promise<void>;
  /** Returns the user data of a machine's first boot. */
  userData?(scope: Scope, name: string): Promise<string>;
}

/** State that all cases of a suite share. */
export interface Stage {
  subject: ContractSubject;
  provider: AnyProvider;
  readonly connection: ProviderConnection;
  /** Infra of the suite, and an infra with the same name and another UUID. */
  scope: Scope;
  stranger: Scope;
  setup: string;
  access: TestAccess;
  context(key?: string, whose?: Scope): CreateContext;
  /** Returns the server `web-1` with a volume, or with these changes. */
  wanted(changes?: Partial<WantedServer>): WantedServer;
  /** Creates a server without volumes, `extra-1` or with these changes, and waits until it can be used. */
  extra(changes: Partial<WantedServer>): Promise<FoundServer>;
  remove(...names: string[]): Promise<void>;
}

/** Kinds of resources, in the order of the table in docs/reference/clouds/contract.md. */
export const KINDS = [
  'network',
  'server',
  'ownership',
  'volume',
  'firewall',
  'address',
  'placement',
  'key',
  'image',
  'plan',
  'zone',
  'price',
  'quota',
  'adoption',
] as const;
export type Kind = (typeof KINDS)[number];

/** Guarantee that every provider with the feature gives. */
export interface ContractCase {
  kind: Kind;
  title: string;
  /** Returns whether the provider has the feature. Default: all have it. */
  offered?(stage: Stage): boolean;
  run(stage: Stage): Promise<void>;
}

export const FOREIGN = { details: { code: 'owned-by-another', blame: 'user' } };

/** Returns the resources that the provider reports for the suite, as `kind name`. */
export async function ownedBy({ connection, setup, scope }: Stage): Promise<string[]> {
  const rows = await connection.owned({ workspace: scope.workspace, setup });
  return rows
    .filter((one) => one.scope.uuid === scope.uuid)
    .map(({ kind, name }) => `${kind} ${name}`)
    .sort();
}
