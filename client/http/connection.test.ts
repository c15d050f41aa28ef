import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { keepContext, keepToken, listContexts, removeContext, useContext } from '../../home/contexts/contexts.js';
import { homeOf } from '../../home/home.js';
import { checkServerUrl, chooseContext, readCa, readConnection } from './connection.js';

const root = mkdtempSync(join(tmpdir(), 'contexts-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

describe('the server that commands ask', () => {
  const home = homeOf({ PROVISIONING_HOME: join(root, 'home') });
  const ask = (env: NodeJS.ProcessEnv = {}) => readConnection({ home, env });
  const prod = { url: 'https://prod.example.org', token: 'prov_1_prod' };

  test('is none without a context', () => {
    expect(ask()).toBeUndefined();
  });

  test('is that of the context in use, with its token', () => {
    keepContext(home, 'prod', { server: prod.url, workspace: 'shop' });
    expect(ask()).toBeUndefined();
    useContext(home, 'prod');
    expect(() => ask()).toThrow(expect.objectContaining({ details: expect.objectContaining({ code: 'not-logged-in' }) }));
    keepToken(home, 'prod', prod.token);
    expect(ask()).toEqual(prod);
    expect(chooseContext({ home, env: {} })).toMatchObject({ name: 'prod', by: 'current', workspace: 'shop', tokenBy: 'login' });
  });

  test('is decided by the variable of the context, then by that of the server, then by the socket', () => {
    keepContext(home, 'test', { server: 'https://test.example.org', ca: 'PEM' });
    keepToken(home, 'test', 'prov_2_test');
    const server = { PROVISIONING_SERVER: 'https://ci.example.org/', PROVISIONING_TOKEN: 'prov_3_ci' };
    const both = { ...server, PROVISIONING_SOCKET: '/run/worker.sock', PROVISIONING_CONTEXT: 'test' };
    expect(ask(both)).toEqual({ url: 'https://test.example.org', token: 'prov_2_test', ca: 'PEM' });
    expect(ask({ ...both, PROVISIONING_CONTEXT: '' })).toEqual({ url: 'https://ci.example.org', token: 'prov_3_ci' });
    expect(ask({ PROVISIONING_SOCKET: '/run/worker.sock' })).toBeUndefined();
    expect(ask({ ...both, PROVISIONING_CONTEXT: 'local' })).toBeUndefined();
  });

  test('gets the token of the variable, unless that belongs to another server', () => {
    expect(ask({ PROVISIONING_TOKEN: 'prov_4_mine' })).toEqual({ ...prod, token: 'prov_4_mine' });
    const env = { PROVISIONING_CONTEXT: 'prod', PROVISIONING_SERVER: 'https://ci.example.org', PROVISIONING_TOKEN: 'prov_3_ci' };
    expect(ask(env)).toEqual(prod);
  });

  test('has a token that only its owner can read', () => {
    const file = join(home.root, 'contexts/prod.token');
    expect([statSync(file).mode & 0o777, statSync(join(home.root, 'contexts')).mode & 0o777]).toEqual([0o600, 0o700]);
    chmodSync(file, 0o640);
    expect(() => ask()).toThrow(/others may read or write it/);
    chmodSync(file, 0o600);
  });

  test('is gone with its context, and says so', () => {
    removeContext(home, 'test');
    expect(listContexts(home)).toEqual(['prod']);
    expect(() => ask({ PROVISIONING_CONTEXT: 'test' })).toThrow(/no context of this name/);
    expect(() => ask({ PROVISIONING_CONTEXT: '../prod' })).toThrow(/no context of this name/);
    removeContext(home, 'prod');
    expect(ask()).toBeUndefined();
  });

  test('does not get what is no token', () => {
    const env = { PROVISIONING_SERVER: 'https://ci.example.org', PROVISIONING_TOKEN: 'a b\r\nX-Evil: 1' };
    expect(() => ask(env)).toThrow(expect.objectContaining({ details: expect.objectContaining({ code: 'bad-token' }) }));
  });
});

test('an address is HTTPS, or HTTP on loopback, and nothing beside', () => {
  expect(checkServerUrl('https://a.example.org:8443/')).toBe('https://a.example.org:8443');
  expect(['http://127.0.0.1:80', 'http://localhost:8080', 'http://[::1]:8080'].map(checkServerUrl)).toEqual([
    'http://127.0.0.1',
    'http://localhost:8080',
    'http://[::1]:8080',
  ]);
  const refused = ['http://a.example.org', 'a.example.org', 'https://a/v1', 'https://a/?x', 'https://u:secret@a', 'file:///etc'];
  for (const url of refused) expect(() => checkServerUrl(url)).toThrow(/read the address of the server/);
  expect(() => checkServerUrl('https://u:secret@a')).toThrow(/^(?!.*secret)/);
});

test('of a file only the certificates are kept', () => {
  const file = join(root, 'ca.pem');
  const certificate = '-----BEGIN CERTIFICATE-----\nQUJD\n-----END CERTIFICATE-----';
  writeFileSync(file, `-----BEGIN PRIVATE KEY-----\nQUJD\n-----END PRIVATE KEY-----\n${certificate}\n`);
  expect(readCa(file)).toBe(`${certificate}\n`);
  writeFileSync(file, 'nothing');
  expect(() => readCa(file)).toThrow(/no certificate in PEM/);
  expect(() => readCa(join(root, 'gone.pem'))).toThrow(/no such file/);
});
