import * as z from 'zod';
import { ARTIFACT_URL } from '../host/artifact.js';

/** A file that a host fetches: where from, and its hash. */
export const artifactSource = () =>
  z.strictObject({
    url: z
      .string()
      .regex(ARTIFACT_URL, { error: 'write a URL that begins with https:// or http://, without a user or a password' })
      .max(2_000)
      .describe('URL from which the host downloads the file'),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/, { error: 'a SHA-256 is 64 hexadecimal digits in lower case: what `sha256sum FILE` prints' })
      .describe('SHA-256 of the file; a file with another hash is rejected'),
  });

/** A build of one's own, or a version that this build of the platform does not know yet. */
export const ownArtifact = () =>
  artifactSource().optional().describe('Your own build of the same format, installed instead of the vendor’s artifact');
