import type { moduleOf } from './table.js';

/** The smallest of each kind, so that a kind is proven whatever changed. */
export const OF_KINDS: Readonly<Record<NonNullable<ReturnType<typeof moduleOf>['kind']>, string>> = {
  package: 'node-exporter',
  settings: 'ssh',
  vendor: 'vault',
  release: 'traefik',
};
