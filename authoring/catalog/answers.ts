import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '../../client/client.js';
import type { ProviderAnswers, ProviderTopic } from '../../core/operation/provider-questions.js';
import type { Context } from '../context.js';
import { settingOf } from '../settings/config-place.js';

const HOUR_MS = 60 * 60_000;

interface Kept<T> {
  /** ISO time. */
  at: string;
  answer: T;
}

/**
 * What a provider sells: an answer that is good yet, else a new one, by way of the
 * worker. What an account may do is asked each time.
 */
export async function answerOf<T extends ProviderTopic>(
  context: Context,
  provider: string,
  topic: T,
  { fresh = false }: { fresh?: boolean } = {},
): Promise<Kept<ProviderAnswers[T]>> {
  const path = join(context.home.root, 'answers', `${provider.replace('/', '-')}.${topic}.json`);
  const kept = fresh || topic === 'check' ? undefined : await read<ProviderAnswers[T]>(path, await goodForMs(context));
  if (kept) return kept;
  const answer = await ask(await context.client(), provider, topic);
  const made = { at: new Date().toISOString(), answer };
  if (topic !== 'check') await write(path, made);
  return made;
}

/** A topic is the method of its name. */
const ask = <T extends ProviderTopic>({ providers }: Client, provider: string, topic: T): Promise<ProviderAnswers[T]> =>
  (providers as { [K in ProviderTopic]: (input: { provider: string }) => Promise<ProviderAnswers[K]> })[topic]({ provider });

/** How long lists of plans, images and zones are good. */
const goodForMs = async (context: Context): Promise<number> => ((await settingOf(context, 'catalog.keep')) ?? 0) * HOUR_MS;

async function read<T>(path: string, goodMs: number): Promise<Kept<T> | undefined> {
  try {
    const kept = JSON.parse(await readFile(path, 'utf8')) as Kept<T>;
    const age = Date.now() - Date.parse(kept.at);
    return age >= 0 && age < goodMs ? kept : undefined;
  } catch {
    return undefined;
  }
}

async function write(path: string, kept: Kept<unknown>): Promise<void> {
  await mkdir(join(path, '..'), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, JSON.stringify(kept), { mode: 0o600 });
  await rename(draft, path);
}
