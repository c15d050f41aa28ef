import * as z from 'zod';
import { NAME } from '../../names.js';

/** The form that this release reads and writes. */
export const LOCK_FORM = 1;

const sha256 = () => z.string().regex(/^[0-9a-f]{64}$/, { error: 'a SHA-256 is 64 hexadecimal digits in lower case' });

const entry = z.strictObject({
  asked: z.string().min(1).max(255).describe('Constraint in the definition'),
  release: z.string().min(1).max(255).optional().describe('Host release, if versions follow it: `debian-13`'),
  version: z.string().regex(/^[0-9A-Za-z][0-9A-Za-z._+-]{0,254}$/, {
    error: 'a version is letters, digits and ._+-, in quotes if it looks like a number',
  }),
  sha256: z.strictObject({ amd64: sha256().optional(), arm64: sha256().optional() }).optional(),
});

const name = () => z.string().regex(NAME, { error: 'it is not a valid name' });

/** The file `provisioning.lock` beside a definition: which versions its constraints came to. */
export const lockFile = z.strictObject({
  lockfile: z.literal(LOCK_FORM, { error: `this release reads the form ${LOCK_FORM}` }),
  infras: z.record(name(), z.record(name(), z.array(entry).min(1))),
});

/** Result of a constraint on a taskserv. */
export type LockEntry = z.output<typeof entry>;

/** Results of an infra's constraints, by taskserv. */
export type LockedInfra = z.output<typeof lockFile>['infras'][string];
