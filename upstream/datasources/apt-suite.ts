import type { Validators } from '../asking/web.js';
import type { PackageVersions } from '../reading/apt-packages.js';

/** Suite of an apt repository, with the keys that must have signed it. */
export interface AptSuite {
  uri: string;
  /** With a trailing slash, the folder of a flat repository. */
  suite: string;
  components: readonly string[];
  /** Keys; without keys, the reason why the suite cannot be verified. */
  keyring: Buffer | { why: string };
  /** Fingerprint of the required signing key. Default: any of the keys. */
  fingerprint?: string;
}

/** Content of a suite's lists. */
export interface AptList {
  packages: PackageVersions;
  validators: Validators;
  remark?: string;
}

/** Lists of apt repositories. Each list is fetched and read once, for all services that use it. */
export interface AptLists {
  /** @returns undefined if the list has not changed since these validators */
  of(suite: AptSuite, validators: Validators | undefined): Promise<AptList | undefined>;
}
