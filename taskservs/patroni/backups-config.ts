import * as z from 'zod';
import { absolutePath, calendar, type SecretRef, secret } from '../../sdk/index.js';

/** Parameters of PostgreSQL that `backups` decides. */
export const ARCHIVE_PARAMETERS = ['archive_mode', 'archive_command', 'archive_timeout'];

const S3 = /^s3:https:\/\/([A-Za-z0-9.-]+)(?::([0-9]{1,5}))?\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])((?:\/[A-Za-z0-9._-]+)*)$/;

/** Where the repository is: a bucket, or undefined for a path. */
export function parseBucket(repository: string) {
  const [, host = '', port, bucket = '', path = ''] = S3.exec(repository) ?? [];
  return host === '' ? undefined : { host, port: Number(port ?? 443), bucket, path: path || '/' };
}

/** Returns the schema of backups with the write-ahead log, for a restore to any moment. */
export const createBackupsSchema = () =>
  z
    .strictObject({
      repository: z
        .union([absolutePath(), z.string().regex(S3)], {
          error: 'a repository is a path that all members share, or written as "s3:https://host/bucket/path"',
        })
        .describe('Place of the backups: a folder that all members mount, or a bucket'),
      password: secret().describe('Password that encrypts the repository; without it no backup can be read'),
      accessKey: secret().optional().describe('Access key of the bucket'),
      secretKey: secret().optional().describe('Secret key of the bucket'),
      region: z
        .string()
        .regex(/^[a-z0-9-]{1,40}$/)
        .default('us-east-1')
        .describe('Region of the bucket'),
      authority: secret().optional().describe("Authority of the bucket's certificate, PEM. Default: those of the system"),
      schedule: calendar().default('daily').describe('Time of the backups, in the format of systemd: `daily`, `*-*-* 03:30`'),
      fullDays: z
        .int()
        .min(1)
        .max(365)
        .default(7)
        .describe('Days after which a backup is a full one; the others have the changes since'),
      keep: z.int().min(1).max(1_000).default(2).describe('Full backups to keep, with the log since the oldest one'),
    })
    .superRefine(({ repository, accessKey, secretKey, authority }, context) => {
      const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
      const keys = { accessKey, secretKey };
      for (const [name, ref] of Object.entries<SecretRef | undefined>(keys)) {
        if (repository.startsWith('/') && ref) refuse(name, 'a path needs no key: remove it');
        if (!repository.startsWith('/') && !ref) refuse(name, 'a bucket needs accessKey and secretKey');
      }
      if (repository.startsWith('/') && authority) refuse('authority', 'a path has no certificate: remove it');
    });

export type Backups = z.output<ReturnType<typeof createBackupsSchema>>;
