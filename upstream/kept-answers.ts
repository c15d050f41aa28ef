import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { errorText, ProvisioningError } from '../core/errors.js';
import { replaceFile } from '../home/durable.js';
import { makePrivate } from '../home/private-folder.js';
import type { Part } from './datasources/part.js';
import { isStable } from './reading/stable-version.js';

/** Bytes of a file that is read. */
const MOST_BYTES = 5_000_000;

/** What is in a file is judged again: what is not as it was written is asked for again. */
const kept = z.strictObject({
  /** What was asked, as a hash: another source, or another build, has another answer. */
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
  /** Until when the source wants to be left alone. */
  notBefore: z.iso.datetime().optional(),
});

/** What a source said of a service, and when. */
export interface KeptAnswer {
  /** ISO time. */
  at: string;
  /** None where it never answered. */
  parts: Part[];
  /** ISO time until which the source wants to be left alone. */
  notBefore?: string;
}

/** Answers of sources, kept for the next call. */
export interface KeptAnswers {
  /** Undefined where there is none, it is damaged, or something else was asked. */
  read(service: string, asked: unknown): Promise<KeptAnswer | undefined>;
  write(service: string, asked: unknown, answer: KeptAnswer): Promise<void>;
}

/**
 * Answers that are kept in a folder of this user alone: who writes there says which versions there are.
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

/** Keeps nothing. */
export const keepsNothing: KeptAnswers = { read: async () => undefined, write: async () => {} };

/** As `openKeptAnswers`; where that cannot be, nothing is kept, and `note` is told why. */
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
