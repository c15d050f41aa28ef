import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { FORMER, formerCheckout } from '../support/former.js';
import { startTeamEngine } from '../support/team-engine.js';
import { plainEngine } from '../support/temporal-cli.js';
import type { Way } from './attacker.js';

const root = resolve(import.meta.dirname, '../..');

/** A set-up under attack: its start, and the connections of its attackers. */
export interface SetUp {
  checkout: string;
  settings: NodeJS.ProcessEnv;
  former?: boolean;
  /** By the title of the column, with the taken certificate. */
  attackers: Record<string, Way['taken']>;
  /** Stops the processes of the set-up. */
  end(): Promise<void>;
}

const nothing = async () => {};
const key = () => ({ PROVISIONING_ENCRYPTION_KEY: randomBytes(32).toString('base64') });

/** The set-ups run one after another. Each starts after the former one has ended. */
export const SET_UPS: Readonly<Record<string, () => Promise<SetUp>>> = {
  async former() {
    return {
      checkout: await formerCheckout(FORMER),
      settings: await plainEngine(),
      former: true,
      attackers: { [FORMER]: undefined },
      end: nothing,
    };
  },

  async 'sealed-only'() {
    return { checkout: root, settings: await plainEngine(), attackers: { 'sealed only': undefined }, end: nothing };
  },

  async own() {
    return { checkout: root, settings: {}, attackers: { 'own engine': undefined }, end: nothing };
  },

  /** Like `npm run team-engine` of that commit, without certificates. */
  async 'former-team'() {
    const checkout = await formerCheckout(FORMER);
    const program = ['--import', 'tsx', 'test/support/team-engine-main.ts'];
    const child = spawn(process.execPath, program, { cwd: checkout, stdio: ['ignore', 'pipe', 'ignore'] });
    const found: Record<string, string> = {};
    for await (const line of createInterface({ input: child.stdout })) {
      for (const [, name = '', value = ''] of line.matchAll(
        /(TEMPORAL_ADDRESS|TEMPORAL_NAMESPACE|PROVISIONING_STORE)='?([^'\s]+)/g,
      ))
        found[name] = value;
      if (line.includes('PROVISIONING_ENCRYPTION_KEY')) break;
    }
    if (!found.PROVISIONING_STORE) throw new Error(`the team's engine of ${FORMER} did not start`);
    return {
      checkout,
      settings: { ...found, ...key() },
      former: true,
      attackers: { [`${FORMER}, team`]: undefined },
      async end() {
        child.kill('SIGTERM');
        await once(child, 'exit');
      },
    };
  },

  /** Temporal's own server over mutual TLS, with the settings of temporal-dev.yml. */
  async team() {
    const team = await startTeamEngine();
    const store = { PROVISIONING_STORE: team.store.urlWithoutPassword, PGPASSWORD: team.store.password };
    const read = (name: string) => readFile(team.colleague[name] ?? '', 'utf8');
    const taken = {
      ca: await read('TEMPORAL_TLS_SERVER_CA_CERT_PATH'),
      certificate: await read('TEMPORAL_TLS_CLIENT_CERT_PATH'),
      key: await read('TEMPORAL_TLS_CLIENT_KEY_PATH'),
      name: team.colleague.TEMPORAL_TLS_SERVER_NAME ?? '',
    };
    return {
      checkout: root,
      settings: { ...team.settings, ...store, ...key() },
      attackers: { 'team, no certificate': undefined, 'team, a certificate': taken },
      end: () => team.stop(),
    };
  },
};
