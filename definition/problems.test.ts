import { describe, expect, test } from 'vitest';
import { load } from './fixtures.js';
import { loadDefinition } from './load-definition.js';

/** `line:column: path: message[; suggestion]` of each problem. */
async function problemsOf(text: string, name?: string): Promise<string[]> {
  const { problems } = await load(text, name);
  return problems.map(
    ({ line, column, path, message, suggestion }) => `${line}:${column}: ${path}: ${message}${suggestion ? `; ${suggestion}` : ''}`,
  );
}

const BASE = 'infra: demo\nservers:\n  - name: web\n    taskservs: [web]\n';

describe('what is wrong with a file', () => {
  const cases: [title: string, text: string, expected: string[]][] = [
    ['an empty file', '', ['1:1: : the file is empty; examples/quickstart.yaml is a definition to start from']],
    ['only a comment', '# nothing\n', ['1:1: : a definition is a map of keys']],
    ['a list', '- a\n', ['1:1: : a definition is a map of keys']],
    [
      'broken YAML',
      'infra: demo\nservers: [ { name: web }\n',
      ['3:1: : Flow sequence in block collection must be sufficiently indented and end with a ]'],
    ],
    ['a key given twice', `infra: a\n${BASE}`, ['2:1: : this key is given twice']],
    ['nothing but an infra', 'infra: demo\n', ['1:1: servers: "servers" is missing']],
    [
      'wrong types',
      'infra: demo\nonFailure: rolback\nservers:\n  - name: web\n    count: two\n    plan: [small]\n',
      [
        '2:12: onFailure: expected one of "rollback", "rollback-service", "keep", "ask", got "rolback"; did you mean "rollback"?',
        '5:12: servers[0].count: expected a number, got text',
        '6:11: servers[0].plan: expected text, got a list',
      ],
    ],
    [
      'names that are none',
      'infra: My_Infra\nservers:\n  - name: 7up\n',
      [
        '1:8: infra: use lower-case letters, digits and dashes, a letter first and no dash at the end',
        '3:11: servers[0].name: use lower-case letters, digits and dashes, a letter first and no dash at the end',
      ],
    ],
    [
      'endpoints that there are none of, named within configurations',
      `${BASE}taskservs:
  - name: balancer
    config:
      spare: { taskserv: wbe }
      backends:
        - to: { taskserv: web, offering: http }
        - to: { taskserv: redis }
        - to: { offering: htp }
`,
      [
        '8:26: taskservs[0].config.spare.taskserv: unknown taskserv "wbe"; did you mean "web"?',
        '11:27: taskservs[0].config.backends[1].to.taskserv: no server has the taskserv "redis"; known: balancer, web',
        '12:27: taskservs[0].config.backends[2].to.offering: "web" has no endpoint "htp"; did you mean "http"?',
      ],
    ],
    [
      'unknown keys',
      `infra: demo\nonfailure: keep\nservers:\n  - name: web\n    lables: {}\n`,
      [
        '2:1: onfailure: unknown key "onfailure"; did you mean "onFailure"?',
        '5:5: servers[0].lables: unknown key "lables"; did you mean "labels"?',
      ],
    ],
    [
      'unknown taskserv, provider, plan, image and version, all at once',
      `infra: demo\nprovider: locl\nservers:\n  - name: a\n    provider: demo\n    plan: smal\n    image: debain-12\ntaskservs:\n  - redsi\n  - { name: web, version: 3 }\n  - name: wbe\n`,
      [
        '2:11: provider: unknown provider "locl"; did you mean "local"?',
        '6:11: servers[0].plan: the provider "demo" has no plan "smal"; did you mean "small"?',
        '7:12: servers[0].image: the provider "demo" has no image "debain-12"; did you mean "debian-12"?',
        '9:5: taskservs[0]: unknown taskserv "redsi"; did you mean "redis"?',
        '10:27: taskservs[1].version: "web" has no version "3"; supported: 2, 1.20',
        '11:11: taskservs[2].name: unknown taskserv "wbe"; did you mean "web"?',
      ],
    ],
    [
      'versions that no supported one is, and a constraint of which an archive decides',
      `infra: demo\nservers:\n  - name: a\n    taskservs:\n      - { name: web, version: '>=3' }\n      - name: redis\n        version: '>=1.20.3 <2'\n`,
      [
        '5:31: servers[0].taskservs[0].version: "web" has no version ">=3"; supported: 2, 1.20',
        '7:18: servers[0].taskservs[1].version: "redis" has no version ">=1.20.3 <2": which version of 1.20 a host gets, its archive says; write "1.20"; supported: 2, 1.20',
      ],
    ],
    [
      'accounts that cannot be',
      'infra: demo\nprovider: demo/prod\nservers:\n  - { name: a, provider: dmo/prod }\n  - { name: b, provider: local/prod }\n  - { name: c, provider: demo/Prod }\n  - { name: d, provider: demo/a/b }\n',
      [
        '4:26: servers[0].provider: unknown provider "dmo"; did you mean "demo"?',
        '5:26: servers[1].provider: the provider "local" has no accounts; write local',
        '6:26: servers[2].provider: "Prod" cannot name an account; write demo/NAME, in lower-case letters, digits and dashes, a letter first',
        '7:26: servers[3].provider: "a/b" cannot name an account; write demo/NAME, in lower-case letters, digits and dashes, a letter first',
      ],
    ],
    [
      'two servers of one name, after counting too',
      'infra: demo\nservers:\n  - { name: web, count: 2 }\n  - { name: web-2 }\n  - name: web-2\n',
      [
        '4:13: servers[1].name: two servers are named "web-2": this one and servers[0]',
        '5:11: servers[2].name: two servers are named "web-2": this one and servers[0]',
      ],
    ],
    [
      'a dependency cycle',
      'infra: demo\nservers:\n  - name: a\n    taskservs:\n      - chicken\n',
      ['5:9: servers[0].taskservs[0]: dependency cycle: chicken → egg → chicken; a taskserv cannot wait for itself'],
    ],
    [
      'a conflict and a port clash',
      'infra: demo\nservers:\n  - name: a\ntaskservs:\n  - web\n  - proxy\n  - rival\n',
      [
        '6:5: taskservs[1]: "proxy" and "rival" cannot share a server, and "a" has both',
        '6:5: taskservs[1]: "web" and "proxy" both listen on tcp port 80 of the server "a"; give one of them another port',
      ],
    ],
    [
      'targets that do not exist',
      `${BASE}taskservs:\n  - { name: redis, on: { role: wbe } }\n  - { name: base, on: [{ server: web-1 }, all] }\n  - { name: rival, on: { rloe: web } }\n  - { name: proxy, on: everyone }\n`,
      [
        '6:32: taskservs[0].on.role: no server has the role "wbe"; did you mean "web"?',
        '7:34: taskservs[1].on[0].server: no server is named "web-1"; did you mean "web"?',
        '8:26: taskservs[2].on.rloe: unknown key "rloe"; did you mean "role"?',
        '9:24: taskservs[3].on: write all, { role: NAME }, { server: NAME } or a list of these',
      ],
    ],
    [
      'configuration, at the very key',
      `infra: demo\nservers:\n  - name: a\ntaskservs:\n  - name: redis\n    config:\n      port: 70000\n      maxMemory: lots\n      polcy: drop\n      users:\n        - name: 7\n          password: hunter2\n`,
      [
        '7:13: taskservs[0].config.port: a port is a whole number from 1 to 65535',
        '8:18: taskservs[0].config.maxMemory: write a size as "64 MiB" or "1.5 GiB" (B, KiB, MiB, GiB, TiB), or as a number of bytes',
        '9:7: taskservs[0].config.polcy: unknown key "polcy"; did you mean "policy"?',
        '11:17: taskservs[0].config.users[0].name: expected text, got a number',
        '12:21: taskservs[0].config.users[0].password: write a reference instead of the secret: { secret: NAME }, { generate: password } or { sops: FILE, key: PATH }',
      ],
    ],
    [
      'secrets',
      `infra: demo\nservers:\n  - name: a\ntaskservs:\n  - name: redis\n    config:\n      password: { secret: redis-pasword }\n      users:\n        - { name: x, password: { generate: key } }\n        - { name: y, password: { $secret: other } }\n  - name: web\n    config: { title: { secret: redis-password } }\n`,
      [
        '7:17: taskservs[0].config.password: the secret "redis-pasword" is not set; provisioning secret set redis-pasword',
        '9:44: taskservs[0].config.users[0].password.generate: cannot generate this; known: ca, certificate, password, ssh-key, token',
        '10:32: taskservs[0].config.users[1].password: this is not a valid reference; write { secret: NAME }',
        '12:22: taskservs[1].config.title: expected text, got a secret',
      ],
    ],
    [
      'secrets that are for others',
      `infra: demo\nservers:\n  - name: a\ntaskservs:\n  - name: redis\n    config:\n      password: { secret: generated/default/other/redis.password }\n      users:\n        - { name: x, password: { secret: demo/default/token } }\n        - { name: y, password: { secret: generated/default/demo/redis.password } }\n`,
      [
        '7:17: taskservs[0].config.password: the secret "generated/default/other/redis.password" cannot be used here: it was generated for another infra',
        '9:32: taskservs[0].config.users[0].password: the secret "demo/default/token" cannot be used here: it is a credential of an account, which is for the worker alone',
      ],
    ],
    [
      'two entries as specific as each other',
      'infra: demo\nservers:\n  - name: a\n    taskservs: [redis]\ntaskservs:\n  - redis\n  - { name: redis, on: { server: a } }\n',
      ['7:5: taskservs[1]: "redis" is given twice for the server "a"; join the two entries'],
    ],
    [
      'hosts',
      'infra: demo\nservers:\n  - { name: a, host: this, provider: demo }\n  - { name: b, host: this }\n  - name: c\n    host: { address: h, prt: 22 }\n  - { name: d, count: 2, host: { address: i } }\n',
      [
        '3:16: servers[0].host: the provider "demo" does not support host; set provider: local for this server',
        '4:22: servers[1].host: the servers "a" and "b" are the same host (this machine)',
        '6:25: servers[2].host.prt: unknown key "prt"; did you mean "port"?',
        '7:16: servers[3].count: two servers cannot use the same host; give each host its own entry',
      ],
    ],
    [
      'volumes',
      'infra: demo\nservers:\n  - name: a\n    volumes:\n      - { name: data, size: 10, mount: /srv }\n      - { name: more, size: 10 GB, mount: srv }\n      - { name: a, size: 1 GiB, mount: /etc }\n      - { name: b, size: 1 GiB, mount: /srv/$(id) }\n      - { name: c, size: 1 GiB, mount: /home/alice/data }\n',
      [
        '5:29: servers[0].volumes[0].size: expected text, got a number',
        '6:29: servers[0].volumes[1].size: write a size such as 10 GiB or 1 TiB',
        '6:43: servers[0].volumes[1].mount: write an absolute path',
        '7:40: servers[0].volumes[2].mount: "/etc" belongs to the system; mount it below /srv, /mnt, /data, /opt or /var/lib/SERVICE',
        '8:40: servers[0].volumes[3].mount: use letters, digits, dots, dashes and underscores between single slashes, without . and .. and a slash at the end',
        '9:40: servers[0].volumes[4].mount: others own what is below /home/alice; mount it at the home itself, or below /srv',
      ],
    ],
  ];
  test.each(cases)('%s', async (_, text, expected) => {
    expect(await problemsOf(text)).toEqual(expected);
  });

  test('JSON is located too', async () => {
    const text = '{\n  "infra": "demo",\n  "servers": [\n    { "name": "a", "plan": "hug" }\n  ]\n}\n';
    expect(await problemsOf(text, 'infra.json')).toEqual([
      '4:28: servers[0].plan: the provider "local" has no plan "hug"; known: large, medium, metal-16, small, xlarge',
    ]);
  });

  test('a kind of file that nothing reads, and a file that is not there', async () => {
    expect(await problemsOf('', 'infra.ini')).toEqual([
      '1:1: : cannot read a file of the kind ".ini"; known: .yaml, .yml, .json, .toml',
    ]);
    const registries = { taskservs: {}, providers: {} };
    const gone = await loadDefinition('gone.yaml', { workspace: 'default', registries, secretNames: new Set<string>() });
    expect(gone.problems).toMatchObject([{ message: 'the file does not exist' }]);
  });
});
