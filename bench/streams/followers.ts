import type { Agent } from 'node:https';
import { request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { connectServer } from '../../client/http/connect-server.js';
import type { ServerConnection } from '../../client/http/connection.js';

/** Open streams, and their received data. */
export interface Followers {
  /** Events that have come to all of them. */
  events(): number;
  /** Waits for the end of each stream. @throws the first error of a stream */
  ended(): Promise<void>;
  close(): Promise<void>;
}

/** Streams that are opened at a time, and the milliseconds between. */
const AT_ONCE = 5;
const PAUSE_MS = 250;

/**
 * Follows operations by the client of the platform. Answers once each follower has an event.
 *
 * @param connections of the accounts, which take turns
 */
export async function followOperations(
  connections: readonly ServerConnection[],
  operations: readonly string[],
  count: number,
): Promise<Followers> {
  const clients = connections.map((connection) => connectServer(connection));
  let events = 0;
  const follow = (index: number) => {
    const client = clients[index % clients.length] as (typeof clients)[number];
    const operation = operations[index % operations.length] as string;
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const read = async () => {
      for await (const _ of client.operations.follow({ operation })) {
        events++;
        begin();
      }
    };
    const ended = read();
    ended.catch(() => {});
    const either = Promise.race([begun, ended]);
    either.catch(() => {});
    return { begun: either, ended };
  };
  const all: ReturnType<typeof follow>[] = [];
  for (let index = 0; index < count; index++) {
    all.push(follow(index));
    if (index % AT_ONCE === 0) await sleep(PAUSE_MS);
  }
  await Promise.all(all.map(({ begun }) => begun));
  return {
    events: () => events,
    ended: async () => void (await Promise.all(all.map((one) => one.ended))),
    close: async () => void (await Promise.all(clients.map((client) => client.close()))),
  };
}

/** Opens streams of a bare server. @returns the received bytes, and a function that closes all */
export async function followBare(url: string, agent: Agent, count: number): Promise<{ bytes(): number; close(): void }> {
  let bytes = 0;
  const open = () =>
    new Promise<{ destroy(): void }>((resolve, reject) => {
      const asked = request(`${url}/stream`, { agent }, (response) => {
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
        });
        response.on('error', () => {});
        resolve(response);
      });
      asked.on('error', reject).end();
    });
  const all: { destroy(): void }[] = [];
  for (let at = 0; at < count; at += AT_ONCE)
    all.push(...(await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - at) }, open))));
  return {
    bytes: () => bytes,
    close() {
      for (const one of all) one.destroy();
    },
  };
}
