import { describe, expect, it } from 'vitest';
import { ProvisioningError } from '../../sdk/index.js';
import { upcloudClient } from './client/index.js';
import { useTestServer } from './client/test-server.js';
import { explainError } from './cloud/error-codes.js';
import { call } from './errors.js';

const JSON_TYPE = { 'content-type': 'application/json' };

/** Returns the error of a request after this answer. */
async function detailsAfter(status: number, headers: Record<string, string>, body: string) {
  const error = await useTestServer(
    (_, response) => void response.writeHead(status, headers).end(body),
    (client) =>
      call('list the zones', 'UpCloud', undefined, () => client.offer.zones()).then(
        () => undefined,
        (thrown: unknown) => thrown,
      ),
  );
  if (error instanceof ProvisioningError) return error.details;
  throw error;
}

const classic = (code: string) => JSON.stringify({ error: { error_code: code, error_message: 'So it is.' } });

describe('a failure of UpCloud', () => {
  it('keeps code, request and request id of the vendor', async () => {
    const details = await detailsAfter(403, { ...JSON_TYPE, 'x-request-id': 'R7' }, classic('SERVER_CORE_LIMIT_REACHED'));
    expect(details).toMatchObject({ code: 'quota-exceeded', blame: 'user', what: 'list the zones', on: 'UpCloud' });
    for (const part of ['So it is.', 'SERVER_CORE_LIMIT_REACHED', 'GET /1.3/zone', 'R7']) expect(details.why).toContain(part);
    expect(details.hint).toContain('provider check');
  });

  it('keeps the fields and the correlation id of the other form', async () => {
    const problem = {
      type: 'https://developers.upcloud.com/1.3/errors#ERROR_INVALID_REQUEST',
      title: 'Validation error.',
      status: 400,
      correlation_id: '01KFDTBWFKWSYR6T8BDHY1JD5J',
      invalid_params: [{ name: 'frontends.0.name', reason: 'Is too long.' }],
    };
    const details = await detailsAfter(400, { 'content-type': 'application/problem+json' }, JSON.stringify(problem));
    expect(details).toMatchObject({ code: 'upcloud-refused', blame: 'bug' });
    for (const part of ['INVALID_REQUEST', 'frontends.0.name: Is too long.', problem.correlation_id])
      expect(details.why).toContain(part);
  });

  it.each([
    ['too many requests', 429, { 'retry-after': '7' }, classic('TOO_MANY_REQUESTS'), 'rate-limited', 7_000],
    ['too many requests, said in HTML', 429, { 'retry-after': '7' }, '<html>', 'rate-limited', 7_000],
    ['too many requests, without a time', 429, {}, classic('TOO_MANY_REQUESTS'), 'rate-limited', 1_000],
    ['maintenance', 503, { 'retry-after': '120' }, '<html>Back soon</html>', 'upcloud-failed', 120_000],
    ['a broken service', 500, {}, classic('SERVICE_ERROR'), 'upcloud-failed', undefined],
    ['HTML instead of JSON', 200, {}, '<html>', 'upcloud-unreachable', undefined],
    ['JSON that is cut off', 200, {}, '{"zones":{"zo', 'upcloud-unreachable', undefined],
    ['no room', 409, {}, classic('SERVER_RESOURCES_UNAVAILABLE'), 'no-capacity', undefined],
  ])('is transient: %s', async (_, status, headers, body, code, retryAfterMs) => {
    const type = body.startsWith('{') ? JSON_TYPE : { 'content-type': 'text/html' };
    const details = await detailsAfter(status, { ...type, ...(headers as Record<string, string>) }, body);
    expect({ ...details, retryAfterMs: details.retryAfterMs }).toMatchObject({ code, blame: 'weather', retryAfterMs });
  });

  it('is transient where nobody answers, with a word about it and without the token', async () => {
    const client = upcloudClient({ credentials: { token: 'ucat_secret' }, endpoint: 'http://127.0.0.1:1' });
    const error = await call('list the zones', 'UpCloud', undefined, () => client.offer.zones()).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ details: { code: 'upcloud-unreachable', blame: 'weather' } });
    expect(JSON.stringify(error) + String(error)).not.toContain('ucat_secret');
  });

  it('is not ours to translate when the caller has stopped', async () => {
    const reason = new Error('the worker stops');
    const work = call('list the zones', 'UpCloud', AbortSignal.abort(reason), async () => 1);
    await expect(work).rejects.toBe(reason);
  });
});

describe('a code that nobody knows', () => {
  it.each([
    [401, 'credentials', 'user'],
    [402, 'quota-exceeded', 'user'],
    [403, 'not-permitted', 'user'],
    [404, 'upcloud-not-settled', 'weather'],
    [409, 'upcloud-not-settled', 'weather'],
    [429, 'rate-limited', 'weather'],
    [502, 'upcloud-failed', 'weather'],
    [400, 'upcloud-refused', 'bug'],
  ])('with %i is %s', (status, code, blame) => {
    expect(explainError('NEW_CODE', status)).toMatchObject({ code, blame });
  });
});
