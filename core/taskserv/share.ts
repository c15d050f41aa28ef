import { findSecretRefs, type SecretRef } from './secret.js';

/** How references to shares begin: no secret of a definition has such a name. */
const SHARE = 'group-share/';

/** Whether a reference is to a share of a group, and not to a secret. */
export const isShare = (name: string): boolean => name.startsWith(SHARE);

/**
 * Refers to a share of the group by its name in `Group.shares`, as to a secret: in the content of a file, in `env` or in
 * `stdin`. Only for steps that a member does once, as when it joins: the value differs each time.
 *
 * @example { title: 'Join', run: 'app join --token-file /dev/stdin', stdin: text`${share('joinToken')}`, undo: 'app reset' }
 */
export const share = (name: string): SecretRef => ({ $secret: `${SHARE}${name}` });

/** The names of the shares that a JSON value refers to, each once. */
export const listShares = (value: unknown): string[] => [
  ...new Set(findSecretRefs(value).flatMap(({ name }) => (isShare(name) ? [name.slice(SHARE.length)] : []))),
];

/** Where values of the shares of a group are kept, among the secrets of its infra. Not what steps refer to. */
export const formatSharePlace = (taskserv: string, group: string, name: string): string =>
  `${SHARE}${[taskserv, group, name]
    .map(
      (part) =>
        part
          .replaceAll(/[^A-Za-z0-9]+/g, '-')
          .replaceAll(/^-|-$/g, '')
          .slice(0, 40) || 'x',
    )
    .join('/')}`;

/** Seconds that a value has to stay valid, so that a step can use it: by default. */
const SPARE_SECONDS = 300;

/** How long a value is valid. */
export interface ShareTimes {
  /** Seconds from the moment it is made. Afterwards the service does not take it any more, and it is discarded. */
  lifetimeSeconds: number;
  /** Seconds that a step with it may take. A value with less time left is made again. Default: 300, at most half the lifetime. */
  spareSeconds?: number;
}

/**
 * Whether a value can still be given to a step.
 *
 * @param until when it expires, in milliseconds
 * @param now milliseconds
 */
export function lastsLongEnough(
  { lifetimeSeconds, spareSeconds = SPARE_SECONDS }: ShareTimes,
  until: number,
  now: number,
): boolean {
  return until - now >= Math.min(spareSeconds, lifetimeSeconds / 2) * 1_000;
}

/** Value of a share. It never leaves the worker and the hosts. */
export interface GivenShare {
  value: string;
  /** When it expires, in milliseconds. */
  until: number;
}
