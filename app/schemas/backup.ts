import * as z from 'zod';
import type { BackupInfo, BackupListing, BackupVerification, NewBackup, SweepResult } from '../../core/engine/backup.js';
import type { ProgressReport } from '../../core/report.js';
import type { Resource } from '../principal.js';
import { time } from './ids.js';
import { typeSchema } from './typed.js';

const text = z.string();
const stored = z.strictObject({ count: z.int(), bytes: z.int() });

/** A file in the folder of backups. */
const name = z.string().describe('Name of the file in the folder of backups');

const info = {
  name,
  file: text.describe("Absolute path on the worker's machine"),
  bytes: z.int(),
  id: text,
  created: time,
  setup: text.describe('Id of the platform'),
  key: text.describe('Id of the encryption key, which the backup does not contain'),
  engine: z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('own'), line: text }),
    z.strictObject({ kind: z.literal('configured'), address: text }),
    z.strictObject({ kind: z.literal('none') }),
  ]),
  store: text,
  infras: z.int().optional(),
  operations: z.int().optional(),
  contents: z.record(text, stored),
};

type Named<T> = T & { name: string };

export const listedBackup = typeSchema<Named<BackupListing>>()(
  z.union([
    typeSchema<Named<BackupInfo>>()(z.strictObject(info)),
    z.strictObject({ name, file: text, problem: text.describe('The reason why it is not a backup') }),
  ]),
);

export const madeBackup = typeSchema<Named<NewBackup>>()(
  z.strictObject({
    ...info,
    complete: z.boolean().describe('Whether a recovery copy of its encryption keys is known'),
    hint: text.optional(),
    restore: z.array(text).describe('Commands that restore it on another machine'),
    notes: z.array(text),
  }),
);

export const verifiedBackup = typeSchema<Named<BackupVerification>>()(
  z.strictObject({
    ...info,
    seal: z.enum(['authentic', 'unproven']),
    opened: z.int().describe('Number of records and payloads that were decrypted'),
    recovery: text.optional(),
    notes: z.array(text),
  }),
);

export const sweptPayloads = typeSchema<SweepResult>()(
  z.strictObject({
    removed: z.boolean().describe('Whether unused payloads were removed; false if they were only counted'),
    histories: z.int().describe('Number of histories that were read'),
    stored: stored.describe('Payloads that the store has now'),
    garbage: stored.describe('Unused payloads that are older than the grace period'),
    young: stored.describe('Unused payloads of the grace period, which stay'),
    foreign: stored.describe('Payloads of other platforms, or of keys that are not available, which stay'),
    missing: z.array(text).describe('Payloads that a history refers to and that the store does not have'),
  }),
);

export const backupName = z
  .string()
  .max(255)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*\.tar$/, 'use the name of a .tar file in the folder of backups')
  .describe('Name of a .tar file in the folder of backups');

/** A path that the caller chooses. Methods with one need the action `USE_PATH`, because the worker opens it as its own user. */
export const backupPath = z
  .string()
  .max(4_096)
  .regex(/^\/[^\0]*$/, 'use an absolute path')
  .describe("Absolute path on the worker's machine, which replaces the backup folder");

export const USE_PATH = 'backup:use-path';

/** An event of work that takes long: a report of its progress, and at last its result. */
export const workEvent = <T extends z.ZodType>(result: T) =>
  z.union([
    z.strictObject({
      report: typeSchema<ProgressReport>()(
        z.strictObject({
          task: text,
          text,
          fraction: z.number().optional().describe('0 to 1'),
          state: z.enum(['running', 'done', 'failed', 'skipped']),
        }),
      ),
    }),
    z.strictObject({ result }),
  ]);

/** Backups are of the platform as a whole. */
export const backupResource = (): Resource => ({ type: 'Tenant', id: '*' });
