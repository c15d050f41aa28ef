import {
  debianVersions,
  ensureNoFile,
  ensureService,
  type FoundFile,
  type FoundService,
  listeningOn,
  packageService,
} from '../../sdk/index.js';
import { ALIASES, aliases, mainCf, RELAY_ACCOUNT, relayAccount } from './main-cf.js';
import { postfixConfig } from './postfix-config.js';

/** Asks whether mail for root is taken, and sends none. */
const TAKES_MAIL = `exec 3<>/dev/tcp/127.0.0.1/25
hear() { while IFS= read -r -t 10 line <&3; do echo "$line"; [[ $line == ???-* ]] || return 0; done; }
hear
for words in 'EHLO localhost' 'MAIL FROM:<>' 'RCPT TO:<root@localhost>' QUIT; do printf '%s\\r\\n' "$words" >&3; hear; done`;

/** The service with the unit that it has on a release of Debian. */
const withUnit = (unit: string) =>
  packageService({
    name: 'postfix',
    category: 'messaging',
    holds: ['/var/spool/postfix'],
    description: 'Sends the mail of this host, through a relay or directly.',
    versions: debianVersions({ 12: '3.7', 13: '3.10' }),
    supports: { os: ['debian'] },
    config: postfixConfig,
    endpoints: ({ allow }) => [{ name: 'smtp', port: 25, local: allow.length === 0 }],
    // How it logs in at a relay, and by what it tells who that is.
    furtherPackages: ['libsasl2-modules', 'ca-certificates'],
    unit,
    listens: ({ allow }, context) => (allow.length > 0 ? listeningOn('postfix', 'smtp', context) : 'loopback'),
    files: {
      conf: { path: '/etc/postfix/main.cf', content: (config, { host, listening }) => mainCf(config, host.name, listening) },
      relayAccount: { path: RELAY_ACCOUNT, content: relayAccount, mode: '0600', reload: true },
      aliases: { path: ALIASES, content: aliases, reload: true },
    },
    tls: {
      of: ({ tls }) => tls,
      // It reads the key before it stops being root.
      group: 'root',
      reload: true,
      connect: () => ({ connect: '127.0.0.1:25', starttls: 'smtp' }),
    },
    check: 'postfix check',
    health: () => [{ title: 'postfix takes mail', command: TAKES_MAIL, expect: '250 2.1.5' }],
  });

/** Up to Debian 12 `postfix.service` only stands for its instances, of which this is the one. */
const instance = withUnit('postfix@-');
const main = withUnit('postfix');

/** Sends mail of this host on. Which unit a host has is certain only once its release is known, so that it is asked for both. */
export const postfix: typeof instance = {
  ...instance,
  facts(config, version) {
    const { unit, wait } = main.facts(config, version);
    return { ...instance.facts(config, version), ...(unit && { mainUnit: unit }), ...(wait && { mainWait: wait }) };
  },
  plan: (config, found, context) =>
    context.version === '3.7'
      ? instance.plan(config, found, context)
      : main.plan(config, { ...found, unit: found.mainUnit, wait: found.mainWait }, context),
  remove: (config, found) => [
    ...ensureService(found.mainUnit as FoundService, { state: 'stopped', enabled: false }),
    ...instance.remove(config, found),
    ...ensureNoFile(found.mainWait as FoundFile),
  ],
};
