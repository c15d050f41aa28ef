import { awsSecretReference } from './aws-secret.js';
import { envReference } from './env.js';
import { fileReference } from './file.js';
import type { GivenKinds } from './given-kind.js';
import { sopsReference } from './sops.js';
import { vaultReference } from './vault.js';

/** Kinds of references whose values are read when a definition is submitted, one file each. */
export const GIVEN_KINDS: GivenKinds = {
  env: envReference,
  file: fileReference,
  sops: sopsReference,
  vault: vaultReference,
  'aws-secret': awsSecretReference,
};
