import * as z from 'zod';
import { ARTIFACT_URL } from '../host/artifact.js';

/** A file that a host fetches: where from, and its hash. */
export const artifactSource = () =>
  z.strictObject({
    url: z
      .string()
      .regex(ARTIFACT_URL, { error: 'write a URL that begins with https:// or http://, without a user or a password' })
      .max(2_000)
      .describe('Where the host fetches it'),
    sha256: z
      .string()
      .regex(/^[0-9a-f]{64}$/, { error: 'a SHA-256 is 64 hexadecimal digits in lower case: what `sha256sum FILE` prints' })
      .describe('SHA-256 of the file: what has another one is refused'),
  });

/** A build of one's own, or a version that this build of the platform does not know yet. */
export const ownArtifact = () =>
  artifactSource()
    .optional()
    .describe('An artifact of the same form that is installed instead of the vendor’s: a build of your own');
