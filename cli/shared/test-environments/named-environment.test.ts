import { expect, test } from 'vitest';
import { fakeSession } from '../../fake-session.js';
import { checkEnvironmentName, environmentNamed } from './named-environment.js';

const environments = ['redis-1', 'redis-2'].map((infra) => ({ infra }));
const session = () => fakeSession({ client: { 'testEnvironments.list': async () => environments as never } });

test('a test environment is found by its name, and another name is an error with the closest one', async () => {
  expect(await environmentNamed(session(), 'redis-2')).toEqual({ infra: 'redis-2' });
  await expect(environmentNamed(session(), 'redis-l')).rejects.toMatchObject({
    details: { code: 'unknown-environment', on: 'redis-l', hint: expect.stringContaining('redis-1') },
  });
});

test('a chosen name has the form of names', () => {
  expect(checkEnvironmentName('redis-1')).toBe('redis-1');
  expect(() => checkEnvironmentName('../redis')).toThrow(
    expect.objectContaining({ details: expect.objectContaining({ code: 'bad-arguments' }) }),
  );
});
