import { setTimeout as sleep } from 'node:timers/promises';
import type { Plan, Storage, UpCloudClient, Zone } from '../client/index.js';

/** An account, connected. */
export interface Cloud {
  client: UpCloudClient;
  /** Of what names none. */
  zone: string;
  pollMs: number;
  offer: Offer;
  /** One after the other, for what is about the same thing. */
  inTurn<T>(about: string, work: () => Promise<T>): Promise<T>;
}

/** What UpCloud sells changes rarely: it is asked once an hour. */
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

/** Waits between looks: shortly at first, then up to `pollMs`. */
export function pauses({ pollMs }: Pick<Cloud, 'pollMs'>, signal?: AbortSignal): () => Promise<void> {
  let next = pollMs / 5;
  return async () => {
    await sleep(next, undefined, { signal });
    next = Math.min(next * 1.5, pollMs);
  };
}

const SECOND_LOOK_MS = 300;

/**
 * Reads lag behind what was just made: that there is nothing is believed when it is said twice, or
 * more often where it would end an operation.
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

/** Looks before it is said that something which others count on is gone. */
export const LOOKS = 5;
