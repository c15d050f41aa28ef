import { expect } from 'vitest';
import { encodeSecret } from '../../sdk/index.js';
import { FORMAT_READERS } from '../../test/support/format-readers.js';
import { bash, fileIn, type Play, programsRead, secret, steps } from './play.js';

const APP = {
  ...{ name: 'shop', release: '1', processes: { web: { command: './web' } } },
  artifact: { url: 'https://artifacts.example.org/shop.tar.gz', sha256: 'a'.repeat(64) },
};
/** The configurations in which the reports have a secret. */
const CONFIGS: Record<string, unknown> = {
  redis: { password: secret },
  postgres: { users: [{ name: 'shop', password: secret }] },
  mariadb: { users: [{ name: 'shop', password: secret }] },
  influxdb: { admin: { name: 'admin', password: secret } },
  nats: { users: [{ name: 'shop', password: secret }] },
  alertmanager: {
    smtp: { server: 'mail.example.org:587', from: 'a@example.org', user: 'a', password: secret },
    receivers: [{ name: 'team', emails: ['team@example.org'] }],
  },
  mosquitto: { users: [{ name: 'shop', password: secret }] },
  memcached: { users: [{ name: 'shop', password: secret }] },
  app: { ...APP, env: { KEY: secret } },
  'systemd-units': { units: [{ name: 'worker', command: '/usr/bin/worker', environment: { KEY: secret } }] },
};

/** Holds that the program gets exactly each value. */
const getsAll =
  (service: string, ...values: string[]): Play =>
  () => {
    const all = steps(service, CONFIGS[service]);
    for (const value of values) expect(programsRead(all, value)).toEqual([value]);
  };

/** The variable PLAIN as systemd reads it. */
const variableIn = (file: string) => FORMAT_READERS['environment-file'](/^PLAIN=(.*)$/ms.exec(file)?.[1] ?? '')?.value;

const PEM = '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIHdV\n-----END PRIVATE KEY-----\n';

export const SECRETS: Record<string, Play> = {
  9: getsAll('redis', 'abc\\'),
  10: getsAll('redis', "it's"),
  11: getsAll('redis', 'a b"c#d%e$f', '-x', 'grün-€', 'x\\y'),
  12: async () => {
    await getsAll('postgres', "-a'b\\c$d%e;f g#é")();
    await getsAll('mariadb', "-a'b\\c$d%e;f g#é")();
  },
  13: getsAll('influxdb', 'a\\d'),
  14: getsAll('influxdb', "x'TOPSECRETTAIL"),
  15: getsAll('nats', 'a\\d$e%f g#:é"h', "a'b"),
  16: getsAll('alertmanager', "it's", "'quoted'"),
  17: getsAll('mosquitto', 'a\\d\'$e%f g#:é"h'),
  18: async () => {
    await getsAll('memcached', 'é', ':', 'a\\b"c')();
    const [refused] = programsRead(steps('memcached', CONFIGS.memcached), 'a b');
    expect(refused).toBe('refused: the-secret: memcached takes no password with a space');
  },
  19: async () => {
    await getsAll('app', 'a"b\\c$d%e`g #h ')();
    expect(variableIn(fileIn(steps('app', { ...APP, env: { PLAIN: "it's" } }), '/etc/app-shop.env'))).toBe("it's");
  },
  20: getsAll('app', PEM),
  21: async () => {
    await getsAll('systemd-units', "-a'b\\c$d%e;f g#x", "x'\nSECOND=1")();
    const unit = { name: 'worker', command: '/usr/bin/worker', environment: { PLAIN: "it's" } };
    expect(variableIn(fileIn(steps('systemd-units', { units: [unit] }), '/etc/provisioning-units/worker.env'))).toBe("it's");
    // A shell reads such a file as systemd does.
    const value = "-a'b\\c$d%e;f g#x";
    expect(bash(`KEY=${encodeSecret('environment-file', value)}\nprintf %s "$KEY"`).out).toBe(value);
  },
};
