import type { moduleOf } from './table.js';

/** Smallest taskserv of each kind, so that each kind is always proven. */
export const OF_KINDS: Readonly<Record<NonNullable<ReturnType<typeof moduleOf>['kind']>, string>> = {
  package: 'node-exporter',
  settings: 'ssh',
  vendor: 'vault',
  release: 'traefik',
};
