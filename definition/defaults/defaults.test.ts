import { describe, expect, test } from 'vitest';
import { loadFiles } from '../fixtures.js';
import { problemText } from '../source/problem.js';
import type { DefinitionSettings } from './definition-settings.js';

const settingsOf = (values: Record<string, unknown>): DefinitionSettings => ({
  values: new Map(Object.entries(values)),
  said: new Map(Object.keys(values).map((name, index) => [name, `prod.yaml:${index + 1}`])),
  known: new Set([...Object.keys(values), 'servers.defaultPlan', 'servers.defaultRegion']),
});

async function load(text: string, values: Record<string, unknown>) {
  const asked: (string | undefined)[] = [];
  const settings = async (infra: string | undefined) => {
    asked.push(infra);
    return settingsOf(values);
  };
  const { definition, problems } = await loadFiles({ 'shop.yaml': text }, { settings });
  return { definition, texts: problems.map(problemText), asked };
}

const WEB = 'infra: shop\nservers:\n  - name: web\n    taskservs: [redis]\n';

describe('what settings say where a definition says nothing', () => {
  test('is filled in, and what the definition says stays', async () => {
    const values = { 'servers.defaultProvider': 'demo', 'servers.defaultPlan': 'large', 'rolling.batch': 2 };
    const { definition, asked } = await load(`${WEB}  - { name: db, plan: small, provider: local }\n`, values);
    expect(definition?.servers.map(({ name, provider, plan, update }) => [name, provider, plan.name, update])).toEqual([
      ['web', 'demo', 's4', { batch: 2 }],
      ['db', 'local', 's1', { batch: 2 }],
    ]);
    expect(asked).toEqual(['shop']);
  });

  test('is named where it is what is wrong', async () => {
    const { texts } = await load(WEB, { 'servers.defaultPlan': 'huge', 'servers.defaultProvider': 'nowhere' });
    expect(texts).toEqual([
      'shop.yaml:1:1: provider: unknown provider "nowhere" (the setting servers.defaultProvider, prod.yaml:2); known: demo, local',
    ]);
    const { texts: plan } = await load(WEB, { 'servers.defaultPlan': 'huge' });
    expect(plan).toHaveLength(1);
    expect(plan[0]).toMatch(
      /^shop\.yaml:3:\d+: servers\[0\](?:\.plan)?: the provider "local" has no plan "huge" \(the setting servers\.defaultPlan, prod\.yaml:1\)/,
    );
  });
});

describe('fields of taskservs', () => {
  test('are laid under the configuration of each server that carries it', async () => {
    const text =
      'infra: shop\nservers: [{ name: a, taskservs: [redis] }, { name: b, taskservs: [{ name: redis, config: { port: 7000 } }] }]\n';
    const { definition } = await load(text, { 'taskservs.redis.port': 6400 });
    expect(definition?.servers.map(({ taskservs }) => taskservs[0]?.config)).toMatchObject([{ port: 6400 }, { port: 7000 }]);
  });

  test('bring no taskserv to a server that has none', async () => {
    const { definition } = await load('infra: shop\nservers: [{ name: a }]\n', { 'taskservs.redis.port': 6400 });
    expect(definition?.servers[0]?.taskservs).toEqual([]);
  });

  test('are named where what they say is wrong, and so are their secrets', async () => {
    const { texts } = await load(WEB, { 'taskservs.redis.port': 'many' });
    expect(texts).toHaveLength(1);
    expect(texts[0]).toContain('(the setting taskservs.redis.port, prod.yaml:1)');
    const secret = await load(WEB, { 'taskservs.redis.password': { secret: 'not-set' } });
    expect(secret.texts[0]).toContain('the secret "not-set" is not set (the setting taskservs.redis.password, prod.yaml:1)');
    const other = await load(WEB, { 'taskservs.redis.password': { secret: 'redis-password' } });
    expect(other.definition?.servers[0]?.taskservs[0]?.config).toMatchObject({ password: { $secret: 'redis-password' } });
  });
});

describe('{{ config.KEY }}', () => {
  const say = (expression: string) =>
    `interpolate: true\n${WEB.replace('- name: web', `- name: web\n    plan: "{{ ${expression} }}"`)}`;

  test('is the value of a setting, with its type', async () => {
    const { definition } = await load(say('config.servers.defaultPlan'), { 'servers.defaultPlan': 'xlarge' });
    expect(definition?.servers[0]?.plan.name).toBe('s8');
    const port = `interpolate: true\n${WEB.replace('[redis]', '[{ name: redis, config: { port: "{{ config.a.b.port }}" } }]')}`;
    expect((await load(port, { 'a.b.port': 7100 })).definition?.servers[0]?.taskservs[0]?.config).toMatchObject({ port: 7100 });
  });

  test.each([
    ['config.servers.defaultPlna', '"config.servers" has no "defaultPlna"; did you mean "defaultPlan"?'],
    ['config.store.url', 'there is no setting "config.store"'],
    ['config.servers.defaultRegion', '"config.servers.defaultRegion" has no value here'],
    ['config.servers.__proto__', 'config.servers'],
    ['config.__proto__.x', 'there is no setting "config.__proto__"'],
    ['config.constructor.name', 'there is no setting "config.constructor"'],
    ['config.server.defaultPlan', 'there is no setting "config.server"; did you mean "servers"?'],
  ])('%s: %s', async (expression, message) => {
    const { texts, definition } = await load(say(expression), { 'servers.defaultPlan': 'xlarge' });
    expect(definition).toBeUndefined();
    expect(texts.join('\n')).toContain(message);
  });

  test('has a default where the setting has no value', async () => {
    const { definition } = await load(say("config.servers.defaultRegion | default: 'medium'"), {});
    expect(definition?.servers[0]?.plan.name).toBe('s2');
  });
});
