import type { Validators } from '../asking/web.js';
import type { PackageVersions } from '../reading/apt-packages.js';

/** A suite of an apt repository, and by whom it is to be signed. */
export interface AptSuite {
  uri: string;
  /** With a slash at its end it is a folder of a flat repository. */
  suite: string;
  components: readonly string[];
  /** Keys; without them nobody can verify it, and why that is. */
  keyring: Buffer | { why: string };
  /** Of the key that is to have signed it. Default: any of them. */
  fingerprint?: string;
}

/** What the lists of a suite say. */
export interface AptList {
  packages: PackageVersions;
  validators: Validators;
  remark?: string;
}

/** Lists of apt repositories. Each is fetched and read once, however many services are in it. */
export interface AptLists {
  /** @returns undefined where it has not changed since it was known by these */
  of(suite: AptSuite, validators: Validators | undefined): Promise<AptList | undefined>;
}
