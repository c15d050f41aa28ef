import { nameIdleInfra } from '../idle-infras.js';
import { nameEnded } from './ended.js';
import type { LoadRequest } from './load.js';

/** Content of the platform that can be read. */
export interface Readable {
  infras: number;
  ended: number;
  /** Operations by their ids: one that waits for an approval, and one that has ended and that Temporal still has. */
  open: string;
  recent: string;
}

/** A kind of read with its share in the mixed load. */
export interface ReadKind {
  kind: string;
  share: number;
  /** @param turn counts the requests of the kind */
  path(turn: number): string;
}

/** Far apart, and all of them in turn: a prime number. */
const STRIDE = 7_919;

/** Returns the kinds of reads: lists over all infras, gets, and one of many ended operations. */
export const readKinds = ({ infras, ended, open, recent }: Readable): ReadKind[] => [
  { kind: 'who the caller is', share: 1, path: () => '/v1/identity' },
  { kind: 'list of infras', share: 2, path: () => '/v1/workspaces/default/infras?limit=100' },
  { kind: 'list of operations', share: 2, path: () => '/v1/operations?workspace=default&limit=50' },
  {
    kind: 'an infra',
    share: 5,
    path: (turn) => `/v1/workspaces/default/infras/${nameIdleInfra((turn * STRIDE) % infras)}/inventory`,
  },
  { kind: 'an open operation', share: 3, path: () => `/v1/operations/${open}` },
  { kind: 'an ended operation', share: 2, path: () => `/v1/operations/${recent}` },
  { kind: 'one of many ended', share: 5, path: (turn) => `/v1/operations/${nameEnded((turn * STRIDE) % ended)}` },
];

/** Creates this number of requests of one kind. */
export const requestsOfKind = ({ kind, path }: ReadKind, count: number): LoadRequest[] =>
  Array.from({ length: count }, (_, turn) => ({ kind, verb: 'GET', path: path(turn) }));

/** Creates this number of requests of all kinds by their shares, evenly mixed. */
export function mixRequests(kinds: readonly ReadKind[], count: number): LoadRequest[] {
  const turns = kinds.map(() => 0);
  const whole = kinds.reduce((sum, { share }) => sum + share, 0);
  return Array.from({ length: count }, (_, at) => {
    // The kind that is furthest behind its share.
    const behind = kinds.map(({ share }, index) => ((at + 1) * share) / whole - (turns[index] ?? 0));
    const index = behind.indexOf(Math.max(...behind));
    const { kind, path } = kinds[index] as ReadKind;
    const turn = turns[index] ?? 0;
    turns[index] = turn + 1;
    return { kind, verb: 'GET' as const, path: path(turn) };
  });
}
