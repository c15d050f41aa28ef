import * as z from 'zod';
import type { Bundle } from '../../core/definition/bundle.js';
import { LIMITS } from '../../core/limits.js';
import { findHiddenCharacter } from '../../core/text.js';
import { environment } from './ids.js';
import { typeSchema } from './typed.js';

export const address = z.string().regex(/^[0-9a-f]{64}$/, 'a SHA-256 in hex');

/** A path that stays below the folder it is relative to, on whatever machine it is written out. */
export const bundlePath = z
  .string()
  .min(1)
  .max(1_000)
  .refine(
    (text) =>
      findHiddenCharacter(text) === undefined &&
      !/[\\\n\t]/.test(text) &&
      text.split('/').every((part) => !['', '.', '..'].includes(part)),
    'a relative path with "/", without "." and ".."',
  );

const file = z.strictObject({ path: bundlePath, address, size: z.int().min(0).describe('Bytes of UTF-8') });

/** Sources of a definition. */
export const bundle = typeSchema<Bundle>()(
  z.strictObject({
    workspace: z.string().min(1).max(255),
    infra: z.string().min(1).max(255),
    definition: address.describe('Content address of the resolved definition'),
    main: bundlePath.describe('Path of the main file'),
    environment: environment.optional(),
    files: z.array(file).min(1).max(LIMITS.bundleFiles),
  }),
);
