import type { ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { InfraEvent } from '../../app/schemas/infra-event.js';
import type { OperationEvent } from '../../app/schemas/operation.js';
import type { Client } from '../../client/client.js';
import { connectServer } from '../../client/http/connect-server.js';
import type { OperationResult } from '../../core/operation/operation.js';
import { demoDefinition } from '../support/definition.js';
import { demoAccount } from '../support/demo.js';
import { startTestEngine, type TestEngine } from '../support/engine.js';
import { freePorts } from '../support/free-ports.js';
import { findHaproxy, startHaproxy, type TestHaproxy } from '../support/haproxy.js';
import { eventually, submit, untilStatus } from '../support/operations.js';
import { killApiServer, startApiServer } from '../support/remote-home.js';

/** Seconds without a byte after which a front cuts a connection: twice the time between two heartbeats, and less than it. */
const IDLE = [30, 10] as const;
/** Followers of each kind through each front. */
const EACH = 4;
const STREAM = '/follow';

const whyNot = findHaproxy() ? undefined : 'haproxy is not installed: apt-get install haproxy';
if (whyNot) console.warn(`left out, streams through haproxy: ${whyNot}`);

interface Follower<Event> {
  via: string;
  events: Event[];
  ended: Promise<void>;
}

let engine: TestEngine;
let haproxy: TestHaproxy;
const servers: ChildProcess[] = [];
const clients: Client[] = [];
let connectTo: (url: string) => Client;
let direct: string;
/** How often clients found no server and told so, less how often they found one again. */
let away = 0;

beforeAll(async () => {
  if (whyNot) return;
  engine = await startTestEngine();
  const ports = await freePorts(2);
  const [killed = '', stays = ''] = ports.map((port) => `127.0.0.1:${port}`);
  for (const address of [killed, stays]) servers.push(await startApiServer(engine, address));
  const folder = join(engine.home.engine, 'api');
  const [certificate, key, authority] = ['server.pem', 'server-key.pem', 'ca.pem'].map((name) => join(folder, name)) as [
    ...[string, string, string],
  ];
  haproxy = await startHaproxy({ servers: { killed, stays }, idle: IDLE, pem: { certificate, key, authority } });
  const owner = await engine.client();
  await owner.serviceAccounts.create({ account: 'follower' });
  await owner.serviceAccounts.bind({ account: 'follower', role: 'viewer', workspace: '*' });
  const { token } = await owner.tokens.create({ account: 'follower' });
  const ca = await readFile(authority, 'utf8');
  direct = `https://${stays}`;
  connectTo = (url) => {
    const client = connectServer({ url, token, ca }, { away: () => void away++, back: () => void away-- });
    clients.push(client);
    return client;
  };
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await haproxy?.stop();
  for (const server of servers) if (server.exitCode === null && server.signalCode === null) await killApiServer(server);
  await engine?.stop();
});

function follow<Event>(via: string, stream: AsyncIterable<Event>): Follower<Event> {
  const events: Event[] = [];
  const read = async () => {
    for await (const event of stream) events.push(event);
  };
  const ended = read();
  // A failed test does not wait for it.
  ended.catch(() => {});
  return { via, events, ended };
}

/** A follower of its own connection to a server that stays, and some through each front. */
function followAll<Event>(open: (client: Client) => AsyncIterable<Event>): [Follower<Event>, ...Follower<Event>[]] {
  const through = IDLE.flatMap((idle) => Array.from({ length: EACH }, () => ({ via: `idle ${idle}`, url: haproxy.url(idle) })));
  const [first, ...rest] = [{ via: 'direct', url: direct }, ...through].map(({ via, url }) => follow(via, open(connectTo(url))));
  return [first as Follower<Event>, ...rest];
}

/** Streams of a front that ended so. */
const endedStreams = async (idle: number, state: string, server = /./) =>
  (await haproxy.ended()).filter(
    (one) => one.idle === idle && one.state === state && server.test(one.server) && one.path.endsWith(STREAM),
  ).length;

const placesOf = (events: readonly InfraEvent[]) =>
  events.map((event) => (event.type === 'start' ? 'start' : `${event.type} ${event.infra} ${event.sequence}`));

/** States that come after a later state of the same cell, such as a cell that is not done any more. */
function backwards(events: readonly OperationEvent[]): string[] {
  const order = ['pending', 'running', 'done'];
  const seen = new Map<string, number>();
  const wrong: string[] = [];
  for (const event of events) {
    if (event.type === 'end') continue;
    for (const { server, taskserv = '', state, step, done } of event.progress.cells) {
      const name = `${server}/${taskserv}`;
      const before = seen.get(name) ?? 0;
      // The check of the health comes after the steps, and has no number of its own.
      const at = order.indexOf(state) * 1_000 + (state === 'running' ? (done ?? before % 1_000) : 0);
      if (at < before) wrong.push(`${name} ${state} ${done}: ${step}`);
      seen.set(name, at);
    }
  }
  return wrong;
}

test.skipIf(whyNot)(
  'streams go on through haproxy with two servers, whose idle limit cuts them, and one of which is killed',
  async () => {
    const stop = new AbortController();
    const feeds = followAll((client) => client.workspaces.follow({ workspace: 'default' }, { signal: stop.signal }));
    await eventually(async () => expect(feeds.map(({ events }) => events.length)).toEqual(feeds.map(() => 1)));

    const account = demoAccount(engine);
    await account.behave({ latencyMs: { 'host.step': 700 } });
    const definition = demoDefinition('shop', { servers: [{ name: 'web', count: 2 }], taskservs: ['nginx', 'redis'] });
    const operation = await submit(engine, { infra: 'shop', definition });
    const states = followAll((client) => client.operations.follow({ operation }));
    const results: Promise<OperationResult>[] = IDLE.map((idle) => connectTo(haproxy.url(idle)).operations.result({ operation }));
    for (const waiting of results) waiting.catch(() => {});
    await eventually(async () => {
      const at = states.map(({ events }) => events.some((one) => one.type === 'progress' && one.progress.cells.some(isDone)));
      expect(at).not.toContain(false);
    });

    const owner = await engine.client();
    await owner.operations.pause({ operation });
    await untilStatus(engine, operation, 'paused');
    // Nothing happens for longer than either limit: 30 s have passed once three limits of 10 s have.
    const streams = 2 * EACH;
    await eventually(async () => expect(await endedStreams(10, 'sD')).toBeGreaterThanOrEqual(4 * streams));
    expect((await haproxy.ended()).filter(({ idle, path }) => idle === 30 && path.endsWith(STREAM))).toEqual([]);

    const [killed] = servers as [ChildProcess];
    await owner.operations.resume({ operation });
    const before = states[0].events.length;
    await eventually(async () => expect(states[0].events.length).toBeGreaterThan(before + 1));
    await killApiServer(killed);
    const result = await owner.operations.result({ operation });
    await account.behave({});
    const removal = await submit(engine, { infra: 'shop', intent: { verb: 'delete' }, allowDestroy: true });
    await owner.operations.result({ operation: removal });
    await eventually(async () => expect(feeds[0].events.at(-1)?.type).toBe('ended'));

    await Promise.all(states.map(({ ended }) => ended));
    for (const { via, events } of states) {
      expect([via, events.at(-1)]).toEqual([via, { type: 'end', cursor: states[0].events.at(-1)?.cursor, result }]);
      expect([via, events.filter(({ type }) => type === 'end').length]).toEqual([via, 1]);
      const cursors = events.map(({ cursor }) => cursor);
      expect([via, cursors.filter((cursor, index) => cursor === cursors[index - 1])]).toEqual([via, []]);
      expect([via, backwards(events)]).toEqual([via, []]);
    }
    expect(await Promise.all(results)).toEqual(results.map(() => result));

    const places = placesOf(feeds[0].events);
    expect(new Set(places).size).toBe(places.length);
    // The start, changes before and after the pause, and the end. A fast machine has them in fewer entries.
    expect(places.length).toBeGreaterThanOrEqual(4);
    for (const { via, events } of feeds)
      await eventually(async () => expect([via, placesOf(events)]).toEqual([via, places]), 20_000);
    stop.abort();
    await Promise.all(feeds.map(({ ended }) => ended));

    // The kill is the only cut that the longer limit has, and it cut some of each front.
    const cut = (await haproxy.ended()).filter(
      ({ idle, state, path }) => idle === 30 && path.endsWith(STREAM) && state !== '--' && !state.startsWith('C'),
    );
    expect(cut.map(({ server, state }) => `${server} ${state}`)).toEqual(cut.map(() => 'killed SD'));
    expect(cut.length).toBeGreaterThan(0);
    expect(await endedStreams(10, 'SD', /^killed$/)).toBeGreaterThan(0);
    // A result that is waited for is no stream: no limit cuts it.
    expect((await haproxy.ended()).filter(({ state, server }) => state === 'sH' && server === 'stays')).toEqual([]);
    expect(away).toBe(0);
  },
);
const isDone = ({ state }: { state: string }) => state === 'done';
