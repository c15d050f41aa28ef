import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseUpstream } from './upstream.js';

let folder: string;
let server: Server;
let path: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'upstream-'));
  path = join(folder, 'socket');
  server = createServer((request, response) => {
    if (request.url === '/none') return void response.writeHead(204).end();
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      response.writeHead(request.url === '/missing' ? 404 : 200, { 'set-cookie': ['a=1', 'b=2'] });
      response.end(`${request.method} ${request.url} ${request.headers['x-test']} ${body}`);
    });
  });
  await new Promise<void>((resolve) => server.listen(path, resolve));
});
afterAll(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

test('a socket answers as a server does: status, headers and body', async () => {
  const upstream = parseUpstream(`unix:${path}`);
  const ask = (at: string, init: RequestInit = {}) => upstream.fetch(new Request(`${upstream.base}${at}`, init));
  const found = await ask('/a?b=1', { headers: { 'x-test': 'yes' } });
  expect([found.status, await found.text(), found.headers.getSetCookie()]).toEqual([200, 'GET /a?b=1 yes ', ['a=1', 'b=2']]);
  const posted = await ask('/missing', { method: 'POST', body: 'text', headers: { 'x-test': 'no' } });
  expect([posted.status, await posted.text()]).toEqual([404, 'POST /missing no text']);
  const empty = await ask('/none');
  expect([empty.status, await empty.text()]).toEqual([204, '']);
  await expect(parseUpstream(`unix:${path}-gone`).fetch(new Request(upstream.base))).rejects.toThrow('ENOENT');
});

test('an address is an origin, and what is before its paths', () => {
  const { origin, base } = parseUpstream('https://ui.example:8443/temporal/');
  expect([origin, base]).toEqual(['https://ui.example:8443', 'https://ui.example:8443/temporal']);
});
