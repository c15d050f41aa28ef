import * as z from 'zod';
import { isFetched } from '../core/host/artifact.js';
import { NAME } from '../core/names.js';
import { endpoint } from '../core/schema/loaded-definition.js';
import { SECRET_FORMATS } from '../core/taskserv/encoders/encoders.js';

/**
 * Schemas of a module's answers. Its types were not checked, and its author may be malicious: all other answers are
 * refused.
 */

const word = z.string().min(1).max(200);
const path = z.string().startsWith('/').max(4096);
/** Path below the home of an account. */
const homePath = z
  .string()
  .regex(/^~[a-z_][a-z0-9_-]*\//)
  .max(4096);
const mode = z.string().regex(/^[0-7]{4}$/);
const owner = z.string().regex(/^[A-Za-z0-9_.-]+:[A-Za-z0-9_.-]+$/);
const seconds = z.number().int().min(1).max(3600);

const text = z.union([
  z.string(),
  z.array(z.union([z.string(), z.strictObject({ $secret: word, as: z.enum(SECRET_FORMATS).optional() })])),
]);
const env = z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), text);

const titled = { title: z.string().min(1).max(500), irreversible: z.literal(true).optional() };
const hash = z.string().regex(/^[0-9a-f]{64}$/);

const artifact = z
  .strictObject({
    state: z.enum(['present', 'absent']),
    url: z
      .string()
      .min(1)
      .max(2048)
      .regex(/^\P{C}+$/u),
    sha256: hash,
    from: z
      .union([
        z.strictObject({ kept: z.array(hash).min(1).max(64) }),
        z.strictObject({ server: z.string().regex(/^[a-z][a-z0-9-]{0,79}$/), path }),
      ])
      .optional(),
    to: path,
    unpack: z.literal('tar').optional(),
    strip: z.number().int().min(0).max(20).optional(),
    as: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/)
      .optional(),
  })
  // Artifacts that the worker brings, and removed artifacts, may use other URLs.
  .refine(({ state, from, url }) => from || state === 'absent' || isFetched({ url }), {
    path: ['url'],
    error: 'a host fetches it from a URL that begins with https:// or http://',
  });

export const steps = z.array(
  z.union([
    z.strictObject({
      ...titled,
      run: z.string(),
      undo: z.string().optional(),
      env: env.optional(),
      stdin: text.optional(),
      confirm: z.strictObject({ seconds, revert: z.string() }).optional(),
      changes: z
        .strictObject({
          files: z.array(path).optional(),
          accounts: z.array(word).optional(),
          groups: z.array(word).optional(),
          units: z.array(word).optional(),
        })
        .optional(),
      keepsServing: z.literal(true).optional(),
    }),
    z.strictObject({
      ...titled,
      file: z.strictObject({
        path,
        content: text,
        base64: z.literal(true).optional(),
        mode: mode.optional(),
        owner: owner.optional(),
        shared: z.literal(true).optional(),
      }),
    }),
    z.strictObject({ ...titled, absent: z.strictObject({ path }) }),
    z.strictObject({
      ...titled,
      directory: z.strictObject({ path, mode: mode.optional(), owner: owner.optional(), keep: z.literal(true).optional() }),
    }),
    z.strictObject({
      ...titled,
      package: z.strictObject({ name: word, state: z.enum(['present', 'absent']), version: word.optional() }),
    }),
    z.strictObject({
      ...titled,
      artifact,
    }),
    z.strictObject({
      ...titled,
      service: z.strictObject({
        name: word,
        state: z.enum(['running', 'stopped']),
        enabled: z.boolean(),
        change: z.enum(['restart', 'reload']).optional(),
        reads: z.array(path).optional(),
      }),
    }),
  ]),
);

const check = { title: z.string().min(1).max(500) };
export const checks = z.array(
  z.union([
    z.strictObject({ ...check, command: z.string(), expect: z.string().optional(), env: env.optional() }),
    z.strictObject({ ...check, tcp: z.number().int().min(1).max(65_535) }),
    z.strictObject({ ...check, http: z.string(), status: z.number().int().optional(), expect: z.string().optional() }),
  ]),
);

export const facts = z.record(
  word,
  z.union([
    z.strictObject({ kind: z.literal('command'), run: z.string(), env: env.optional(), absent: z.unknown().optional() }),
    z.strictObject({ kind: z.literal('file'), path: z.union([path, homePath]) }),
    z.strictObject({ kind: z.literal('package'), name: word }),
    z.strictObject({ kind: z.literal('service'), name: word, reads: z.array(path) }),
  ]),
);

export const wantedFile = z.strictObject({
  content: text,
  mode: mode.optional(),
  owner: owner.optional(),
  shared: z.literal(true).optional(),
});
export const endpoints = z.array(endpoint);
export const names = z.array(word);

const group = z.strictObject({
  quorum: z.enum(['majority', 'one']),
  leave: z.boolean(),
  handOver: z.boolean().optional(),
  shares: z
    .record(
      z.string().regex(/^[A-Za-z][A-Za-z0-9]{0,39}$/),
      z.strictObject({
        title: z.string().min(1).max(200),
        lifetimeSeconds: z.int().min(60).max(31_622_400),
        spareSeconds: z.int().min(0).max(31_622_400).optional(),
        on: z.literal('leader').optional(),
        form: z.literal('text').optional(),
      }),
    )
    .optional(),
});

export const descriptionAnswer = z.strictObject({
  description: z.string().min(1).max(300),
  category: word,
  versions: z.strictObject({
    ...{ default: word, supported: z.tuple([word], word), source: word },
    package: word.optional(),
    releases: z.record(word, word.nullable()).optional(),
    further: z.literal(true).optional(),
    withdrawn: z.record(word, z.string().min(1).max(300)).optional(),
    upgrades: z.enum(['major-by-major', 'minor-by-minor', 'to-any-newer']).optional(),
  }),
  requires: z.array(z.string().regex(NAME)).optional(),
  after: z.array(z.string().regex(NAME)).optional(),
  conflicts: z.array(z.string().regex(NAME)).optional(),
  supports: z.strictObject({ os: z.array(word).optional(), arch: z.array(word).optional() }).optional(),
  overrides: z.boolean().optional(),
  schema: z.record(z.string(), z.unknown()),
  has: z.strictObject({
    uses: z.boolean(),
    endpoints: z.boolean(),
    drain: z.boolean(),
    undrain: z.boolean(),
    group: group.optional(),
  }),
});

export const parseAnswer = z.union([
  z.strictObject({ data: z.unknown() }),
  z.strictObject({
    issues: z
      .array(z.looseObject({ path: z.array(z.union([z.string(), z.number()])), message: z.string(), code: z.string() }))
      .min(1),
  }),
]);
