import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { createApiRequests } from './api-requests.js';
import { createRemoteHome } from './remote-home.js';

/**
 * Lets an account of a tenant work by the commands of another home, and checks that a freeze of an environment holds
 * its infra.
 *
 * @param well calls the server as an administrator of the home
 */
export async function playTenant({
  well,
  url,
  trust,
}: Pick<ReturnType<typeof createApiRequests>, 'well'> & { url: string; trust: string }): Promise<void> {
  const account = { account: 'admin', tenant: 'cole' };
  await well('POST', '/v1/tenants', { tenant: 'cole', providers: ['demo'] });
  await well('POST', '/v1/service-accounts/create', account);
  await well('POST', '/v1/service-accounts/bind', { ...account, role: 'admin', workspace: '*' });
  const { token } = await well<{ token: string }>('POST', '/v1/tokens/create', account);
  const { folder, run, json, remove } = await createRemoteHome();
  const at = (name: string) => join(folder, name);
  await writeFile(at('provisioning.yaml'), 'name: team\n');
  await mkdir(at('environments'));
  await writeFile(at('environments/prod.yaml'), 'config: { operation.onFailure: keep }\n');
  await writeFile(at('tenanted.yaml'), 'infra: tenanted\nprovider: demo\nservers: [{ name: web, taskservs: [nginx] }]\n');
  await json(['workspace', 'register', folder]);
  expect((await run(['context', 'add', 'lab', '--server', url, '--ca', trust])).code).toBe(0);
  await json(['login', '--context', 'lab', '--token', '-'], { input: token });
  await json(['context', 'use', 'lab']);
  expect(await json(['whoami'])).toMatchObject({ account: 'admin', roles: [{ role: 'admin', workspace: '*' }] });
  await json(['apply', at('tenanted.yaml'), '--env', 'prod', '--yes']);
  const frozen = { tenant: 'cole', workspace: '*', environment: 'prod' };
  await well('POST', '/v1/freezes', { ...frozen, reason: 'audit' });
  for (const environment of [['--env', 'prod'], []])
    expect(await json(['apply', at('tenanted.yaml'), ...environment, '--yes'], { code: 2 })).toMatchObject({
      error: { code: 'frozen' },
    });
  await well('POST', '/v1/freezes/delete', frozen);
  await json(['delete', 'tenanted', '--yes', '--allow-destroy']);
  await remove();
}
