import { expect, test } from 'vitest';
import { appConfig } from './app-config.js';

const SOURCE = { source: { git: 'https://git.example/shop.git', ref: 'main' } };
const ARTIFACT = { artifact: { url: 'https://example.org/shop.tgz', sha256: 'a'.repeat(64) } };

/** The fields that are wrong. */
function wrongIn(config: Record<string, unknown>): string[] {
  const { error } = appConfig.safeParse({ name: 'shop', processes: { web: { command: 'node server.js' } }, ...config });
  return (error?.issues ?? []).map(({ path }) => path.join('.'));
}

test('an application has a source, or an artifact with its release', () => {
  expect(wrongIn(SOURCE)).toEqual([]);
  expect(wrongIn({ ...ARTIFACT, release: '1' })).toEqual([]);
  expect(wrongIn({})).toEqual(['name']);
  expect(wrongIn({ ...SOURCE, ...ARTIFACT })).toEqual(['artifact', 'artifact']);
  expect(wrongIn(ARTIFACT)).toEqual(['artifact']);
  expect(wrongIn({ ...SOURCE, release: '1' })).toEqual(['release']);
});

test('variables of the platform are refused, PORT and HOST only where it gives them', () => {
  const env = { PORT: '1', HOST: 'a', HOME: '/', RELEASE: '1', LOG_LEVEL: 'info' };
  expect(wrongIn({ ...SOURCE, env, port: 8080 })).toEqual(['env.PORT', 'env.HOST', 'env.HOME', 'env.RELEASE']);
  expect(wrongIn({ ...SOURCE, env })).toEqual(['env.HOME', 'env.RELEASE']);
});
