import { expect, test } from 'vitest';
import { findSecretRefs } from '../core/taskserv/secret.js';
import { loadFiles } from './fixtures.js';

const infra = (password: string, more = '') =>
  `infra: shop\nservers:\n  - name: db\ntaskservs:\n  - name: redis\n    config:\n      password: ${password}\n${more}`;

const referring = async (password: string) => {
  const { definition, given, problems } = await loadFiles({ 'infra.yaml': infra(password) });
  expect(problems).toEqual([]);
  return { name: findSecretRefs(definition)[0]?.name, made: given?.map(({ name, reference }) => [name, reference]) };
};
const OWN = 'generated/default/shop';

test.each([
  ['{ generate: password }', 'redis.password', undefined],
  ['{ generate: password, length: 40 }', 'password-40/redis.password', { generate: 'password', length: 40 }],
  ['{ generate: password, name: app }', 'password-32/app', { generate: 'password' }],
  ['{ generate: token }', 'token-64/redis.password', { generate: 'token' }],
  ['{ generate: token, length: 20, name: api.v1 }', 'token-20/api.v1', { generate: 'token', length: 20 }],
])('%s is %s', async (text, tail, recipe) => {
  const { name, made } = await referring(text);
  expect(name).toBe(`${OWN}/${tail}`);
  expect(made).toEqual(recipe ? [[name, recipe]] : []);
});

test.each([
  ['{ generate: ssh-key }', 'ssh-key/redis.password', 'private'],
  ['{ generate: ssh-key, name: deploy, part: public }', 'ssh-key/deploy', 'public'],
  ['{ generate: ca, name: internal, days: 90 }', 'ca/internal', 'certificate'],
])('%s is a part of %s', async (text, tail, part) => {
  const { name, made } = await referring(text);
  expect([name, made?.[0]?.[0]]).toEqual([`${OWN}/${tail}/${part}`, `${OWN}/${tail}`]);
});

test('parts of a certificate of the same names are of one, whatever else is said', async () => {
  const parts = ['key', 'certificate', 'authority', 'bundle'];
  const of = (part: string) => referring(`{ generate: certificate, ca: internal, names: [db.internal, 10.0.0.1], part: ${part} }`);
  const names = await Promise.all(parts.map(async (part) => (await of(part)).name));
  expect(new Set(names.map((name) => name?.slice(0, name.lastIndexOf('/')))).size).toBe(1);
  expect(names.map((name) => name?.split('/').at(-1))).toEqual(parts);
  const { name } = await referring('{ generate: certificate, ca: internal, names: ["*.db.internal"] }');
  expect(name).toMatch(/^generated\/default\/shop\/certificate\/wildcard\.db\.internal-[0-9a-f]{16}\/bundle$/);
});

test.each([
  ['{ generate: password, length: 8 }', 'password.length', 'fewer than 16 characters can be guessed'],
  ['{ generate: token, length: lots }', 'password.length', 'it is missing, or of another type'],
  ['{ generate: password, days: 4 }', 'password.days', '"days" is not an option of password'],
  ['{ generate: ca }', 'password.name', 'it is missing, or of another type'],
  ['{ generate: ca, name: internal, part: key }', 'password.part', 'its parts are certificate'],
  ['{ generate: password, part: key }', 'password.part', 'a password has no parts'],
  ['{ generate: certificate, ca: internal }', 'password.names', 'it is missing, or of another type'],
  ['{ generate: certificate, ca: internal, names: ["a b"] }', 'password.names[0]', 'a DNS name or an IP address'],
  ['{ generate: certificate, ca: ../x, names: [a.b] }', 'password.ca', 'a name has up to 40 lower-case letters'],
  ['{ generate: certificate, ca: x, names: [a.b], days: 9999 }', 'password.days', 'from 1 to 3650'],
  ['{ generate: ssh-key, name: "../../x" }', 'password.name', 'a name has up to 40 lower-case letters'],
  ['{ generate: tokn }', 'password.generate', 'cannot generate this'],
  ['{ secret: generated/default/shop/ca/internal/key }', 'password', 'of an authority only the certificate is given'],
  ['{ secret: generated/default/other/redis.password }', 'password', 'it was generated for another infra'],
  ['{ secret: generated/other/shop/redis.password }', 'password', 'it was generated for another infra'],
])('%s is told at its place', async (text, path, message) => {
  const { problems } = await loadFiles({ 'infra.yaml': infra(text) });
  const found = problems.find((problem) => problem.path === `taskservs[0].config.${path}`);
  expect([found?.message, found?.line, found?.suggestion ?? '']).toEqual([
    expect.stringContaining(message),
    7,
    expect.stringMatching(text.includes('secret:') ? /^/ : /write \{|did you mean "token"/),
  ]);
});

test('a generated one is replaced as a whole by a file that is laid over it', async () => {
  const over = 'taskservs:\n  - name: redis\n    config:\n      password: { generate: token }\n';
  const files = { 'shop.yaml': infra('{ generate: password, length: 40 }'), 'shop.prod.yaml': over };
  const { definition, problems } = await loadFiles(files, { environment: 'prod' });
  expect([problems, findSecretRefs(definition).map(({ name }) => name)]).toEqual([[], [`${OWN}/token-64/redis.password`]]);
});
