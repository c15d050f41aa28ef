import { expect } from 'vitest';
import { verdict } from '../../activities/host/look/health.js';
import type { HealthCheck } from '../../sdk/index.js';
import { fileIn, type Given, health, type Play, secret, steps } from './play.js';

const CONF = '/etc/haproxy/haproxy.cfg';
const nginx = { server: 'web-2', role: 'web', address: 'web-2', taskserv: 'nginx', endpoints: [{ name: 'http', port: 80 }] };

/** Returns the verdict of the check on an answer with this status. */
const judged = (check: HealthCheck | undefined, status: number) =>
  check && verdict(check, { exit: 0, stdout: 'command' in check ? String(status) : `\n${status}` });

const one = (checks: HealthCheck[], title: string) => checks.find((check) => check.title.includes(title));

const APP = {
  ...{ name: 'shop', release: '1', processes: { web: { command: './web' } }, port: 8080, health: '/healthz' },
  artifact: { url: 'https://artifacts.example.org/shop.tar.gz', sha256: 'a'.repeat(64) },
};
/** A server with both, as kamal has it. */
const TOGETHER: Given = {
  host: { name: 'one', privateAddress: '10.0.0.5' },
  peers: [{ server: 'one', role: 'web', address: 'one', taskserv: 'app', endpoints: [{ name: 'http', port: 8080 }] }],
};
const TLS = { tls: { certificate: secret, key: { $secret: 'key' } } };

export const SERVICES: Record<string, Play> = {
  27: () => {
    for (const config of [{}, TLS])
      for (const status of [200, 204, 301, 302])
        expect([status, judged(one(health('haproxy', config, { peers: [nginx] }), 'passes requests on'), status)]).toEqual([
          status,
          undefined,
        ]);
  },
  28: () => expect(judged(one(health('app', APP), 'answers'), 204)).toBeUndefined(),
  29: () => {
    const conf = fileIn(steps('haproxy', { backend: { taskserv: 'app' } }, TOGETHER), CONF);
    const env = fileIn(steps('app', APP, TOGETHER), '/etc/app-shop.env');
    const listens = `${/^HOST="(.*)"$/m.exec(env)?.[1]}:${/^PORT="(.*)"$/m.exec(env)?.[1]}`;
    expect(/^ +server \S+ (\S+)$/m.exec(conf)?.[1]).toBe(listens);
  },
  30: () => {
    const chain =
      '\ufeffsubject=CN = shop\r\n-----BEGIN CERTIFICATE-----\r\nMIIB\r\n-----END CERTIFICATE-----\r\n-----BEGIN EC PARAMETERS-----\r\nBggqhkjOPQMBBw==';
    expect(fileIn(steps('haproxy', TLS), '/etc/haproxy/provisioning.pem', chain)).toBe(`${chain}\nanother\n`);
  },
  31: () => {
    const check = steps('haproxy', TLS).find(({ title }) => title === 'Check the configuration of haproxy');
    // -q swallows the line that says which key does not fit.
    expect(check).toMatchObject({ run: expect.not.stringMatching(/ -q\b/) });
  },
  '31b': () => {
    const check = steps('users', { users: [{ name: 'ann', sudo: true }] }).find((step) => 'run' in step && /visudo/.test(step.run));
    expect(check).toMatchObject({ run: expect.not.stringMatching(/ -q\b/) });
  },
};
