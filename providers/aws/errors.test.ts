import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ProvisioningError } from '../../sdk/index.js';
import { MEANINGS } from './ec2/error-codes.js';
import { aws } from './index.js';

/** Returns a refusal in the format of EC2. */
const refusal = (code: string, message = 'words of AWS') =>
  `<?xml version="1.0"?><Response><Errors><Error><Code>${code}</Code><Message>${message}</Message></Error></Errors><RequestID>req-7</RequestID></Response>`;

let answer: (response: ServerResponse) => void = () => {};
let server: Server;
let url = '';

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume().on('end', () => answer(response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

const env = { AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'AKIDSECRET', AWS_SECRET_ACCESS_KEY: 'verysecret' };
const scope = { workspace: 'w', infra: 'i', uuid: 'u' };

async function failure(endpoint = url, signal?: AbortSignal): Promise<ProvisioningError['details'] & { message: string }> {
  const connection = await aws.connect(aws.config.parse({ endpoint }), { env, secret: async () => undefined });
  const error = await connection.servers.list({ scope, signal }).catch((thrown: unknown) => thrown);
  if (!(error instanceof ProvisioningError)) throw error;
  return { ...error.details, message: error.message };
}

const says = (status: number, body: string, headers: Record<string, string> = {}) => {
  answer = (response) => response.writeHead(status, { 'content-type': 'text/xml', ...headers }).end(body);
};

describe('an error of AWS', () => {
  it.each([
    [401, 'AuthFailure', 'credentials', 'user'],
    [403, 'UnauthorizedOperation', 'not-permitted', 'user'],
    [400, 'VcpuLimitExceeded', 'quota-exceeded', 'user'],
    [400, 'SomethingNewLimitExceeded', 'quota-exceeded', 'user'],
    [400, 'InvalidInstanceType', 'unknown-plan', 'user'],
    [400, 'Unsupported', 'plan-not-in-zone', 'user'],
    [400, 'InvalidAMIID.NotFound', 'unknown-image', 'user'],
    [400, 'InvalidSubnet.Conflict', 'network-overlap', 'user'],
    [400, 'InvalidGroup.Duplicate', 'name-taken', 'user'],
    [400, 'DependencyViolation', 'network-in-use', 'weather'],
    [400, 'InvalidInstanceID.NotFound', 'aws-not-settled', 'weather'],
    [500, 'InsufficientInstanceCapacity', 'no-capacity', 'weather'],
    [503, 'RequestLimitExceeded', 'rate-limited', 'weather'],
    [500, 'InternalError', 'aws-failed', 'weather'],
    [503, 'NobodyKnowsThis', 'aws-failed', 'weather'],
    [400, 'NobodyKnowsThis', 'aws-refused', 'user'],
    [400, 'MissingParameter', 'aws-misasked', 'bug'],
  ])('%i %s is told as %s, by the %s', async (status, code, ours, blame) => {
    says(status, refusal(code));
    expect(await failure()).toMatchObject({ code: ours, blame });
  });

  it('keeps the code, the words and the request of AWS, and no credential', async () => {
    says(400, refusal('VcpuLimitExceeded', 'You have requested more vCPU capacity'), { 'x-amzn-requestid': 'req-7' });
    const { message, hint } = await failure();
    expect(message).toMatch(/You have requested more vCPU capacity \(VcpuLimitExceeded, request req-7\)$/);
    expect(hint).toMatch(/Service Quotas/);
    expect(message).not.toMatch(/AKIDSECRET|verysecret/);
  });

  it('says when to come again: as AWS does, or after two seconds', async () => {
    says(503, refusal('RequestLimitExceeded'), { 'retry-after': '7' });
    expect((await failure()).retryAfterMs).toBe(7_000);
    says(503, refusal('Throttling'));
    expect((await failure()).retryAfterMs).toBe(2_000);
    says(500, refusal('InternalError'));
    expect((await failure()).retryAfterMs).toBeUndefined();
  });
});

const data = process.env.PROVISIONING_CLOUD_DATA ?? resolve(import.meta.dirname, '../../../shared/clouds');
const recorded = ['aws-ec2-moto-traces', 'aws-ec2-libcloud-fixtures'].map((name) => join(data, name)).filter(existsSync);

it.skipIf(recorded.length === 0)('every code that was recorded has a meaning', () => {
  const texts = recorded.flatMap((folder) => readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8')));
  const codes = new Set(
    texts.flatMap((text) => [...text.matchAll(/<Error>\s*<Code>([^<]+)<\/Code>/g)].map(([, code = '']) => code)),
  );
  // The answer to a permitted request with `DryRun`.
  codes.delete('DryRunOperation');
  expect(codes.size).toBeGreaterThan(5);
  expect([...codes].filter((code) => !Object.hasOwn(MEANINGS, code))).toEqual([]);
});

describe('a transient error', () => {
  const transient = (code: string) => ({ code, blame: 'weather' });

  it('is an answer in HTML, or one that is cut off', async () => {
    says(502, '<html><head><title>Bad gateway</title></head></html>');
    expect(await failure()).toMatchObject(transient('aws-answer'));
    says(200, '<DescribeRegionsResponse><regionInfo><item><regionName>eu-cen');
    expect(await failure()).toMatchObject(transient('aws-answer'));
  });

  it('is a connection that breaks, and one that nobody takes', async () => {
    answer = (response) => response.socket?.destroy();
    expect(await failure()).toMatchObject(transient('aws-unreachable'));
    answer = (response) => (response.socket as Socket).resetAndDestroy();
    expect(await failure()).toMatchObject({ ...transient('aws-unreachable'), why: expect.stringContaining('cut') });
    expect(await failure('http://127.0.0.1:9')).toMatchObject(transient('aws-unreachable'));
  });

  it('is not the end of the caller', async () => {
    answer = () => {};
    await expect(failure(url, AbortSignal.timeout(50))).rejects.toThrow(/timeout/);
  });
});

describe('credentials', () => {
  const connect = (own: Record<string, string | undefined>, secrets: Record<string, string> = {}) =>
    aws.connect(aws.config.parse({ endpoint: url }), {
      env: { AWS_REGION: 'eu-central-1', ...own },
      secret: async (name) => secrets[name],
    });

  it('of which one half is missing are refused at once', async () => {
    await expect(connect({ AWS_ACCESS_KEY_ID: 'a' })).rejects.toMatchObject({ details: { code: 'credentials', blame: 'user' } });
  });

  it('come from the environment first, then from the secret store', async () => {
    const seen: string[] = [];
    server.prependListener('request', ({ headers }) => seen.push(/Credential=(\w+)/.exec(headers.authorization ?? '')?.[1] ?? ''));
    says(400, refusal('AuthFailure'));
    const kept = { 'aws/default/access-key-id': 'KEPT', 'aws/default/secret-access-key': 'x' };
    for (const own of [{ AWS_ACCESS_KEY_ID: 'GIVEN', AWS_SECRET_ACCESS_KEY: 'x' }, {}])
      await (await connect(own, kept)).servers.list({ scope }).catch(() => {});
    expect(new Set(seen)).toEqual(new Set(['GIVEN', 'KEPT']));
  });
});
