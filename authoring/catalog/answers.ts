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

/** What is kept of an answer, for how long, and how it is asked for. */
interface Asking<T> {
  topic: ProviderTopic;
  ask(client: Client): Promise<T>;
  /** Whether a former answer is of no use. */
  fresh?: boolean | undefined;
}

interface Options {
  fresh?: boolean;
}

/** What a provider sells, and for how much: an answer that is good yet, else a new one, by way of the worker. */
export const askPlans = (context: Context, provider: string, { fresh }: Options = {}): Promise<Kept<ProviderAnswers['plans']>> =>
  answerOf(context, provider, { topic: 'plans', ask: (client) => client.providers.plans({ provider }), fresh });

/** The images of a provider, as `askPlans`. */
export const askImages = (context: Context, provider: string, { fresh }: Options = {}): Promise<Kept<ProviderAnswers['images']>> =>
  answerOf(context, provider, { topic: 'images', ask: (client) => client.providers.images({ provider }), fresh });

/** The zones of a provider, as `askPlans`. */
export const askZones = (context: Context, provider: string, { fresh }: Options = {}): Promise<Kept<ProviderAnswers['zones']>> =>
  answerOf(context, provider, { topic: 'zones', ask: (client) => client.providers.zones({ provider }), fresh });

/** What an account may do; asked each time. */
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

/** How long lists of plans, images and zones are good. */
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
