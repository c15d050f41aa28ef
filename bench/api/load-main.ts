/** Sends the loads that its parent requests: each request at its time, even if earlier ones have no answer yet. */
import { Agent, request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Load, type LoadRequest, type LoadResult, NUMBER } from './load.js';

/** Time limit of a request, in milliseconds. A request that waits for an end takes up to 55 s. */
const PATIENCE_MS = 70_000;
/** Numbers have as many digits as their place. */
let number = 1_000_000;

interface Answer {
  status: number;
  text: string;
}

async function send(load: Load): Promise<LoadResult> {
  const agent = new Agent({ ca: load.ca, keepAlive: true, maxSockets: load.connections });
  const result: LoadResult = { times: {}, ends: {}, errors: {}, took: 0, drained: 0 };
  const add = (to: Record<string, number[]>, kind: string, ms: number) => {
    to[kind] ??= [];
    to[kind].push(ms);
  };
  const ask = (verb: string, path: string, { body, waits }: { body?: string | undefined; waits?: true } = {}) =>
    new Promise<Answer>((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${load.token}`,
        ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
        ...(waits && { prefer: 'wait=55' }),
      };
      const sent = request(`${load.url}${path}`, { method: verb, agent, headers, timeout: PATIENCE_MS }, (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('error', reject);
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(parts).toString('utf8') }));
      });
      sent.on('timeout', () => sent.destroy(new Error('no answer')));
      sent.on('error', reject).end(body);
    });

  async function play({ kind, verb, path, body, follow }: LoadRequest, due: number): Promise<void> {
    try {
      const answer = await ask(verb, path, { body: body?.replaceAll(NUMBER, String(++number)) });
      if (answer.status !== 200) throw new Error(describe(answer));
      add(result.times, kind, performance.now() - due);
      if (follow === undefined) return;
      const { operation } = JSON.parse(answer.text) as { operation: string };
      const at = follow.replace('{operation}', encodeURIComponent(operation));
      let end = await ask('GET', at, { waits: true });
      while (end.status === 202) end = await ask('GET', at, { waits: true });
      if (end.status !== 200) throw new Error(describe(end));
      const { status = 'done' } = JSON.parse(end.text) as { status?: string };
      if (status !== 'done') throw new Error(`${kind} ended as ${status}`);
      add(result.ends, kind, performance.now() - due);
    } catch (error) {
      const why = `${kind}: ${error instanceof Error ? error.message : String(error)}`;
      result.errors[why] = (result.errors[why] ?? 0) + 1;
    }
  }

  const began = performance.now();
  const open: Promise<void>[] = [];
  let due = began;
  for (const [index, one] of load.requests.entries()) {
    due = began + (index * 1_000) / load.rate;
    const early = due - performance.now();
    // Several that are due are sent at once.
    if (early > 1) await sleep(early);
    open.push(play(one, due));
  }
  await Promise.all(open);
  const ended = performance.now();
  agent.destroy();
  return { ...result, took: ended - began, drained: ended - due };
}

/** The status, with the code of a problem. */
function describe({ status, text }: Answer): string {
  const code = /"code":"([a-z-]+)"/.exec(text)?.[1];
  return `status ${status}${code ? ` ${code}` : ''}`;
}

process.on('message', (load: Load) => {
  void send(load).then((result) => process.send?.(result));
});
