import * as z from 'zod';
import { line, secret } from '../../sdk/index.js';

/** Variables of a process; a value may be a secret. */
export const variables = () =>
  z
    .record(
      z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/, { error: 'the name of a variable has letters, digits and _' }),
      z.union([line(4_000), z.number(), z.boolean(), secret()], { error: 'write a text, a number, yes or no, or a secret' }),
    )
    .default({});

export const debianPackages = () =>
  z
    .array(z.string().regex(/^[a-z0-9][a-z0-9+.-]+$/, { error: 'the name of a package has lower-case letters, digits and +.-' }))
    .default([]);

/** The name of an application. */
export const appName = () =>
  z.string().regex(/^[a-z](?:[a-z0-9-]{0,18}[a-z0-9])?$/, { error: 'a name has up to 20 lower-case letters, digits and dashes' });
