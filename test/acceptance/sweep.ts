import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../../core/errors.js';
import type { OwnedThing, ProviderConnection } from '../../core/machine/provider.js';
import { LABELS } from './account.js';

/** Order of deletion: resources that others use come last. */
const ORDER: readonly OwnedThing['kind'][] = ['server', 'volume', 'address', 'firewall', 'placement', 'key', 'network'];

/** Time-out of one call, in milliseconds. Some clouds need a minute to delete a server. */
const CALL_MS = 180_000;
/** Duration of retries, in milliseconds. */
const FOR_MS = 5 * 60_000;
/** First pause between two rounds, in milliseconds. It doubles after each round, up to the longest. */
const FIRST_MS = 1_000;
const LONGEST_MS = 30_000;

/** Result of a sweep: removed and remaining resources. */
export interface Swept {
  /** `server web-1` */
  removed: string[];
  /** With the provider's id and the reason: `server web-1 (id 42): it does not answer`. Empty if nothing is left. */
  left: string[];
  /** Instructions to remove the rest. */
  hint?: string;
}

interface How {
  /** Argument of the command: `hetzner/test`. */
  provider: string;
  /** Receives a message before each retry. */
  say?(text: string): void;
  callMs?: number;
  forMs?: number;
  firstMs?: number;
}

/**
 * Deletes all resources with the labels of runs. Failed deletions are retried after a pause, and the other resources
 * are deleted first: remaining machines cost money.
 */
export async function sweep(
  connection: Pick<ProviderConnection, 'owned' | 'servers' | 'volumes' | 'networks' | 'others'>,
  { provider, say = () => {}, callMs = CALL_MS, forMs = FOR_MS, firstMs = FIRST_MS }: How,
): Promise<Swept> {
  const until = Date.now() + forMs;
  const removed = new Set<string>();
  /** Existing resources, with the reason of the last failure. */
  const left = new Map<string, { one: OwnedThing; why: string }>();
  let unlisted: string | undefined;

  /** @returns whether nothing is left */
  async function round(): Promise<boolean> {
    const found = await withinTime(callMs, () => connection.owned(LABELS));
    for (const key of left.keys()) if (!found.some((one) => keyOf(one) === key)) left.delete(key);
    for (const one of found.sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind)))
      try {
        await withinTime(callMs, () => deleteOne(connection, one));
        removed.add(wordsOf(one));
        left.set(keyOf(one), { one, why: 'it is still listed' });
      } catch (error) {
        left.set(keyOf(one), { one, why: messageOf(error) });
      }
    return found.length === 0;
  }

  for (let wait = firstMs; ; wait = Math.min(2 * wait, LONGEST_MS)) {
    try {
      unlisted = undefined;
      // After a round without failures, list the resources once more, immediately.
      if ((await round()) || (noneFailed(left) && (await round()))) break;
    } catch (error) {
      unlisted = messageOf(error);
    }
    if (Date.now() + wait > until) break;
    say(`tries again in ${Math.ceil(wait / 1_000)} s: ${unlisted ?? [...left.values()].map(leftWords).join('; ')}`);
    await pause(wait);
  }
  const rest = [...left.values()];
  for (const { one } of rest) removed.delete(wordsOf(one));
  const names = [...rest.map(leftWords), ...(unlisted === undefined ? [] : [`what is left cannot be listed: ${unlisted}`])];
  const hint = `it costs money as long as it exists: run \`npm run acceptance -- ${provider} --sweep\`, or delete it in the console of ${provider}`;
  return { removed: [...removed], left: names, ...(names.length > 0 && { hint }) };
}

async function deleteOne(
  { servers, volumes, networks, others }: Parameters<typeof sweep>[0],
  { kind, name, scope }: OwnedThing,
): Promise<void> {
  if (kind === 'server') await servers.delete(name, { scope });
  else if (kind === 'volume') await volumes.delete(name, { scope });
  else if (kind === 'network') await networks.delete(name, { scope });
  else await others?.delete(kind, name, { scope });
}

/** Rejects if an answer does not arrive in time. The call itself continues. */
async function withinTime<T>(ms: number, call: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms / 1_000} s`)), ms);
  });
  const calling = call();
  calling.catch(() => {});
  return Promise.race([calling, late]).finally(() => clearTimeout(timer));
}

const wordsOf = ({ kind, name }: OwnedThing) => `${kind} ${name}`;
const keyOf = ({ kind, name, id }: OwnedThing) => `${kind} ${name} ${id}`;
const leftWords = ({ one, why }: { one: OwnedThing; why: string }) => `${wordsOf(one)} (id ${one.id}): ${why}`;
const noneFailed = (left: ReadonlyMap<string, { why: string }>) =>
  [...left.values()].every(({ why }) => why === 'it is still listed');
