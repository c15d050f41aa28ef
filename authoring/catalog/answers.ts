import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '../../client/client.js';
import type { ProviderAnswers, ProviderTopic } from '../../core/operation/provider-questions.js';
import type { Context } from '../context.js';
import { readContextSetting } from '../settings/config-place.js';

const HOUR_MS = 60 * 60_000;

interface Kept<T> {
  /** ISO time. */
  at: string;
  answer: T;
}

/** Query for a provider's data, with its topic and cache policy. */
interface Asking<T> {
  topic: ProviderTopic;
  ask(client: Client): Promise<T>;
  /** Whether to ignore a cached answer. */
  fresh?: boolean | undefined;
}

interface Options {
  fresh?: boolean;
}

/** Returns the plans and prices of a provider: a valid cached answer, otherwise a new one from the worker. */
export const askPlans = (context: Context, provider: string, { fresh }: Options = {}): Promise<Kept<ProviderAnswers['plans']>> =>
  answerOf(context, provider, { topic: 'plans', ask: (client) => client.providers.plans({ provider }), fresh });

/** Returns the images of a provider, like `askPlans`. */
export const askImages = (context: Context, provider: string, { fresh }: Options = {}): Promise<Kept<ProviderAnswers['images']>> =>
  answerOf(context, provider, { topic: 'images', ask: (client) => client.providers.images({ provider }), fresh });

/** Returns the zones of a provider, like `askPlans`. */
export const askZones = (context: Context, provider: string, { fresh }: Options = {}): Promise<Kept<ProviderAnswers['zones']>> =>
  answerOf(context, provider, { topic: 'zones', ask: (client) => client.providers.zones({ provider }), fresh });

/** Returns the permissions of an account. The result is not cached. */
export const askAccountReport = async (context: Context, provider: string): Promise<ProviderAnswers['check']> =>
  (await context.client()).providers.check({ provider });

async function answerOf<T>(context: Context, provider: string, { topic, ask, fresh }: Asking<T>): Promise<Kept<T>> {
  const path = join(context.home.root, 'answers', `${provider.replace('/', '-')}.${topic}.json`);
  const kept = fresh ? undefined : await read<T>(path, await goodForMs(context));
  if (kept) return kept;
  const made = { at: new Date().toISOString(), answer: await ask(await context.client()) };
  await write(path, made);
  return made;
}

/** Returns how long cached lists of plans, images and zones are valid. */
const goodForMs = async (context: Context): Promise<number> => ((await readContextSetting(context, 'catalog.keep')) ?? 0) * HOUR_MS;

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
