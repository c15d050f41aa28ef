import * as z from 'zod';

/** A build of one's own, or a version that this build of the platform does not know yet. */
export function ownArtifact() {
  return z
    .strictObject({
      url: z
        .string()
        .regex(/^https?:\/\/[A-Za-z0-9.:[\]-]+(?:\/[!-~]*)?$/, {
          error: 'write a URL that begins with https:// or http://, without a user or a password',
        })
        .max(2_000)
        .describe('Where the host fetches it'),
      sha256: z
        .string()
        .regex(/^[0-9a-f]{64}$/, { error: 'a SHA-256 is 64 hexadecimal digits in lower case: what `sha256sum FILE` prints' })
        .describe('SHA-256 of the file: what has another one is refused'),
    })
    .optional()
    .describe('An artifact of the same form that is installed instead of the vendor’s: a build of your own');
}
