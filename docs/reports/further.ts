import { expect } from 'vitest';
import { readValues } from '../../authoring/secrets/read-values.js';
import { sameRules } from '../../sdk/index.js';
import { FORMAT_READERS } from '../../test/support/format-readers.js';
import { throughSops } from './files.js';
import { fileIn, load, type Play, problems, server, steps } from './play.js';

const sshd = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIExampleExampleExampleExampleExampleExampleExam';
const artifact = { url: 'https://artifacts.example.org/shop.tar.gz', sha256: 'a'.repeat(64) };
const app = (env: object) => ({ name: 'shop', release: '1', artifact, processes: { web: { command: 'date +%F' } }, env });
const existing = (a: string, b: string) =>
  `infra: shop\nprovider: local\nservers:\n  - { name: a, host: { ${a} } }\n  - { name: b, host: { ${b} } }\n`;

/** The rules of the only server, if its firewall lets in this range. */
async function rulesFor(range: string) {
  const { definition } = await load(
    `infra: shop\nprovider: hetzner\nservers: [{ name: hub, firewall: [{ allow: tcp, ports: 22, from: ["${range}"] }] }]\n`,
  );
  return definition?.servers[0]?.firewall;
}

const BCRYPT = '$2a$12$mSNGEiOT7urQP/Xs10XzPurl5cmVj6tavHRZQUK0jIFXRWFBGmssu';

/** Reports that were found in public trackers after the review. */
export const FURTHER: Record<string, Play> = {
  65: async () => {
    const both = existing('address: 192.0.2.1, privateAddress: 10.0.2.15', 'address: 192.0.2.2, privateAddress: 10.0.2.15');
    expect(await problems(both)).toEqual([expect.stringContaining('10.0.2.15')]);
  },
  66: async () => {
    for (const [written, answered] of [
      ['10.0.0.1/8', '10.0.0.0/8'],
      ['::0/0', '::/0'],
    ] as const) {
      const rules = await rulesFor(written);
      // A refusal with the right range would be an answer as well.
      if (rules) expect(sameRules(rules, await rulesFor(answered))).toBe(true);
    }
  },
  67: async () => {
    const site = (name: string, serverName: string) => ({ name, serverName, root: '/srv/www' });
    const said = ['4:45: two servers have the same port and host name'];
    for (const other of ['domain.tld', 'Domain.tld'])
      expect(await problems(server('nginx', { sites: [site('a', 'domain.tld'), site('b', other)] }))).toEqual(said);
  },
  68: async () =>
    expect(await problems('infra: shop\nprovider: hetzner\nservers: [{ name: localhost }, { name: web }]\n')).toEqual([
      expect.stringMatching(/^3:\d+: .*localhost/),
    ]),
  69: async () =>
    expect(await problems(server('app', app({ EXTRA: 'cors_origins https://a\npublish_origins https://b\n' })))).toEqual([
      expect.stringMatching(/^4:\d+: write one line without control characters$/),
    ]),
  70: () => {
    const env = fileIn(steps('app', app({ HASH: BCRYPT })), '/etc/app-shop.env');
    expect(FORMAT_READERS['environment-file'](/^HASH=(.*)$/m.exec(env)?.[1] ?? '')?.value).toBe(BCRYPT);
    const containers = { wg: { image: 'docker.io/library/wg:1', env: { HASH: BCRYPT } } };
    expect(fileIn(steps('containers', { containers }), '/etc/provisioning-containers/wg.env')).toContain(`\nHASH=${BCRYPT}\n`);
  },
  71: () => {
    const units = [{ name: 'worker', command: '/usr/bin/date +%F', environment: { FILTER: '(uid=%s)' } }];
    const all = steps('systemd-units', { units });
    // Systemd expands specifiers in a unit, and none in a file of its environment.
    expect(fileIn(all, '/etc/provisioning-units/worker.env')).toContain("\nFILTER='(uid=%s)'\n");
    expect(fileIn(all, '/etc/systemd/system/worker.service')).toContain('\nExecStart=/usr/bin/date +%%F\n');
    expect(fileIn(steps('app', app({})), '/etc/systemd/system/app-shop-web.service')).toContain('date +%%F');
  },
  72: async () => {
    const options = 'no-pty,permitopen="localhost:2313",from="1.*,2.*"';
    const users = [{ name: 'ann', authorizedKeys: [{ options, key: `${sshd} ann's "laptop"` }] }];
    expect(fileIn(steps('users', { users }), '/home/ann/.ssh/authorized_keys')).toContain(`\n${options} ${sshd} ann's "laptop"\n`);
    const inKey = { users: [{ name: 'ann', authorizedKeys: [`from="1.*,2.*" ${sshd}`] }] };
    expect(await problems(server('users', inKey))).toEqual([expect.stringMatching(/^4:\d+: a public key is one line/)]);
  },
  73: async () => {
    const sysctl = (value: string) =>
      problems(
        `infra: shop\nprovider: demo\nservers: [{ name: hub }]\ntaskservs: [{ name: os, config: { sysctl: { vm.max_map_count: ${value} } } }]\n`,
      );
    expect(await sysctl('1234e567')).toEqual(['4:63: expected a number or text, got no finite number']);
    expect(await sysctl('9007199254740993')).toEqual(['4:63: expected at most 9007199254740991']);
    const os = steps('os', { sysctl: { 'vm.max_map_count': 1e6, 'net.ipv4.tcp_wmem': '4096 87380 8388608' } });
    const file = os.map((step) => ('file' in step ? String(step.file.content) : '')).join('');
    expect(file).toMatch(/^vm\.max_map_count *= *1000000$/m);
    expect(file).toMatch(/^net\.ipv4\.tcp_wmem *= *4096 87380 8388608$/m);
  },
  74: async () => {
    const rules = [{ alert: 'Down', expr: 'up == 0', summary: 'Instance {{ $labels.instance }} down' }];
    const written = fileIn(steps('prometheus', { rules }), '/etc/prometheus/provisioning-rules.yml');
    expect(written).toContain('"Instance {{ $labels.instance }} down"');
    const text = server('prometheus', { rules }).replace('provider: demo', 'provider: demo\ninterpolate: true');
    expect(await problems(text)).toEqual([expect.stringMatching(/^5:\d+: "\{\{ \$labels\.instance \}\}" is not an expression$/)]);
    expect(await problems(text.replace('"Instance', '!raw "Instance'))).toEqual([]);
  },
  75: async () => {
    const text = 'HELLO="fooo\nbar"\nWORLD="blahblah"\n';
    const { values } = readValues('.env', text, 'dotenv');
    expect(Object.fromEntries(values)).toEqual({ HELLO: 'fooo\nbar', WORLD: 'blahblah' });
    await expect(throughSops('a.env', text)).rejects.toThrow('a.env: line 2 is neither NAME=VALUE nor a comment');
  },
  76: () => {
    const on = { host: { name: 'a', privateAddress: '2001:db8::5' } };
    expect(fileIn(steps('etcd', {}, on), '/etc/default/etcd')).toContain('http://[2001:db8::5]:2381');
    const peer = { server: 'web', role: 'web', address: '2001:db8::6', taskserv: 'nginx', endpoints: [{ name: 'http', port: 80 }] };
    const conf = fileIn(steps('haproxy', {}, { ...on, peers: [peer] }), '/etc/haproxy/haproxy.cfg');
    expect(conf).toContain('server web-nginx [2001:db8::6]:80');
    expect(conf).toContain('bind [2001:db8::5]:8405');
  },
};
