import * as z from 'zod';

const base = (error: string, schemes: RegExp) =>
  z
    .string()
    .max(500)
    .refine(
      (text) =>
        schemes.test(text) && /^[a-z]+:\/\/(?:[A-Za-z0-9.-]+|\[[0-9a-fA-F:]+\])(?::\d{1,5})?(?:\/[\w.~%+:/-]*)?$/.test(text),
      { error },
    );

/** One mirror: what begins like one URL is fetched from another. */
const mirror = z.strictObject({
  from: base('write what the vendor’s URLs begin with, such as https://github.com/', /^https?:/).describe(
    "Beginning of the vendor's URLs, such as `https://github.com/`",
  ),
  to: base('write a URL that begins with https:// or http://, without a user, a password or a query', /^https?:/).describe(
    'Replacement for this beginning at the mirror',
  ),
  key: z
    .string()
    .max(100_000)
    .regex(/^-----BEGIN PGP PUBLIC KEY BLOCK-----\r?\n[\s\S]*\n-----END PGP PUBLIC KEY BLOCK-----\s*$/, {
      error: 'write an armored public key: what `gpg --armor --export ID` prints',
    })
    .optional()
    .describe('Public key of an apt mirror that signs its own lists. Default: the key of the vendor'),
});

/** The mirrors of a definition. */
export const mirrors = z
  .array(mirror)
  .max(100, 'at most 100 mirrors')
  .superRefine((all, context) => {
    const bases = all.map(({ from }) => from.replace(/\/+$/, ''));
    for (const [index, from] of bases.entries()) {
      if (bases.indexOf(from) === index) continue;
      context.addIssue({ code: 'custom', path: [index, 'from'], message: 'another mirror has the same URLs' });
    }
  });
