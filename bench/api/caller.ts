import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import type { ServedApi } from './served.js';

/** Calls a server before it is measured. Throws if the server refuses. */
export interface Caller {
  get(path: string, token: string): Promise<string>;
  post<T>(path: string, input: object, token?: string): Promise<T>;
  /** Counts the infras in the list of the `default` workspace, page by page. */
  countInfras(token: string): Promise<number>;
  close(): void;
}

export function openCaller({ url, ca }: Pick<ServedApi, 'url' | 'ca'>): Caller {
  const agent = new Agent({ ca, keepAlive: true });

  async function ask(method: string, path: string, token?: string, body?: string): Promise<string> {
    const headers = {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request(`${url}${path}`, { method, agent, headers }, resolve).on('error', reject).end(body);
    });
    let text = '';
    for await (const part of response.setEncoding('utf8')) text += part;
    if (Math.floor((response.statusCode ?? 0) / 100) !== 2)
      throw new Error(`${method} ${path}: status ${response.statusCode}: ${text.slice(0, 300)}`);
    if (token !== undefined && response.headers.ratelimit === undefined) throw new Error(`${path}: the server has no limits`);
    return text;
  }

  return {
    get: (path, token) => ask('GET', path, token),
    post: async <T>(path: string, input: object, token?: string) =>
      JSON.parse(await ask('POST', path, token, JSON.stringify(input))) as T,
    async countInfras(token) {
      let count = 0;
      for (let after = ''; ; ) {
        const page = await ask('GET', `/v1/workspaces/default/infras?limit=1000${after}`, token);
        const { items, next } = JSON.parse(page) as { items: string[]; next?: string };
        count += items.length;
        if (next === undefined) return count;
        after = `&after=${encodeURIComponent(next)}`;
      }
    },
    close: () => agent.destroy(),
  };
}

/** Creates the calling account, which may only deploy in the workspace `default`. Returns its token. */
export async function createAccount(caller: Caller, code: string): Promise<string> {
  const { token: admin } = await caller.post<{ token: string }>('/v1/first-administrator', { code });
  await caller.post('/v1/service-accounts/create', { account: 'load' }, admin);
  await caller.post('/v1/service-accounts/bind', { account: 'load', role: 'deployer', workspace: 'default' }, admin);
  return (await caller.post<{ token: string }>('/v1/tokens/create', { account: 'load' }, admin)).token;
}
