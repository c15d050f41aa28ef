import { fingerprint } from '../../encoding/hash.js';
import { findSecretRefs, type SecretRef } from '../secret.js';

/** How references to shares begin: no secret of a definition has such a name. */
const SHARE = 'group-share/';

/** Whether a reference is to a share of a group, and not to a secret. */
export const isShare = (name: string): boolean => name.startsWith(SHARE);

/**
 * Refers to a share of the group by its name in `Group.shares`, as to a secret: in the content of a file, in `env` or in
 * `stdin`. Only for steps that are done once, as when a member joins or leaves: the value differs each time.
 *
 * @example { title: 'Join', run: 'app join --token-file /dev/stdin', stdin: text`${share('joinToken')}`, undo: 'app reset' }
 */
export const share = (name: string): SecretRef => ({ $secret: `${SHARE}${name}` });

/** The names of the shares that a JSON value refers to, each once. */
export const listShares = (value: unknown): string[] => [
  ...new Set(findSecretRefs(value).flatMap(({ name }) => (isShare(name) ? [name.slice(SHARE.length)] : []))),
];

/**
 * Where values of the shares of a group are kept, among the secrets of its infra. Not what steps refer to. Names that
 * look alike when they are shortened have different places.
 */
export const formatSharePlace = (taskserv: string, group: string, name: string): string =>
  `${SHARE}${[taskserv, group, name]
    .map(
      (part) =>
        part
          .replaceAll(/[^A-Za-z0-9]+/g, '-')
          .replaceAll(/^-|-$/g, '')
          .slice(0, 30) || 'x',
    )
    .join('/')}-${fingerprint([taskserv, group, name])}`;

/** Characters of a value in one line, and of the lines of a text that are secret. */
const LINE = { least: 16, most: 4_096 };
/** Characters of a text. */
const MOST_TEXT = 64 * 1024;

/** Form of a value: one printable line, or a `text` of many lines, such as a file of settings. */
export type ShareForm = 'line' | 'text';

/**
 * Why what a member printed cannot be a value; undefined if it can. The member may be hostile: the value goes to another
 * host, and is masked in all output of the infra.
 */
export function explainBadShare(value: string, form: ShareForm = 'line'): string | undefined {
  if (value === '') return 'its script printed nothing';
  if (form === 'line')
    return /^[ -~]*$/.test(value) && value.trim().length >= LINE.least && value.length <= LINE.most
      ? undefined
      : `its script printed no single line of ${LINE.least} to ${LINE.most} printable ASCII characters`;
  if (value.length > MOST_TEXT) return 'its script printed more than 64 KiB';
  if (/[^\t\n\r -~\u00a0-\ud7ff\ue000-\uffef]/u.test(value)) return 'its script printed characters that are not printable';
  return listSecretLines(value).length > 0 ? undefined : `its script printed no line of at least ${LINE.least} characters`;
}

/** The lines of a value that are masked: short ones occur in any text. */
export const listSecretLines = (value: string): string[] => value.split(/\r?\n/).filter((line) => line.trim().length >= LINE.least);

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
 * Whether a value can still be given to a step. One that would last longer than any that is made now was made by a wrong
 * clock, or not by the platform.
 *
 * @param until when it expires, in milliseconds
 * @param now milliseconds
 */
export function lastsLongEnough(
  { lifetimeSeconds, spareSeconds = SPARE_SECONDS }: ShareTimes,
  until: number,
  now: number,
): boolean {
  const left = until - now;
  return left >= Math.min(spareSeconds, lifetimeSeconds / 2) * 1_000 && left <= lifetimeSeconds * 1_000;
}

/** Value of a share. It never leaves the worker and the hosts. */
export interface GivenShare {
  value: string;
  /** When it expires, in milliseconds. */
  until: number;
}
