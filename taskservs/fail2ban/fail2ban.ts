import * as z from 'zod';
import {
  absolutePath,
  anyPort,
  debianVersions,
  duration,
  MANAGED_FILE_HEADER,
  network,
  packageService,
  sh,
} from '../../sdk/index.js';

const jail = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,25}$/, { error: 'the name of a jail has up to 26 lower-case letters, digits and dashes' })
    .describe('Name of the jail, and of the filter in /etc/fail2ban/filter.d: `sshd`, `nginx-http-auth`'),
  ports: z.array(anyPort()).min(1).optional().describe('TCP ports closed to banned addresses; default: the ports of the jail'),
  log: absolutePath().optional().describe('Log file; default: the journal'),
  maxRetry: z.int().min(1).max(1000).optional().describe('Allowed failures in this jail; default: `maxRetry`'),
});

const config = z
  .strictObject({
    jails: z
      .array(jail)
      .min(1)
      .refine((jails) => new Set(jails.map(({ name }) => name)).size === jails.length, {
        error: 'each jail may be listed only once',
      })
      .default([{ name: 'sshd' }])
      .describe('Jails'),
    banTime: duration('10 m').describe('Duration of a ban'),
    findTime: duration('10 m').describe('Period in which failures are counted'),
    maxRetry: z.int().min(1).max(1000).default(5).describe('Allowed failures before a ban'),
    ignore: z.array(network()).default([]).describe('Addresses that are never banned, in addition to loopback'),
  })
  .meta({ examples: [{ banTime: '1 h', ignore: ['198.51.100.0/24'], jails: [{ name: 'sshd', ports: [22] }] }] });

type Config = z.output<typeof config>;

function jailLocal({ jails, banTime, findTime, maxRetry, ignore }: Config): string {
  const sections = jails.map(({ name, ports, log, maxRetry }) =>
    [
      `\n[${name}]`,
      'enabled = true',
      // Debian keeps no log files of its own accord.
      log ? `backend = auto\nlogpath = ${log}` : 'backend = systemd',
      ...(ports ? [`port = ${ports.join(',')}`] : []),
      ...(maxRetry ? [`maxretry = ${maxRetry}`] : []),
    ].join('\n'),
  );
  return `${MANAGED_FILE_HEADER}
[DEFAULT]
ignoreip = ${['127.0.0.0/8', '::1', ...ignore].join(' ')}
bantime = ${banTime}
findtime = ${findTime}
maxretry = ${maxRetry}
banaction = nftables
banaction_allports = nftables[type=allports]
${jails.some(({ name }) => name === 'sshd') ? '' : '\n[sshd]\nenabled = false\n'}${sections.join('\n')}
`;
}

/**
 * Asks the server about a jail, as its client does: a pickled list, and a mark behind it. The client reads all its
 * modules first, which takes five times as long; it is asked where this fails, and says why in its own words.
 */
const ASK = `import sys, _socket, _pickle
END = b"<F2B_END_COMMAND>"
server = _socket.socket(_socket.AF_UNIX)
server.settimeout(10)
server.connect("/run/fail2ban/fail2ban.sock")
server.sendall(_pickle.dumps(["status", sys.argv[1]], 2) + END)
answer = b""
while not answer.endswith(END):
  part = server.recv(65536)
  if not part: break
  answer += part
# An error comes as a class of fail2ban's, which is not loaded here: this fails then, too.
code, told = _pickle.loads(answer.removesuffix(END))
if code != 0 or told[0][0] != "Filter": sys.exit(1)
print("Status for the jail: " + sys.argv[1])`;

/** Blocks addresses after too many failed logins. */
export const fail2ban = packageService({
  name: 'fail2ban',
  category: 'security',
  holds: [],
  description: 'Blocks addresses after too many failed logins.',
  versions: debianVersions({ 12: '1.0', 13: '1.1' }),
  supports: { os: ['debian'] },
  config,
  // netbase has the numbers of ports: jails use names of ports, and nft refuses unknown names.
  furtherPackages: ['python3-systemd', 'nftables', 'netbase'],
  files: { jails: { path: '/etc/fail2ban/jail.local', content: jailLocal, reload: true } },
  check: 'fail2ban-client -t',
  health: ({ jails }) =>
    jails.map(({ name }) => ({
      title: `fail2ban watches ${name}`,
      command: sh`python3 -ISc ${ASK} ${name} 2>/dev/null || fail2ban-client status ${name}`,
      expect: `Status for the jail: ${name}`,
    })),
});
