import type { IncomingMessage } from 'node:http';
import { type Agent, request } from 'node:https';
import { createInterface } from 'node:readline';
import { expect } from 'vitest';
import type { OperationResult } from '../../core/operation/operation.js';

/** Answer to a request. */
export interface ApiAnswer {
  status: number;
  body: unknown;
}

interface Event {
  id?: string;
  event?: string;
  data: { type?: string; result?: OperationResult };
}

/** Returns functions that send requests to an API server at its current address. */
export function createApiRequests(at: () => { url: string; agent: Agent; headers: Record<string, string> }) {
  const open = (verb: string, path: string, more: Record<string, string> = {}, body?: string) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const { url, agent, headers } = at();
      const sent = request(`${url}${path}`, { method: verb, agent, headers: { ...headers, ...more } }, resolve);
      sent.on('error', reject).end(body);
    });

  async function ask(verb: string, path: string, input?: unknown): Promise<ApiAnswer> {
    const typed = input === undefined ? {} : { 'content-type': 'application/json' };
    const response = await open(
      verb,
      path,
      typed as Record<string, string>,
      input === undefined ? undefined : JSON.stringify(input),
    );
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) text += chunk;
    return { status: response.statusCode ?? 0, body: text === '' ? undefined : JSON.parse(text) };
  }

  /** Returns the answer to a call that must succeed. */
  async function well<T>(verb: string, path: string, input?: unknown): Promise<T> {
    const { status, body } = await ask(verb, path, input);
    expect([verb, path, status, status < 300 ? '' : body]).toEqual([verb, path, status, '']);
    return body as T;
  }

  /** Polls until the operation has ended. */
  async function result<T>(path: string): Promise<T> {
    for (;;) {
      const { status, body } = await ask('GET', path);
      if (status === 202) continue;
      expect([path, status, status === 200 ? '' : body]).toEqual([path, 200, '']);
      return body as T;
    }
  }

  /** Returns the events of a stream, up to this count or its end. */
  async function follow(path: string, { after, count = Number.POSITIVE_INFINITY }: { after?: string; count?: number } = {}) {
    const response = await open('GET', path, after === undefined ? {} : { 'last-event-id': after });
    expect([response.statusCode, response.headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
    const events: Event[] = [];
    let current: Partial<Record<'id' | 'event' | 'data', string>> = {};
    for await (const line of createInterface({ input: response })) {
      const [, field, value] = /^(id|event|data): (.*)$/.exec(line) ?? [];
      if (field) current[field as 'id'] = value;
      if (line !== '') continue;
      if (current.data !== undefined) events.push({ ...current, data: JSON.parse(current.data) });
      current = {};
      if (events.length >= count) break;
    }
    response.destroy();
    return events;
  }

  return { open, ask, well, result, follow };
}

/** Creates a service account with these roles in the workspace `default`, and a token of it. */
export async function addAccount(
  { well }: Pick<ReturnType<typeof createApiRequests>, 'well'>,
  account: string,
  roles: readonly string[],
): Promise<{ id: string; token: string }> {
  await well('POST', '/v1/service-accounts/create', { account });
  for (const role of roles) await well('POST', '/v1/service-accounts/bind', { account, role, workspace: 'default' });
  return well<{ id: string; token: string }>('POST', '/v1/tokens/create', { account });
}
