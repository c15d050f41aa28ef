import type { Facts } from '../../core/host/facts.js';
import type { Share } from '../../core/taskserv/groups/group.js';
import type { Text } from '../../core/taskserv/secret.js';
import type { AnyTaskserv } from '../../core/taskserv/taskserv.js';

/** Description of a module. */
export type ModuleDescription = Pick<
  AnyTaskserv,
  'description' | 'category' | 'versions' | 'requires' | 'after' | 'conflicts' | 'supports' | 'overrides'
> & {
  /** JSON Schema of its configuration. */
  schema: Record<string, unknown>;
  /** Optional functions that it has. */
  has: Record<'uses' | 'endpoints' | 'drain' | 'undrain', boolean> & {
    group?: {
      quorum: 'majority' | 'one';
      leave: boolean;
      handOver: boolean;
      shares?: Record<string, Pick<Share<unknown>, 'title' | 'lifetimeSeconds' | 'spareSeconds' | 'on'>>;
    };
  };
};

/** Fact without the function that parses its answer. */
export type SentFact =
  | Exclude<Facts[string], { kind: 'command' }>
  | { kind: 'command'; run: string; env?: Record<string, Text>; absent?: unknown };

/** File of a host, whose content has secret names instead of secret values. */
export interface SentFile {
  $file: { path: string; exists: boolean; content: string; mode: string; owner: string };
}
