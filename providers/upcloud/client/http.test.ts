import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { retryAfterMs } from './answer.js';
import { UpCloudError, upcloudClient } from './index.js';
import { useTestServer } from './test-server.js';
import { waitUntil } from './wait.js';

const failure = (call: Promise<unknown>): Promise<UpCloudError> =>
  call.then(
    () => Promise.reject(new Error('it succeeded')),
    (error: unknown) => (error instanceof UpCloudError ? error : Promise.reject(error)),
  );

const answered = (status: number, headers: Record<string, string>, body: string) =>
  useTestServer(
    (_, response) => void response.writeHead(status, headers).end(body),
    (client) => failure(client.offer.zones()),
  );

const JSON_TYPE = { 'content-type': 'application/json' };

describe('a request', () => {
  const seen = async (options: Parameters<typeof useTestServer>[2]): Promise<IncomingMessage> => {
    let came: IncomingMessage | undefined;
    await useTestServer(
      (request, response) => {
        came = request;
        response.writeHead(200, JSON_TYPE).end('{"zones":{"zone":[]}}');
      },
      (client) => client.offer.zones(),
      options,
    );
    return came as IncomingMessage;
  };

  it('bears a token, or a user name and password in UTF-8', async () => {
    expect((await seen({})).headers.authorization).toBe('Bearer ucat_secret');
    const { headers } = await seen({ credentials: { username: 'åke', password: 'pä:ss' } });
    expect(Buffer.from(String(headers.authorization).replace('Basic ', ''), 'base64').toString()).toBe('åke:pä:ss');
  });

  it('does not choose between two kinds of credentials', () => {
    const both = { token: 'a', username: 'b', password: 'c' };
    expect(() => upcloudClient({ credentials: both })).toThrow('not both');
  });

  it.each(['', '/', '/1.3', '/1.3/'])('goes to /1.3 where the endpoint ends in %j', async (path) => {
    const urls: string[] = [];
    await useTestServer(
      (request, response) => {
        urls.push(request.url ?? '');
        response.writeHead(200, JSON_TYPE).end('{"zones":{"zone":[]}}');
      },
      (client) => client.offer.zones(),
      { path },
    );
    expect(urls).toEqual(['/1.3/zone']);
  });

  it('reads all pages of a list', async () => {
    const asked: string[] = [];
    const gateways = Array.from({ length: 250 }, (_, index) => ({
      uuid: String(index),
      name: 'g',
      zone: 'z',
      features: [],
      routers: [],
      configured_status: 'started',
      operational_state: 'running',
    }));
    const found = await useTestServer(
      (request, response) => {
        const query = new URL(request.url ?? '', 'http://x').searchParams;
        asked.push(query.toString());
        const from = Number(query.get('offset'));
        response.writeHead(200, JSON_TYPE).end(JSON.stringify(gateways.slice(from, from + Number(query.get('limit')))));
      },
      (client) => client.gateways.list(),
    );
    expect(found).toHaveLength(250);
    expect(asked).toEqual(['limit=100&offset=0', 'limit=100&offset=100', 'limit=100&offset=200']);
  });
});

describe('an answer that is none', () => {
  it.each([
    [
      'HTML with 200',
      200,
      { 'content-type': 'text/html' },
      '<html>Maintenance</html>',
      'HTTP_200',
      'answered with HTML instead of JSON',
    ],
    [
      'HTML with 502',
      502,
      { 'content-type': 'text/html' },
      '<html>Bad gateway</html>',
      'HTTP_502',
      'answered with HTML instead of JSON',
    ],
    ['JSON cut off', 200, JSON_TYPE, '{"zones":{"zone":[{"id":"fi', 'HTTP_200', 'answered with JSON that is cut off or broken'],
    ['nothing at all', 200, JSON_TYPE, '', 'HTTP_200', 'answered with nothing'],
    ['an error of another API', 500, JSON_TYPE, '{"message":"oops"}', 'HTTP_500', 'answered with JSON of another API'],
    ['a redirect', 302, { location: 'http://127.0.0.1:1/' }, '', 'HTTP_302', 'answered with a redirect'],
    ['plain text', 503, { 'content-type': 'text/plain' }, 'no', 'HTTP_503', 'answered with text/plain instead of JSON'],
  ])('%s', async (_, status, headers, body, code, reason) => {
    expect(await answered(status, headers as Record<string, string>, body)).toMatchObject({
      kind: 'unreadable',
      status,
      code,
      reason,
    });
  });

  it('of another shape names the field and no value', async () => {
    const error = await answered(200, JSON_TYPE, '{"zones":{"zone":[{"id":7,"description":"swordfish"}]}}');
    expect(error).toMatchObject({ kind: 'unexpected', code: 'UNEXPECTED' });
    expect(error.message).toContain('zones.zone.0.id');
    expect(error.message).not.toContain('swordfish');
  });

  it('is a network error where the connection is cut, before the answer or within it', async () => {
    const cut = await useTestServer(
      (request) => void request.socket.destroy(),
      (client) => failure(client.offer.zones()),
    );
    expect(cut).toMatchObject({ kind: 'network', code: 'NETWORK', status: undefined });
    const half = await useTestServer(
      (request, response) => {
        response.writeHead(200, { ...JSON_TYPE, 'content-length': '100' }).write('{"zones"', () => request.socket.destroy());
      },
      (client) => failure(client.offer.zones()),
    );
    expect(half.kind).toBe('network');
    const client = upcloudClient({ credentials: { token: 'ucat_secret' }, endpoint: 'http://127.0.0.1:1' });
    expect((await failure(client.offer.zones())).message).not.toContain('ucat_secret');
  });

  it('is a time-out when it takes too long', async () => {
    const error = await useTestServer(
      () => {},
      (client) => failure(client.offer.zones()),
      { timeoutMs: 50 },
    );
    expect(error).toMatchObject({ kind: 'timeout', code: 'TIMEOUT', request: 'GET /1.3/zone' });
  });

  it('is what the signal says when it is ended from outside', async () => {
    const stop = new AbortController();
    const reason = new Error('the worker stops');
    const call = useTestServer(
      () => stop.abort(reason),
      (client) => client.offer.zones({ signal: stop.signal }),
    );
    await expect(call).rejects.toBe(reason);
  });
});

describe('a refusal', () => {
  it('says when to come again, and by which id it is known', async () => {
    const body = '{"error":{"error_code":"SERVER_CREATING_LIMIT_REACHED","error_message":"Slowly.\\nPlease"}}';
    const error = await answered(429, { ...JSON_TYPE, 'retry-after': '7', 'x-request-id': 'R1' }, body);
    expect(error).toMatchObject({ kind: 'refused', status: 429, retryAfterMs: 7_000, requestId: 'R1' });
    expect(error.message).toBe('GET /1.3/zone: 429 SERVER_CREATING_LIMIT_REACHED: Slowly. Please [request R1]');
  });

  it('reads Retry-After as seconds or as a date', () => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    expect(retryAfterMs('Thu, 01 Jan 2026 00:00:30 GMT', now)).toBe(30_000);
    expect(retryAfterMs('Wed, 31 Dec 2025 00:00:00 GMT', now)).toBe(0);
    expect(retryAfterMs('1.5')).toBe(1_500);
    expect(retryAfterMs('soon')).toBeUndefined();
    expect(retryAfterMs(null)).toBeUndefined();
  });

  it('never holds what was sent', async () => {
    const error = await useTestServer(
      (_, response) =>
        void response.writeHead(400, JSON_TYPE).end('{"error":{"error_code":"USER_DATA_INVALID","error_message":"No."}}'),
      (client) =>
        failure(
          client.servers.create({
            zone: 'z',
            title: 't',
            hostname: 'h',
            storage_devices: [],
            user_data: 'swordfish',
            metadata: true,
          }),
        ),
    );
    expect(JSON.stringify({ ...error, message: error.message, stack: error.stack })).not.toMatch(/swordfish|ucat_secret/);
  });
});

describe('waiting', () => {
  it('ends when its time is over, and says what for', async () => {
    const wait = waitUntil(
      'the moon',
      async () => 1,
      () => false,
      { everyMs: 5, timeoutMs: 20 },
    );
    await expect(wait).rejects.toMatchObject({ kind: 'timeout', request: 'wait for the moon' });
  });

  it('ends between two looks when the signal says so', async () => {
    const stop = new AbortController();
    let looks = 0;
    const wait = waitUntil(
      'the moon',
      async () => (looks += 1),
      () => false,
      { everyMs: 60_000, signal: stop.signal, onLook: () => setTimeout(() => stop.abort(), 5) },
    );
    await expect(wait).rejects.toThrow();
    expect(looks).toBe(1);
  });
});
