import type { Scope } from '../../../core/machine/call-context.js';
import type { AnyProvider, CreateContext, FoundServer, ProviderConnection, WantedServer } from '../../../core/machine/provider.js';
import type { TestAccess } from '../host-access.js';

/** What a suite needs of a provider besides its verbs; what it leaves out, is not asked of it. */
export interface ContractSubject {
  provider: AnyProvider;
  connect(): Promise<ProviderConnection>;
  /** Of all that the suite makes; labels of its own where it is absent. */
  labels?: { workspace: string; setup: string };
  /** How often a server of this name was really made. */
  countCreated(scope: Scope, name: string): Promise<number>;
  /** Stops a server behind the provider's back. */
  stop(scope: Scope, name: string): Promise<void>;
  /** Takes the volume `<server>/<volume>` off its server, with its data, behind the provider's back. */
  detach?(scope: Scope, volume: string): Promise<void>;
  /** Makes a server that is none of ours, and answers its id. */
  makeStranger?(name: string): Promise<string>;
  /** Makes a network that is none of ours, and answers its id; `isThere` says later whether it still exists. */
  makeNetwork?(): Promise<{ id: string; isThere(): Promise<boolean> }>;
  /** Lets the account make no more servers, or again as many as before. */
  fill?(full: boolean): Promise<void>;
  /** What a machine was told at its first boot. */
  userData?(scope: Scope, name: string): Promise<string>;
}

/** What all cases of a suite share. */
export interface Stage {
  subject: ContractSubject;
  provider: AnyProvider;
  readonly connection: ProviderConnection;
  /** The infra of the suite, and one of the same name with another UUID. */
  scope: Scope;
  stranger: Scope;
  setup: string;
  access: TestAccess;
  context(key?: string, whose?: Scope): CreateContext;
  /** The server `web-1` with a volume, or with these changes. */
  wanted(changes?: Partial<WantedServer>): WantedServer;
  /** Makes a server without volumes, `extra-1` or with these changes, and waits until it can be used. */
  extra(changes: Partial<WantedServer>): Promise<FoundServer>;
  remove(...names: string[]): Promise<void>;
}

/** The kinds of resources, in the order of the table in docs/reference/clouds/contract.md. */
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

/** One promise that every provider keeps which offers what it is about. */
export interface ContractCase {
  kind: Kind;
  title: string;
  /** Whether the provider offers it; absent: all do. */
  offered?(stage: Stage): boolean;
  run(stage: Stage): Promise<void>;
}

export const FOREIGN = { details: { code: 'owned-by-another', blame: 'user' } };

/** What the provider says that it made for the suite, as `kind name`. */
export async function ownedBy({ connection, setup, scope }: Stage): Promise<string[]> {
  const rows = await connection.owned({ workspace: scope.workspace, setup });
  return rows
    .filter((one) => one.scope.uuid === scope.uuid)
    .map(({ kind, name }) => `${kind} ${name}`)
    .sort();
}
