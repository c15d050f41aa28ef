import type { Facts } from '../../core/host/facts.js';
import type { Text } from '../../core/taskserv/secret.js';
import type { AnyTaskserv } from '../../core/taskserv/taskserv.js';

/** What a module says of itself. */
export type ModuleDescription = Pick<
  AnyTaskserv,
  'description' | 'category' | 'versions' | 'requires' | 'after' | 'conflicts' | 'supports' | 'overrides'
> & {
  /** JSON Schema of its configuration. */
  schema: Record<string, unknown>;
  /** What it answers besides what all taskservs do. */
  has: Record<'uses' | 'endpoints' | 'drain' | 'undrain', boolean>;
};

/** A fact without what reads its answer. */
export type SentFact =
  | Exclude<Facts[string], { kind: 'command' }>
  | { kind: 'command'; run: string; env?: Record<string, Text>; absent?: unknown };

/** A file of a host, in whose content the secrets of the service stand by their names. */
export interface SentFile {
  $file: { path: string; exists: boolean; content: string; mode: string; owner: string };
}
