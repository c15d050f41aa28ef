import type { Validators, Web } from '../asking/web.js';
import type { ListedVersion } from '../reading/release-tags.js';
import type { AptLists } from './apt-suite.js';

/** Versions in one list of a vendor. A service may have several lists, for example one per Debian release. */
export interface Part {
  /** Address of the list. */
  of: string;
  /** Validators with which the vendor reports whether the list has changed. */
  validators: Validators;
  /** Released versions only. */
  versions: ListedVersion[];
  /** The list is complete: a version that is not listed no longer exists. */
  complete: boolean;
  /** Note for the reader of the answer. */
  remark?: string;
}

/** Inputs of a lookup in a list. */
export interface ListLookup {
  web: Web;
  lists: AptLists;
  /** Stored content of the same lists. */
  kept: readonly Part[];
  /** Versions that this build supports. */
  supported: readonly string[];
}

/** Returns the stored content of a list. */
export const findKeptPart = ({ kept }: ListLookup, of: string): Part | undefined => kept.find((one) => one.of === of);

/** Returns an address with a trailing slash. */
export const folder = (url: string): string => url.replace(/\/*$/, '/');
