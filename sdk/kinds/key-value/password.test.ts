import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { HOSTILE_SECRETS } from '../../../test/support/hostile-secrets.js';
import { encodeSecret, type MoveContext } from '../../index.js';
import { type KeyValueConfig, renewTls } from './conf.js';
import { moveKeyValues } from './move.js';
import { createPlaces } from './places.js';

const PLACES = createPlaces('redis');
const { conf: CONF } = PLACES;
const CONFIG: KeyValueConfig = {
  ...{ port: 6379, sentinelPort: 26379, maxMemory: 1, maxMemoryPolicy: 'noeviction', persistence: 'snapshot' as const },
};
const CONTEXT: MoveContext = {
  ...{ operation: 'o', from: 'a', to: 'b', note: '/dev/null', version: '7.0' },
  former: { version: '7.0', config: CONFIG },
};
const [FIRST] = moveKeyValues(PLACES, CONFIG, CONTEXT).parts;
const SCRIPTS = { 'of a renewed certificate': renewTls(PLACES), 'of a move': FIRST && 'run' in FIRST ? FIRST.run : '' };

/** The client tells by what password it logs in, each time it is called. */
const CLIENT = `redis-cli() { printf '%s\\0' "\${REDISCLI_AUTH-none}" >&3; echo PONG; }
systemctl() { exit 1; }`;

/** Others the format refuses. */
const hostile = HOSTILE_SECRETS.filter((value) => value.length < 130_000 && !value.includes('\0'));
const values = [...hostile, "'", '\\', '\\\\', `'"\\`, '\n\n', '\\n', '\\x41', '""', "'".repeat(30_000)];
/** The value as this release writes it, and as the releases before wrote it if that was good for redis. */
const lines = values.flatMap((value) => [
  [value, encodeSecret('redis', value)],
  ...(/['\n\r]|\\$/.test(value) ? [] : [[value, `'${value}'`]]),
]);

test.each(Object.entries(SCRIPTS))('scripts on the host log in by the password, whatever its signs are: %s', (_, script) => {
  const folder = mkdtempSync(join(tmpdir(), 'provisioning-redis-'));
  try {
    const calls = ['', ...lines].map(([, line], index) => {
      const conf = join(folder, `${index}.conf`);
      writeFileSync(conf, `port 6379\ntls-port 6380\n${line === undefined ? '' : `requirepass ${line}\n`}appendonly no\n`);
      return `(\n${script.replaceAll(CONF, conf)}\n)\n`;
    });
    const input = [CLIENT, ...calls].join('\n');
    const { status, output } = spawnSync('bash', ['-euo', 'pipefail'], {
      input,
      encoding: 'utf8',
      stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
      maxBuffer: 64 * 1024 * 1024,
    });
    expect([status, output[2]]).toEqual([0, '']);
    expect((output[3] ?? '').split('\0').slice(0, -1)).toEqual(['none', ...lines.map(([value]) => value)]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
