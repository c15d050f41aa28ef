import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ProvisioningError } from '../../core/errors.js';
import { encode } from '../../core/taskserv/encoders/encoders.js';
import { type AnyTaskserv, reveal, type SecretFormat, type Step } from '../../sdk/index.js';
import { moveKeyValues } from '../../sdk/kinds/key-value/move.js';
import { createPlaces } from '../../sdk/kinds/key-value/places.js';
import { type Case, stepsOf } from '../../sdk/testing/case.js';
import { HOSTILE_SECRETS } from '../support/hostile-secrets.js';
import { sweep, whyNoHosts } from '../support/hosts.js';
import { modules } from '../support/modules.js';
import { type RealHost, startRealHost } from '../support/real-host.js';

const why = await whyNoHosts();
if (why) console.warn(`left out: ${why}`);

const INFRA = `hostile-secrets-${process.pid}`;
const PACKAGES = [
  ...['influxdb', 'influxdb-client', 'iproute2', 'curl', 'memcached', 'mosquitto', 'nats-server', 'pgbouncer', 'postfix'],
  ...['postgresql-client', 'prometheus-alertmanager', 'python3', 'redis-server'],
];
const CLIENT = readFileSync(join(import.meta.dirname, '../support/log-in.py'), 'utf8');

const steps = (name: string, config: unknown): Step[] =>
  stepsOf((modules.taskservs as Record<string, AnyTaskserv>)[name] as AnyTaskserv, { config } as Case);

const ACCOUNT = '/etc/postfix/relay-account';

const user = (index: number) => `u${index}`;
const secretOf = (index: number) => ({ $secret: user(index) });

/**
 * Returns the values that a format accepts, each with its number. Unit tests show that it rejects the others by name.
 */
const takenBy = (format: SecretFormat): [index: number, value: string][] =>
  HOSTILE_SECRETS.flatMap((value, index): [number, string][] => {
    try {
      encode(format, value, user(index));
      return [[index, value]];
    } catch (error) {
      if (!(error instanceof ProvisioningError)) throw error;
      return [];
    }
  });

const content = (file: Extract<Step, { file: unknown }>['file']): string =>
  reveal(file.content, (name) => HOSTILE_SECRETS[Number(name.slice(1))] ?? '');

const onStdin = (command: string, given: string): string =>
  `base64 -d <<'EOF' | ${command}\n${Buffer.from(given).toString('base64')}\nEOF\n`;

/** Writes the files of steps as a step does. */
const writeFiles = (all: readonly Step[], also: (path: string, content: string) => string = (_, text) => text): string =>
  all
    .flatMap((step) => ('file' in step ? [step.file] : []))
    .map((file) => {
      const { path, mode = '0644', owner = 'root:root' } = file;
      const text = onStdin(`cat >'${path}'`, also(path, content(file)));
      return `mkdir -p "$(dirname '${path}')"; ${text}chmod ${mode} '${path}'; chown ${owner} '${path}'\n`;
    })
    .join('');

/**
 * Returns values that a program must reject.
 *
 * @param most bytes that the program compares: bcrypt reads 72
 */
const wrongOf = (value: string, most: number) => [`x${value}`, ...(Buffer.byteLength(value) < most ? [`${value}x`] : [])];

describe.skipIf(why)('real programs read hostile secrets back', () => {
  let host: RealHost;

  beforeAll(async () => {
    host = await startRealHost(INFRA);
    await host.run(`printf '#!/bin/sh\\nexit 101\\n' >/usr/sbin/policy-rc.d; chmod 755 /usr/sbin/policy-rc.d
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends ${PACKAGES.join(' ')} >/dev/null 2>&1 </dev/null
${onStdin('cat >/root/log-in.py', CLIENT)}`);
  });
  afterAll(() => sweep(INFRA));

  const logIn = async (kind: string, port: number, entries: object[]): Promise<boolean[][]> =>
    JSON.parse(await host.run(onStdin(`python3 /root/log-in.py ${kind} ${port}`, JSON.stringify(entries))));

  /** Checks that the program accepts each value and no similar one. */
  async function expectRead(
    kind: string,
    port: number,
    values: [number, string][],
    { more = () => ({}), most = Number.POSITIVE_INFINITY }: { more?: (index: number) => object; most?: number } = {},
  ) {
    const entries = values.map(([index, value]) => ({ user: user(index), value, wrong: wrongOf(value, most), ...more(index) }));
    const found = await logIn(kind, port, entries);
    const wrong = entries.flatMap(({ value }, index) => {
      const [right, ...others] = found[index] ?? [];
      return right === true && others.every((one) => !one) ? [] : [[value.slice(0, 60), value.length, found[index]]];
    });
    expect(wrong).toEqual([]);
    expect(found).toHaveLength(entries.length);
  }

  test('systemd: variables of a unit', async () => {
    const values = takenBy('environment-file');
    const environment = Object.fromEntries(values.map(([index]) => [`V${index}`, secretOf(index)]));
    const unit = { name: 'reader', command: '/usr/bin/sleep 600', hardened: false, environment };
    const script = `${writeFiles(steps('systemd-units', { units: [unit] }))}
systemctl daemon-reload; systemctl start reader; pid=$(systemctl show -p MainPID --value reader)
# The start of a simple service does not wait for its program.
for _ in $(seq 600); do [ "$(cat "/proc/$pid/comm")" = sleep ] && break; sleep 0.1; done
base64 -w0 "/proc/$pid/environ"`;
    const read = Buffer.from(await host.run(script), 'base64')
      .toString('utf8')
      .split('\0');
    for (const [index, value] of values) expect(read).toContain(`V${index}=${value}`);
    expect(values.length).toBeGreaterThanOrEqual(40);
  });

  test('redis', async () => {
    const values = takenBy('redis');
    const context = { operation: 'o', from: 'a', to: 'b', note: '/n', version: '7.0', former: { version: '7.0', config: {} } };
    const [first] = moveKeyValues(createPlaces('redis'), { persistence: 'snapshot' } as never, context).parts;
    const script = first && 'run' in first ? first.run : '';
    const conf = (index: number) => {
      const file = steps('redis', { password: secretOf(index) }).find((step) => 'file' in step);
      return file && 'file' in file ? content(file.file) : '';
    };
    await expectRead('redis', 6379, values, { more: (index) => ({ conf: conf(index), script }) });
    expect(values.length).toBeGreaterThanOrEqual(40);
  });

  test('nats-server', async () => {
    const values = takenBy('nats');
    const all = steps('nats', { users: values.map(([index]) => ({ name: user(index), password: secretOf(index) })) });
    await host.run(`${writeFiles(all)}systemctl daemon-reload; systemctl restart nats-server`);
    await expectRead('nats', 4222, values);
    expect(values.length).toBeGreaterThanOrEqual(40);
  });

  test('mosquitto', async () => {
    const values = takenBy('mosquitto');
    const all = steps('mosquitto', { users: values.map(([index]) => ({ name: user(index), password: secretOf(index) })) });
    await host.run(`${writeFiles(all)}systemctl daemon-reload; systemctl restart mosquitto`);
    await expectRead('mosquitto', 1883, values);
    expect(values.length).toBeGreaterThanOrEqual(30);
  });

  test('memcached, which has eight users at a time', async () => {
    const values = takenBy('memcached');
    for (let at = 0; at < values.length; at += 8) {
      const some = values.slice(at, at + 8);
      const all = steps('memcached', { users: some.map(([index]) => ({ name: user(index), password: secretOf(index) })) });
      await host.run(`${writeFiles(all)}systemctl daemon-reload; systemctl reset-failed memcached; systemctl restart memcached`);
      await expectRead('memcached', 11211, some);
    }
    expect(values.length).toBeGreaterThanOrEqual(30);
  });

  test('influxdb', async () => {
    const values = takenBy('influxql');
    const [first, ...others] = values.map(([index]) => ({ name: user(index), password: secretOf(index) }));
    await host.run(
      `${writeFiles(steps('influxdb', { admin: first, users: others }))}systemctl daemon-reload; systemctl restart influxdb`,
    );
    await expectRead('influxdb', 8086, values, { most: 72 });
    expect(values.length).toBeGreaterThanOrEqual(40);
  });

  test('pgbouncer', async () => {
    const values = takenBy('pgbouncer');
    const users = values.map(([index]) => ({ name: user(index), password: secretOf(index) }));
    const all = steps('pgbouncer', { users, databases: [{ name: 'shop', server: '127.0.0.1' }] });
    // The accounts may query pgbouncer's own console, because there is no database.
    const also = (path: string, text: string) =>
      path.endsWith('.ini') ? `${text}stats_users = ${users.map(({ name }) => name).join(',')}\n` : text;
    await host.run(`${writeFiles(all, also)}systemctl daemon-reload; systemctl restart pgbouncer`);
    await expectRead('pgbouncer', 6432, values);
    expect(values.length).toBeGreaterThanOrEqual(40);
  });

  test('postfix', async () => {
    const values = takenBy('postfix');
    const relay = (index: number) => ({
      relay: { host: 'relay.example.org', port: 587, account: { name: 'me', password: secretOf(index) } },
    });
    const account = (index: number) =>
      steps('postfix', relay(index)).filter((step) => 'file' in step && step.file.path === ACCOUNT);
    const scripts = values.map(
      ([index]) => `${writeFiles(account(index))}
postmap -q '[relay.example.org]:587' texthash:${ACCOUNT} | base64 -w0; echo\n`,
    );
    const read = (await host.run(`${writeFiles(steps('postfix', relay(0)))}${scripts.join('')}`)).trim().split('\n');
    expect(read.map((line) => Buffer.from(line, 'base64').toString('utf8'))).toEqual(values.map(([, value]) => `me:${value}\n`));
    expect(values.length).toBeGreaterThanOrEqual(30);
  });

  test('alertmanager', async () => {
    const values = takenBy('yaml-line');
    const config = {
      groupWait: '0 s',
      receivers: values.map(([index]) => ({
        name: user(index),
        webhooks: [{ url: `http://127.0.0.1:9999/${user(index)}`, token: secretOf(index) }],
      })),
      routes: values.map(([index]) => ({ receiver: user(index), match: { to: user(index) } })),
    };
    await host.run(
      `${writeFiles(steps('alertmanager', config))}systemctl daemon-reload; systemctl restart prometheus-alertmanager`,
    );
    await expectRead('alertmanager', 9093, values);
    expect(values.length).toBeGreaterThanOrEqual(30);
  });
});
