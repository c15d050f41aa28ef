import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { errorText, ProvisioningError } from '../core/errors.js';
import { replaceFile } from '../home/durable.js';
import { makePrivate } from '../home/private-folder.js';
import type { Part } from './datasources/part.js';
import { isStable } from './reading/stable-version.js';

/** Maximum size of a file that is read, in bytes. */
const MOST_BYTES = 5_000_000;

/** Schema of a file. A file that does not match it is ignored, and the source is queried again. */
const kept = z.strictObject({
  /** Hash of the query: another source or another build has another answer. */
  asked: z.string(),
  at: z.iso.datetime(),
  parts: z.array(
    z.strictObject({
      of: z.url(),
      validators: z.strictObject({ etag: z.string().max(500).optional(), lastModified: z.string().max(500).optional() }),
      versions: z.array(z.strictObject({ version: z.string().refine(isStable), released: z.iso.date().optional() })),
      complete: z.boolean(),
      remark: z.string().max(500).optional(),
    }),
  ),
  /** End of the source's rate limit. */
  notBefore: z.iso.datetime().optional(),
});

/** Answer of a source about a service, with its time. */
export interface KeptAnswer {
  /** ISO time. */
  at: string;
  /** Empty if the source never answered. */
  parts: Part[];
  /** End of the source's rate limit, ISO time. */
  notBefore?: string;
}

/** Answers of sources, stored for the next call. */
export interface KeptAnswers {
  /** Undefined if there is no answer, if it is damaged, or if it answers another query. */
  read(service: string, asked: unknown): Promise<KeptAnswer | undefined>;
  write(service: string, asked: unknown, answer: KeptAnswer): Promise<void>;
}

/**
 * Opens stored answers in a private folder of this user, because anyone who can write there decides the versions.
 *
 * @throws inputError `folder-not-private`
 */
export async function openKeptAnswers(folder: string): Promise<KeptAnswers> {
  await makePrivate(folder, 'keep which versions there are');
  const fileOf = (service: string) => join(folder, `${service}.json`);
  return {
    async read(service, asked) {
      const read = kept.safeParse(await jsonIn(fileOf(service)));
      if (!read.success || read.data.asked !== hashOf(asked)) return undefined;
      const { asked: _, ...answer } = read.data;
      return answer as KeptAnswer;
    },
    write: (service, asked, answer) => replaceFile(fileOf(service), `${JSON.stringify({ asked: hashOf(asked), ...answer })}\n`),
  };
}

/** Stores nothing. */
export const keepsNothing: KeptAnswers = { read: async () => undefined, write: async () => {} };

/** Opens stored answers. If that fails, stores nothing and passes the reason to `note`. */
export async function openKeptAnswersOrNone(folder: string, note: (text: string) => void): Promise<KeptAnswers> {
  try {
    return await openKeptAnswers(folder);
  } catch (error) {
    note(`answers are not kept: ${error instanceof ProvisioningError ? errorText(error.details) : (error as Error).message}`);
    return keepsNothing;
  }
}

const hashOf = (asked: unknown): string => createHash('sha256').update(JSON.stringify(asked)).digest('hex');

async function jsonIn(path: string): Promise<unknown> {
  const file = await open(path).catch(() => undefined);
  try {
    if (!file || (await file.stat()).size > MOST_BYTES) return undefined;
    return JSON.parse(await file.readFile('utf8'));
  } catch {
    return undefined;
  } finally {
    await file?.close();
  }
}
