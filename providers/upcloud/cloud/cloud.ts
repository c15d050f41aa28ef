import { setTimeout as sleep } from 'node:timers/promises';
import type { Plan, Storage, UpCloudClient, Zone } from '../client/index.js';

/** Connected account. */
export interface Cloud {
  client: UpCloudClient;
  /** Default zone. */
  zone: string;
  pollMs: number;
  offer: Offer;
  /** Runs work on the same subject in sequence. */
  inTurn<T>(about: string, work: () => Promise<T>): Promise<T>;
}

/** UpCloud's offer, which rarely changes and is requested once per hour. */
export interface Offer {
  plans(signal?: AbortSignal): Promise<Plan[]>;
  templates(signal?: AbortSignal): Promise<Storage[]>;
  zones(signal?: AbortSignal): Promise<Zone[]>;
}

export function openCloud(client: UpCloudClient, zone: string, pollMs: number): Cloud {
  const turns = new Map<string, Promise<unknown>>();
  return {
    client,
    zone,
    pollMs,
    offer: {
      plans: hourly((signal) => client.offer.plans({ signal })),
      templates: hourly((signal) => client.storages.list({ kind: 'template' }, { signal })),
      zones: hourly((signal) => client.offer.zones({ signal })),
    },
    inTurn(about, work) {
      const turn = (turns.get(about) ?? Promise.resolve()).then(work, work);
      turns.set(about, turn);
      const done = () => {
        if (turns.get(about) === turn) turns.delete(about);
      };
      turn.then(done, done);
      return turn;
    },
  };
}

const HOUR_MS = 3_600_000;

function hourly<T>(ask: (signal?: AbortSignal) => Promise<T>): (signal?: AbortSignal) => Promise<T> {
  let known: { value: T; until: number } | undefined;
  return async (signal) => {
    if (!known || known.until < Date.now()) known = { value: await ask(signal), until: Date.now() + HOUR_MS };
    return known.value;
  };
}

/** Creates pauses between polls: short at first, then up to `pollMs`. */
export function pauses({ pollMs }: Pick<Cloud, 'pollMs'>, signal?: AbortSignal): () => Promise<void> {
  let next = pollMs / 5;
  return async () => {
    await sleep(next, undefined, { signal });
    next = Math.min(next * 1.5, pollMs);
  };
}

const SECOND_LOOK_MS = 300;

/**
 * Repeats a lookup, since reads lag behind writes: an absence counts after two lookups, or more if it would end an
 * operation.
 */
export async function lookUntilBelieved<T>(
  cloud: Cloud,
  signal: AbortSignal | undefined,
  look: () => Promise<T[]>,
  looks = 2,
): Promise<T[]> {
  for (let left = looks - 1; ; left--) {
    const found = await look();
    if (found.length > 0 || left === 0) return found;
    await sleep(Math.min(SECOND_LOOK_MS, cloud.pollMs / 5), undefined, { signal });
  }
}

/** Number of lookups before a required resource is reported as gone. */
export const LOOKS = 5;
