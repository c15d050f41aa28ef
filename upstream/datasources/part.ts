import type { Validators, Web } from '../asking/web.js';
import type { ListedVersion } from '../reading/release-tags.js';
import type { AptLists } from './apt-suite.js';

/** What one list of a vendor's says. A service may have several, such as one for each release of Debian. */
export interface Part {
  /** Its address. */
  of: string;
  /** By which the vendor says whether it has changed since. */
  validators: Validators;
  /** Released versions alone. */
  versions: ListedVersion[];
  /** It has all that there are: what is not in it is not there any more. */
  complete: boolean;
  /** What somebody who reads the answer has to know. */
  remark?: string;
}

/** How and with what a list is looked at. */
export interface ListLookup {
  web: Web;
  lists: AptLists;
  /** What the same lists said before. */
  kept: readonly Part[];
  /** Versions that this build supports. */
  supported: readonly string[];
}

/** What a list said before. */
export const findKeptPart = ({ kept }: ListLookup, of: string): Part | undefined => kept.find((one) => one.of === of);

/** An address with a slash at its end. */
export const folder = (url: string): string => url.replace(/\/*$/, '/');
