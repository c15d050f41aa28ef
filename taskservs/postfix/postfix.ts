import { debianVersions, listeningOn, packageService } from '../../sdk/index.js';
import { ALIASES, aliases, mainCf, RELAY_ACCOUNT, relayAccount } from './main-cf.js';
import { postfixConfig } from './postfix-config.js';

/** Asks whether mail for root is taken, and sends none. */
const TAKES_MAIL = `exec 3<>/dev/tcp/127.0.0.1/25
hear() { while IFS= read -r -t 10 line <&3; do echo "$line"; [[ $line == ???-* ]] || return 0; done; }
hear
for words in 'EHLO localhost' 'MAIL FROM:<>' 'RCPT TO:<root@localhost>' QUIT; do printf '%s\\r\\n' "$words" >&3; hear; done`;

/** Sends mail of this host on. */
export const postfix = packageService({
  name: 'postfix',
  category: 'messaging',
  description: 'Sends the mail of this host on, by a relay or straight to those who take it.',
  // On Debian 13 the unit of its only instance has another name.
  versions: debianVersions({ 12: '3.7', 13: null }),
  supports: { os: ['debian'] },
  config: postfixConfig,
  endpoints: ({ allow }) => [{ name: 'smtp', port: 25, local: allow.length === 0 }],
  // How it logs in at a relay, and by what it tells who that is.
  furtherPackages: ['libsasl2-modules', 'ca-certificates'],
  // `postfix.service` only stands for its instances.
  unit: 'postfix@-',
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
